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
        let codes = Set(Self.breaking.flatMap(\.codes) + ["B013"])
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
        // The note is about something that one of the files has.
        let trees = [versions.old, versions.new].map { DescriptorDocument(SourceFile(path: "a.yaml", text: $0)).root }
        for key in keys {
            let path = key.split(separator: ".").map(String.init)
            #expect(key != "id" || edit.codes == ["B001"])
            #expect(edit.provider == "jira" || trees.contains { $0?.node(at: path) != nil }, "\(key)")
        }
    }

    // MARK: Kinds

    private func changes(_ old: String, _ new: String) -> [Diagnostic] {
        changes(["acme.yaml": old], ["acme.yaml": new])
    }

    @Test("A kind of change has its codes", arguments: Edit.Kind.all)
    func kinds(_ edit: Edit.Kind) {
        let found = changes(edit.old, edit.new)
        #expect(Set(found.map(\.code)).sorted() == edit.codes, "\(found.map(\.summary))")
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: edit.new))
        #expect(document.isSound, "\(document.diagnostics.map(\.summary))")
        if edit.codes != ["B013"] { #expect(changes(edit.new, edit.new) == []) }
    }

    /// Each host but those of pages receives a credential.
    private static let hosts = """
        carnet: 1
        id: acme
        name: Acme
        endpoints:
          authorization: https://page.example/a
          token: https://token.example/t
          refresh: https://refresh.example/t
          userinfo: https://userinfo.example/u
          revocation: https://revocation.example/r
          introspection: https://introspection.example/i
          end_session: https://end.example/e
          device_authorization: https://device.example/d
          device_token: https://poll.example/d
          pushed_authorization_request: https://pushed.example/p
        exchange: { long: { url: "https://exchange.example/x", sample: { access_token: a, token_type: bearer } } }
        connection:
          lookups: { team: { url: "https://lookup.example/l", value: /id, sample: { id: 1 } } }
          on_connect: [{ url: "https://connect.example/c", method: POST }]
          on_disconnect: [{ url: "https://disconnect.example/d", method: POST }]
        profile:
          claims: { subject: /id }
          requests: [{ url: "https://further.example/f", claims: { email: /email } }]
        api: { base_url: "https://base.example/b" }

        """

    @Test(
        "Another host of a request with a credential is found, and the host as an input with this default is not",
        arguments: [
            "token", "refresh", "userinfo", "revocation", "introspection", "end", "device", "poll", "pushed",
            "exchange",
            "lookup", "connect", "disconnect", "further", "base",
        ])
    func hosts(_ name: String) {
        let moved = Self.hosts.replacing("/\(name).example", with: "/new.example")
        #expect(changes(Self.hosts, moved).map(\.code) == ["B009"])
        let input = Self.hosts.replacing("/\(name).example", with: "/{\(name)}")
        let inputs = "inputs: { \(name): { type: hostname, default: \(name).example } }\n"
        #expect(changes(Self.hosts, input + inputs).map(\.summary) == [])
        #expect(changes(Self.hosts, Self.hosts.replacing("page.example", with: "new.example")) == [])
    }

    @Test("A note accepts one kind of change, and only at its key")
    func aNoteAcceptsOneKind() throws {
        let edit = try #require(Edit.Kind.all.first { $0.testDescription == "a sandbox less" })
        let found = changes(edit.old, edit.new)
        #expect(found.map(\.code).sorted() == ["B005", "B011", "B011", "B011"])
        let keys = ["callback.iss", "callback.capture.team", "client_credentials", "environments.sandbox"]
        for key in keys {
            #expect(found.contains { $0.help?.contains("'about: \(key)'") == true }, "\(key)")
            let note = "notes: [{ about: \(key), because: a letter }]\n"
            #expect(changes(edit.old, edit.new + note).count == 3)
        }
        #expect(changes(edit.old, edit.new + "notes: [{ about: id, because: a letter }]\n").count == 4)
        // Two kinds at one key.
        let rename = try #require(Self.breaking.first { $0.codes == ["B009", "B011", "B012"] }).versions()
        let note = "  - { about: api.base_url, because: a letter }\n"
        for (count, left) in [(1, 2), (2, 1)] {
            let noted = rename.new.replacing("\nnotes:\n", with: "\nnotes:\n" + String(repeating: note, count: count))
            #expect(try changes(rename.old, noted, "salesforce").count == left)
        }
    }

    @Test(
        "A pattern includes another",
        arguments: [
            ("[a-z]+", "[a-z][a-z]*"), ("^(b|a)$", "a|b"), ("a{1,3}b?", "a{2}"), (".+", "[b-z]+"), ("\\w*", "[0-9_]+"),
        ])
    func inclusion(_ wide: String, _ narrow: String) throws {
        let (wide, narrow) = (try ValuePattern(wide), try ValuePattern(narrow))
        #expect(wide.includes(narrow) == true && wide.includes(wide) == true)
        #expect(narrow.includes(wide) == (narrow.source == "[a-z][a-z]*" || narrow.source == "a|b"))
    }

    @Test("What was not decided about two patterns may be so")
    func patternsThatTakeTooLong() throws {
        let (old, new) = ("[ab]*a[ab]{60}", "[ab]*a[ab]{60}b?")
        #expect(try ValuePattern(new).includes(ValuePattern(old)) == nil)
        func versions(_ text: (String) -> String) -> [Diagnostic] {
            changes(Self.oauth(text(old)), Self.oauth(text(new)))
        }
        let example = "a" + String(repeating: "b", count: 60)
        let inputs = versions {
            "inputs: { t: { pattern: \"\($0)\", example: \(example) } }\nauthorization: { parameters: { t: \"{t}\" } }\n"
        }
        #expect(inputs.map(\.code) == ["B003"])
        #expect(inputs.first?.help?.hasPrefix("values that were right may be refused; ") == true)
        let kept = versions {
            "token: { response: { capture: { t: { from: /t, pattern: \"\($0)\", example: \(example) } } } }\n"
        }
        #expect(kept.map(\.code) == ["B011"])
        #expect(kept.first?.help?.hasPrefix("sign-ins may fail, ") == true)
    }

    private static func oauth(_ rest: String) -> String {
        """
        carnet: 1
        id: acme
        name: Acme
        endpoints:
          authorization: https://acme.example/a
          token: https://acme.example/t
          revocation: https://acme.example/r
        scopes: { default: [read] }

        """ + rest
    }

    @Test(
        "A header or parameter that is named like a key is what it is",
        arguments: [
            "error", "hosts", "jwt", "id_token", "margin", "method", "body", "headers", "parameters", "grant_type",
        ])
    func namesLikeKeys(_ name: String) {
        func text(_ list: String) -> String {
            Self.oauth(
                "api: { hosts: [api.acme.example], headers: \(list) }\nrevocation: { tokens: [refresh_token], parameters: \(list) }\n"
            )
        }
        for value in ["POST", "form", "x"] {
            let found = changes(text("{ \(name): \(value) }"), text("{}"))
            #expect(
                found.map(\.message) == [
                    "revocation.parameters.\(name) was \(value) and is nothing",
                    "api.headers.\(name) was \(value) and is nothing",
                ])
        }
    }

    @Test("A message has a text as it is, where an input could have it as its value")
    func valuesInMessages() {
        func text(_ value: String) -> String {
            Self.oauth(
                "inputs: { x: { enum: [e, f], example: e } }\nauthorization: { parameters: { x: \"{x}\" } }\nrefresh: { parameters: { a: \(value) } }\n"
            )
        }
        #expect(changes(text("b"), text("eee")).map(\.message) == ["refresh.parameters.a was b and is eee"])
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

    @Test("A file with errors counts as there, and an earlier one that cannot be compared is found")
    func aFileWithErrors() {
        let broken = Self.base.replacing("issuer:", with: "isuer:").replacing("base.example", with: "x.example")
        #expect(changes(["base.yaml": Self.base], ["base.yaml": broken]) == [])
        #expect(changes(["base.yaml": Self.base], ["base.yaml": "id: [\n"]) == [])
        let unknown = Self.base.replacing("tenant}", with: "tenat}")
        for old in [broken, "", "id: [\n", "carnet: 2\nid: base\nname: Base\n", unknown, Self.base + "extends: gone\n"]
        {
            #expect(changes(["base.yaml": old], ["base.yaml": Self.base]).map(\.code) == ["B013"], "\(old)")
            let noted = Self.base + "notes: [{ about: id, because: we compared the texts }]\n"
            #expect(changes(["base.yaml": old], ["base.yaml": noted]) == [], "\(old)")
        }
    }

    @Test("A credential of the earlier version is not printed")
    func aCredentialIsNotPrinted() {
        for (section, name) in [("refresh: { parameters", "api_key"), ("api: { headers", "X-Api-Key")] {
            func text(_ value: String) -> String { Self.base + "\(section): { \(name): '\(value)' } }\n" }
            let found = changes(["base.yaml": text("sk_live_4eC39HqLyjWDarjt")], ["base.yaml": text("{tenant}")])
            #expect(found.map(\.code) == ["B010"])
            #expect(found.allSatisfy { !$0.message.contains("4eC39") && $0.message.contains(name) }, "\(found)")
        }
    }

    @Test("A version is itself, also if only some words resolve it")
    func aVersionIsItself() {
        let base = Self.base.replacing("https://{tenant}", with: "https://x.example:{port}/{tenant}")
            .replacing("inputs: {", with: "inputs: { port: { example: '8443' },")
        #expect(base.contains("{port}") && base.contains("8443"), "\(base)")
        #expect(changes(["base.yaml": base], ["base.yaml": base]).map(\.summary) == [])
    }

    @Test("A comment cannot accept a change, and says what can")
    func aCommentCannot() {
        let text = "# carnet-lint-disable B002: a letter\n" + Self.base
        let found = Linter().lint(files: [SourceFile(path: "base.yaml", text: text)]).diagnostics
        #expect(found.map(\.code) == ["D021"])
        #expect(found.first?.help == "a new note about the key accepts a change")
    }
}
