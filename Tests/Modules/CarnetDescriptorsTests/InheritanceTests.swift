import CarnetFoundation
import Testing

@testable import CarnetDescriptors

@Suite("Inheritance")
struct InheritanceTests {
    private static let base = """
        carnet: 1
        id: base
        name: Base
        docs: https://base.example/docs
        notes: [{ about: token.body, because: their endpoint reads JSON alone }]
        issuer: https://id.base.example
        scopes: { default: [openid, profile], offline: [offline_access] }
        token: { body: json, headers: { X-Version: "1", X-Old: "1" } }
        authorization: { parameters: { a: "1", b: "2" } }

        """

    private func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }

    private func child(_ rest: String, id: String = "child", of parent: String = "base") -> SourceFile {
        file("\(id).yaml", "carnet: 1\nid: \(id)\nname: Child\nextends: \(parent)\n\(rest)")
    }

    private func registry(_ files: SourceFile...) -> ProviderRegistry {
        var registry = ProviderRegistry()
        registry.add(files, origin: .builtIn)
        return registry
    }

    private func descriptor(_ rest: String) throws -> ProviderDescriptor {
        try registry(file("base.yaml", Self.base), child(rest)).descriptor("child")
    }

    // MARK: Merging

    @Test("What is not said is inherited")
    func whatIsNotSaidIsInherited() throws {
        let descriptor = try descriptor("")
        #expect(descriptor.id == "child")
        #expect(descriptor.name == "Child")
        #expect(descriptor.parent == "base")
        #expect(descriptor.issuer?.source == "https://id.base.example")
        #expect(descriptor.token.request.body == .json)
        #expect(descriptor.docs == "https://base.example/docs")
    }

    @Test("Evidence is not inherited")
    func evidenceIsNotInherited() throws {
        #expect(try descriptor("").notes.isEmpty)
    }

    @Test("Mappings are merged in the order of the parent")
    func mappingsAreMergedInTheOrderOfTheParent() throws {
        let descriptor = try descriptor("authorization: { parameters: { c: '3', a: '9' } }\n")
        #expect(descriptor.authorization.parameters.items.map(\.name) == ["a", "b", "c"])
        #expect(descriptor.authorization.parameters["a"]?.source == "9")
    }

    @Test("Lists are replaced")
    func listsAreReplaced() throws {
        let descriptor = try descriptor("scopes: { default: [email] }\n")
        #expect(descriptor.scopes.defaults == ["email"])
        #expect(descriptor.scopes.offline == ["offline_access"])
    }

    @Test("Null deletes")
    func nullDeletes() throws {
        let descriptor = try descriptor("docs: null\ntoken: { body: ~, headers: { X-Old: } }\n")
        #expect(descriptor.docs == nil)
        #expect(descriptor.token.request.body == nil)
        #expect(descriptor.token.request.headers.names == ["X-Version"])
    }

    @Test("Null deletes nothing in a descriptor without a parent")
    func nullDeletesNothingInADescriptorWithoutAParent() {
        let document = DescriptorDocument(file("a.yaml", Self.base + "api: null\n"))
        #expect(document.diagnostics.map(\.code) == ["K002"])
    }

    @Test("Null in the profile's request removes what the API says, also in a child")
    func nullRemovesWhatTheAPISays() throws {
        let rest = "api: { headers: { X-Api: '1', Accept: a }, parameters: { v: '2', w: '3' } }\n"
        for descriptor in [
            try descriptor(rest + "profile: { headers: { x-api: null }, parameters: { v: null } }\n"),
            try #require(
                DescriptorDocument(
                    file(
                        "base.yaml",
                        Self.base + rest + "profile: { headers: { x-api: null }, parameters: { v: null } }\n")
                ).descriptor),
        ] {
            let profile = try descriptor.resolve().profile
            #expect(profile.request.headers.map(\.name) == ["Accept"])
            #expect(profile.request.parameters.map(\.name) == ["w"])
            #expect(profile.ownRequest.headers["x-api"]?.isRemoval == true)
        }
        let document = DescriptorDocument(file("a.yaml", Self.base.replacing("X-Old: \"1\"", with: "X-Old: null")))
        #expect(document.diagnostics.map(\.code) == ["K002"])
    }

    // MARK: Finding the parent

    @Test("The parent may come later")
    func theParentMayComeLater() throws {
        var registry = registry(child(""))
        #expect(registry.ids.isEmpty)
        registry.add([file("base.yaml", Self.base)], origin: .folder("later"))
        #expect(registry.ids == ["base", "child"])
        #expect(registry.broken.isEmpty)
    }

    @Test("A descriptor can extend the one that it hides")
    func aDescriptorCanExtendTheOneThatItHides() throws {
        var registry = registry(file("base.yaml", Self.base))
        registry.add([child("docs: https://own.example\n", id: "base")], origin: .folder("own"))
        let descriptor = try registry.descriptor("base")
        #expect(descriptor.docs == "https://own.example")
        #expect(descriptor.issuer?.source == "https://id.base.example")
        #expect(registry.hidden.map(\.descriptor.name) == ["Base"])
    }

    @Test("The latest descriptor of a name is the parent")
    func theLatestDescriptorOfANameIsTheParent() throws {
        var registry = registry(file("base.yaml", Self.base), child(""))
        registry.add([child("docs: https://own.example\n", id: "base")], origin: .folder("own"))
        #expect(try registry.descriptor("child").docs == "https://own.example")
        #expect(try registry.entry(named: "child").document.ancestors == ["base", "base"])
    }

    @Test("A broken file hides no parent")
    func aBrokenFileHidesNoParent() throws {
        let registry = registry(
            file("base.yaml", Self.base), file("b/base.yaml", Self.base + "nonsense: 1\n"), child(""))
        #expect(try registry.descriptor("child").issuer != nil)
    }

    // MARK: What is wrong

    @Test("An unknown parent gets the nearest name")
    func anUnknownParentGetsTheNearestName() {
        let broken = registry(file("base.yaml", Self.base), child("", of: "bsae")).broken
        #expect(
            broken.flatMap(\.diagnostics).map(\.description) == [
                #"child.yaml:4:10: error: there is no provider "bsae" [K020]"#
            ])
        #expect(broken.flatMap(\.diagnostics).map(\.help) == [#"did you mean "base"?"#])
    }

    @Test("A descriptor cannot extend itself")
    func aDescriptorCannotExtendItself() {
        let broken = registry(child("", id: "a", of: "a")).broken
        #expect(broken.flatMap(\.diagnostics).map(\.code) == ["K020"])
    }

    @Test("A circle is named as a whole")
    func aCircleIsNamedAsAWhole() {
        let registry = registry(
            child("", id: "a", of: "b"), child("", id: "b", of: "c"), child("", id: "c", of: "a"),
            child("", id: "d", of: "a"))
        #expect(registry.ids.isEmpty)
        let messages = registry.broken.map { $0.diagnostics.map(\.message) }
        #expect(
            messages == [
                ["the descriptor extends itself: a -> b -> c -> a"],
                ["the descriptor extends itself: b -> c -> a -> b"],
                ["the descriptor extends itself: c -> a -> b -> c"],
                [#"the descriptor "a" has errors, so this one cannot inherit from it"#],
            ])
    }

    @Test("A chain has sixteen files at most")
    func aChainHasSixteenFilesAtMost() {
        var registry = registry(file("base.yaml", Self.base))
        let chain = (1...16).map { child("", id: "c\($0)", of: $0 == 1 ? "base" : "c\($0 - 1)") }
        registry.add(chain, origin: .builtIn)
        #expect(registry.ids.count == 16)
        #expect(registry.broken.map(\.id) == ["c16"])
        #expect(registry.broken.flatMap(\.diagnostics).map(\.code) == ["K021"])
    }

    @Test("A broken parent is named with its place")
    func aBrokenParentIsNamedWithItsPlace() {
        let broken = registry(file("base.yaml", Self.base + "nonsense: 1\n"), child("")).broken
        let found = broken.last?.diagnostics ?? []
        #expect(found.map(\.code) == ["K022"])
        #expect(found.first?.related.map(\.file) == ["base.yaml"])
        #expect(found.first?.related.first?.span.start == SourcePosition(line: 10, column: 1))
    }

    @Test("A child has its own findings")
    func aChildHasItsOwnFindings() {
        let broken = registry(file("base.yaml", Self.base), child("tokn: {}\ntoken: { body: jsn }\n")).broken
        #expect(broken.flatMap(\.diagnostics).map(\.code) == ["K001", "K004"])
    }

    @Test("A child says its own name")
    func aChildSaysItsOwnName() {
        let broken = registry(file("base.yaml", Self.base), file("c.yaml", "carnet: 1\nid: c\nextends: base\n")).broken
        #expect(broken.flatMap(\.diagnostics).map(\.code) == ["K003"])
    }

    // MARK: Places

    @Test("An inherited value is in the file of the parent", arguments: ["", "\n", "\r\n", "\r", "# end"])
    func anInheritedValueIsInTheFileOfTheParent(end: String) throws {
        let base = file("base.yaml", "\u{FEFF}" + Self.base)
        let middle = child("api: { hosts: [a.example] }" + end, id: "middle")
        let registry = registry(base, middle, child("docs: https://own.example" + end, of: "middle"))
        let document = try registry.entry(named: "child").document
        let issuer = document.place(of: ["issuer"])
        #expect(issuer.file == "base.yaml")
        #expect(issuer.span.start == SourcePosition(line: 6, column: 9))
        #expect(document.sources.text.text(in: document.span(of: ["issuer"])) == "https://id.base.example")
        #expect(document.place(of: ["api", "hosts"]).file == "middle.yaml")
        #expect(document.place(of: ["docs"]).file == "child.yaml")
        #expect(document.place(of: ["docs"]).span.start == SourcePosition(line: 5, column: 7))
    }
}
