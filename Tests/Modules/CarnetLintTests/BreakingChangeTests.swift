import CarnetDescriptors
import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetLint

/// What breaks users of an earlier version of a descriptor.
@Suite("Breaking change")
struct BreakingChangeTests {
    static let breaking = Edit.all("breaking")
    static let harmless = Edit.all("harmless")

    private func changes(_ old: String, _ new: String, _ provider: String, besides others: [String] = []) throws
        -> [Diagnostic]
    {
        let name = "\(provider).yaml"
        let family = try others.map { try Repository.file("providers/\($0).yaml") }
        let unchanged = family.map { SourceFile(path: $0.path, text: $0.text) }
        let earlier =
            [EarlierVersion.File(SourceFile(path: "old/\(name)", text: old), successor: name, role: .predecessor)]
            + unchanged.map { .init($0, successor: $0.path, role: .parent) }
        return Linter(today: "2026-11-29").changes(
            in: [SourceFile(path: name, text: new)] + unchanged, since: EarlierVersion(earlier))
    }

    private static func family(of provider: String) -> [String] { provider == "jira" ? ["atlassian"] : [] }

    @Test("There are many edits of each kind")
    func thereAreMany() {
        #expect(Self.breaking.count >= 50 && Self.breaking.allSatisfy { !$0.codes.isEmpty })
        #expect(Self.harmless.count >= 50 && Self.harmless.allSatisfy { $0.codes.isEmpty })
        let codes = Set(Self.breaking.flatMap(\.codes))
        #expect(codes == Set(BreakingChange.rules.map(\.code)))
    }

    @Test("A breaking edit is found at its place, and nothing else is", arguments: breaking)
    func isFound(_ edit: Edit) throws {
        let versions = try edit.versions()
        let found = try changes(versions.old, versions.new, edit.provider, besides: Self.family(of: edit.provider))
        #expect(found.map(\.code).sorted() == edit.codes, "\(found.map(\.summary))")
        #expect(found.allSatisfy { $0.severity == .error && $0.file == "\(edit.provider).yaml" })
        if let place = versions.place {
            #expect(found.allSatisfy { $0.span.start == place }, "\(place): \(found.map(\.summary))")
        }
        // The edit is one of meaning: the new file can be read.
        let document = DescriptorDocument(SourceFile(path: "new.yaml", text: versions.new))
        #expect(document.isSound, "\(document.diagnostics.map(\.summary))")
        for finding in found {
            #expect(finding.help?.contains(";") == true && !finding.message.hasSuffix("."))
        }
    }

    @Test("A harmless edit has no finding", arguments: harmless)
    func isNoFinding(_ edit: Edit) throws {
        let versions = try edit.versions()
        #expect(versions.old != versions.new)
        let found = try changes(versions.old, versions.new, edit.provider, besides: Self.family(of: edit.provider))
        #expect(found.map(\.summary) == [])
        // The edit is not void, and the new file can be read.
        let document = DescriptorDocument(SourceFile(path: "new.yaml", text: versions.new))
        #expect(document.isSound, "\(document.diagnostics.map(\.summary))")
    }

    @Test("A new note about the key accepts a breaking edit, and a note that was there does not", arguments: breaking)
    func aNoteAccepts(_ edit: Edit) throws {
        let versions = try edit.versions()
        let family = Self.family(of: edit.provider)
        let found = try changes(versions.old, versions.new, edit.provider, besides: family)
        let keys = found.compactMap { $0.help?.firstMatch(of: /'about: ([^']+)'/).map { String($0.1) } }
        #expect(keys.count == found.count)
        func noted(_ text: String) -> String {
            let notes = keys.map { "  - { about: \($0), because: they announced it in a letter }\n" }.joined()
            return text.contains("\nnotes:\n")
                ? text.replacing("\nnotes:\n", with: "\nnotes:\n\(notes)", maxReplacements: 1)
                : text + "\nnotes:\n\(notes)"
        }
        #expect(try changes(versions.old, noted(versions.new), edit.provider, besides: family).map(\.summary) == [])
        #expect(
            try changes(noted(versions.old), noted(versions.new), edit.provider, besides: family).count == found.count)
        // The note is about something that the file has.
        let lint = Linter().lint(files: [SourceFile(path: "new.yaml", text: noted(versions.new))]).diagnostics
        let unknown = keys.map { "the file has no key \"\($0)\"" }
        #expect(!lint.contains { unknown.contains($0.message) })
    }

    @Test("No descriptor of the catalogue differs from itself")
    func nothingDiffers() throws {
        let files = try Repository.files("providers", "yaml").map { SourceFile(path: $0.path, text: $0.text) }
        let earlier = files.map { EarlierVersion.File($0, successor: $0.path, role: .predecessor) }
        #expect(files.count > 150)
        #expect(Linter().changes(in: files, since: EarlierVersion(earlier)) == [])
    }

    // MARK: Several files

    private static let base = """
        carnet: 1
        id: base
        name: Base
        inputs: { tenant: { example: acme } }
        issuer: https://{tenant}.base.example
        scopes: { default: [openid, email] }

        """
    private static let child = "carnet: 1\nid: child\nname: Child\nextends: base\nscopes: { default: [openid] }\n"

    private func changes(
        _ old: [String: String], _ new: [String: String], role: EarlierVersion.Role = .predecessor
    ) -> [Diagnostic] {
        let files = new.sorted { $0.key < $1.key }.map { SourceFile(path: $0.key, text: $0.value) }
        let earlier = old.sorted { $0.key < $1.key }.map {
            EarlierVersion.File(SourceFile(path: "main:\($0.key)", text: $0.value), successor: $0.key, role: role)
        }
        return Linter(today: "2026-11-29").changes(in: files, since: EarlierVersion(earlier))
    }

    @Test("A change of a parent is found once, at the parent")
    func aChangeOfAParent() {
        let changed = Self.base.replacing("tenant}.base", with: "tenant}.login.base")
        let found = changes(
            ["base.yaml": Self.base, "child.yaml": Self.child], ["base.yaml": changed, "child.yaml": Self.child])
        #expect(found.map(\.file) == ["base.yaml"])
        #expect(found.map(\.code) == ["B002"])
        #expect(found.first?.related.map(\.file) == ["main:base.yaml"])
    }

    @Test("A child that inherits a change is hurt, also if the parent is not linted")
    func aChildIsHurt() throws {
        var registry = ProviderRegistry()
        let changed = Self.base.replacing("tenant}.base", with: "tenant}.login.base")
        registry.add([SourceFile(path: "base.yaml", text: changed)])
        let earlier = [
            EarlierVersion.File(
                SourceFile(path: "old/base.yaml", text: Self.base), successor: "base.yaml", role: .candidate),
            EarlierVersion.File(
                SourceFile(path: "old/child.yaml", text: Self.child), successor: "child.yaml", role: .predecessor),
        ]
        let found = Linter(known: registry).changes(
            in: [SourceFile(path: "child.yaml", text: Self.child)], since: EarlierVersion(earlier))
        #expect(found.map(\.code) == ["B002"])
        // It is shown at extends.
        #expect(found.map(\.file) == ["child.yaml"] && found.map(\.line) == [4])
        #expect(found.first?.related.map(\.file) == ["base.yaml", "old/base.yaml"])
    }

    @Test("A child that overrides the change of its parent is not hurt")
    func aChildThatOverrides() {
        let changed = Self.base.replacing("[openid, email]", with: "[openid]")
        let found = changes(
            ["base.yaml": Self.base, "child.yaml": Self.child], ["base.yaml": changed, "child.yaml": Self.child])
        #expect(found.map(\.file) == ["base.yaml"])
    }

    @Test("What moves into a parent is the same")
    func whatMovesIntoAParent() {
        let alone = Self.base.replacing("base\n", with: "child\n").replacing("[openid, email]", with: "[openid]")
        #expect(
            changes(["child.yaml": alone], ["base.yaml": Self.base, "child.yaml": Self.child]).map(\.summary) == [])
    }

    @Test("A provider that is gone is found, unless it had ended")
    func aProviderThatIsGone() {
        let found = changes(["base.yaml": Self.base, "child.yaml": Self.child], ["base.yaml": Self.base])
        #expect(found.map(\.summary) == ["child.yaml:2:5: error: the provider child is gone [B001]"])
        for status in ["{ closed: partners only }", "{ retiring: '2026-11-28', because: they end }"] {
            let ended = Self.base + "status: \(status)\n"
            #expect(changes(["base.yaml": ended], [:]) == [])
        }
        let retiring = Self.base + "status: { retiring: '2026-11-29', because: they end }\n"
        #expect(changes(["base.yaml": retiring], [:]).map(\.code) == ["B001"])
        // Only some files were linted.
        #expect(changes(["base.yaml": Self.base], [:], role: .candidate) == [])
    }

    @Test("A provider keeps its old id in a file that extends the new one")
    func aProviderKeepsItsOldID() {
        let renamed = Self.base.replacing("id: base\n", with: "id: better\n")
        let found = changes(["base.yaml": Self.base], ["base.yaml": renamed])
        #expect(found.map(\.summary) == ["base.yaml:2:5: error: the id was base and is better [B001]"])
        let alias = "carnet: 1\nid: base\nname: Base\nextends: better\n"
        #expect(changes(["base.yaml": Self.base], ["base.yaml": alias, "better.yaml": renamed]).map(\.summary) == [])
        // Another file with another name is no other provider.
        #expect(changes(["base.yaml": Self.base], ["new-name.yaml": Self.base]) == [])
    }

    @Test("A file with errors is not compared, and counts as there")
    func aFileWithErrors() {
        let broken = Self.base.replacing("issuer:", with: "isuer:").replacing("base.example", with: "x.example")
        #expect(changes(["base.yaml": Self.base], ["base.yaml": broken]) == [])
        #expect(changes(["base.yaml": broken], ["base.yaml": Self.base]) == [])
        #expect(changes(["base.yaml": Self.base], ["base.yaml": "id: [\n"]) == [])
    }

    @Test("A comment cannot accept a change, and says what can")
    func aCommentCannot() {
        let text = "# carnet-lint-disable B002: a letter\n" + Self.base
        let found = Linter().lint(files: [SourceFile(path: "base.yaml", text: text)]).diagnostics
        #expect(found.map(\.code) == ["D021"])
        #expect(found.first?.help == "a new note about the key accepts a change")
    }
}
