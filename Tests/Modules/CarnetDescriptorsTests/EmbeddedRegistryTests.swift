import CarnetFoundation
import Testing

@testable import CarnetDescriptors

/// Embedded descriptors are read when somebody asks for them, and behave as files of a folder do.
@Suite("Embedded descriptors")
struct EmbeddedRegistryTests {
    private static let base: StaticString =
        "carnet: 1\nid: base\nname: Base\nissuer: https://id.base.example\nscopes: { default: [openid] }\n"
    private static let child: StaticString = "carnet: 1\nid: child\nname: Child\nextends: base\n"
    private static let other: StaticString = "carnet: 1\nid: other\nname: Other\nissuer: https://id.other.example\n"
    /// Text that cannot be read, to see that nobody does.
    private static let unreadable: StaticString = "carnet: [\n"

    private static let files = [
        SourceFile(path: "base.yaml", embedded: base, id: "base"),
        SourceFile(path: "child.yaml", embedded: child, id: "child", extends: "base"),
        SourceFile(path: "other.yaml", embedded: other, id: "other"),
    ]

    private func registry(_ added: SourceFile...) -> ProviderRegistry {
        var registry = ProviderRegistry()
        registry.add(Self.files + added, origin: .builtIn)
        return registry
    }

    private func file(_ id: String, _ rest: String) -> SourceFile {
        SourceFile(path: "\(id).yaml", text: "carnet: 1\nid: \(id)\nname: Mine\n\(rest)\n")
    }

    @Test("Names, additions and look-ups of others read none")
    func lazy() throws {
        var registry = registry(SourceFile(path: "bad.yaml", embedded: Self.unreadable, id: "bad"))
        registry.add([file("mine", "issuer: https://id.mine.example")], origin: .folder("p"))
        #expect(registry.ids == ["bad", "base", "child", "mine", "other"])
        #expect(registry.origin(of: "bad") == .builtIn)
        #expect(registry.broken.isEmpty)
        #expect(try registry.descriptor("other").name == "Other")
        // Whoever asks for it learns that there is none.
        #expect(throws: UnknownProviderError.self) { try registry.descriptor("bad") }
        #expect(registry.entries.map(\.descriptor.id) == ["base", "child", "mine", "other"])
    }

    @Test("One extends another, and an entry is the same as that of a file")
    func inheritance() throws {
        let lazy = registry()
        var eager = ProviderRegistry()
        eager.add(Self.files.map { SourceFile(path: $0.path, bytes: $0.bytes) }, origin: .builtIn)
        for id in eager.ids {
            let (made, expected) = (try lazy.entry(named: id.rawValue), try eager.entry(named: id.rawValue))
            #expect(made.document.sources.files == expected.document.sources.files)
            #expect(made.descriptor.issuer == expected.descriptor.issuer)
            #expect(made.descriptor.name == expected.descriptor.name)
            #expect(made.origin == .builtIn)
        }
        #expect(try lazy.descriptor("child").issuer?.source == "https://id.base.example")
    }

    @Test("A file overrides one, and those that extend it inherit from the file")
    func overriding() throws {
        var registry = registry()
        registry.add([file("base", "issuer: https://id.mine.example")], origin: .folder("p"))
        #expect(try registry.descriptor("child").issuer?.source == "https://id.mine.example")
        #expect(registry.hidden.map(\.descriptor.name) == ["Base"])
        let without = registry.replacing(.folder("p"), with: [])
        #expect(try without.descriptor("child").issuer?.source == "https://id.base.example")
        #expect(without.hidden.isEmpty)
    }

    @Test("A file with errors overrides none; a file extends one, and one of its own id")
    func extending() throws {
        var registry = registry()
        registry.add(
            [
                file("base", "issuer: 1\nunknown: 2"), file("mine", "extends: child"),
                file("other", "extends: other\nscopes: { default: [openid] }"),
            ],
            origin: .folder("p"))
        #expect(registry.broken.map(\.file.path) == ["base.yaml"])
        #expect(try registry.descriptor("base").name == "Base")
        #expect(try registry.descriptor("mine").issuer?.source == "https://id.base.example")
        #expect(try registry.descriptor("other").issuer?.source == "https://id.other.example")
        #expect(try registry.descriptor("other").name == "Mine")
    }

    @Test("A folder that may not override only adds ids")
    func guests() throws {
        var registry = registry()
        let own = [file("base", "issuer: https://id.mine.example"), file("mine", "extends: base")]
        registry.add(own, origin: .folder("."), overriding: false)
        #expect(try registry.descriptor("base").name == "Base")
        #expect(try registry.descriptor("mine").issuer?.source == "https://id.base.example")
        #expect(registry.refused.map(\.document.file.path) == ["base.yaml"])
    }

    @Test("A linter only needs the ids that it asks for, with their parents and children")
    func families() {
        let registry = registry(SourceFile(path: "bad.yaml", embedded: Self.unreadable, id: "bad"))
        #expect(registry.written(inFamiliesOf: ["child"]).map(\.file.path) == ["base.yaml", "child.yaml"])
        #expect(registry.written(inFamiliesOf: []).isEmpty)
    }

    @Test("Many tasks may ask for one at once")
    func concurrency() async {
        let registry = registry()
        let names = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<64 { group.addTask { try? registry.descriptor("child").name } }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(names.count == 64 && names.allSatisfy { $0 == "Child" })
    }
}
