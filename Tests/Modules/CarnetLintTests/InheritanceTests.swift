import CarnetDescriptors
import Testing

@testable import CarnetLint

/// Findings about descriptors that extend others.
@Suite("Inheritance")
struct InheritanceTests {
    private static let base = """
        carnet: 1
        id: base
        name: Base
        inputs: { tenant: { example: acme } }
        issuer: https://{tenant}.base.example
        scopes: { default: [openid, email] }
        token: { body: json }

        """

    private func lint(_ rest: String, base: String = Self.base) -> [Diagnostic] {
        let files = [
            SourceFile(path: "base.yaml", text: base),
            SourceFile(path: "child.yaml", text: "carnet: 1\nid: child\nname: Child\nextends: base\n\(rest)"),
        ]
        return Linter().lint(files: files).diagnostics
    }

    @Test("A child that only differs has no finding")
    func aChildThatOnlyDiffersHas() {
        #expect(lint("scopes: { default: [openid] }\n") == [])
    }

    @Test("What the parent has already is a useless override")
    func whatTheParentHasAlready() {
        let found = lint("token: { body: 'json' }\nscopes: { default: [openid, email], offline: [offline_access] }\n")
        #expect(
            found.map(\.message) == [
                #""token.body" repeats the inherited value"#, #""scopes.default" repeats the inherited value"#,
            ])
        #expect(found.map(\.code) == ["K110", "K110"])
        #expect(found.map(\.span.start) == [SourcePosition(line: 5, column: 10), SourcePosition(line: 6, column: 11)])
        #expect(found.first?.related.map(\.file) == ["base.yaml"])
        #expect(found.first?.related.first?.span.start == SourcePosition(line: 7, column: 10))
    }

    @Test("Deleting what is not there is a useless override")
    func deletingWhatIsNotThere() {
        #expect(lint("docs: null\n").map(\.message) == [#"there is no inherited "docs" to delete"#])
    }

    @Test("A useless override can be suppressed")
    func aUselessOverrideCanBeSuppressed() {
        #expect(lint("# carnet-lint-disable-next-line K110: theirs will change\ntoken: { body: json }\n") == [])
    }

    @Test("A note of the parent has the reason for what the child inherits, and not for what it has itself")
    func reasonOfTheParent() {
        let base =
            Self.base
            + "client: { authentication: [private_key_jwt], assertion: { lifetime: 3600 } }\n"
            + "notes: [{ about: client.assertion.lifetime, because: Their clocks are slow. }]\n"
        func codes(_ rest: String) -> [String] { lint(rest, base: base).map(\.code) }
        #expect(codes("") == [])
        #expect(codes("client: { assertion: { audience: token_endpoint } }\n") == [])
        #expect(codes("client: { assertion: { lifetime: 4000 } }\n") == ["C041"])
        // What has no effect needs no reason.
        #expect(codes("client: { authentication: [none], assertion: { lifetime: 4000 } }\n") == ["K106"])
    }

    @Test("A key of the parent has an effect if it has one in a child, which inherits it")
    func aKeyThatAChildUses() {
        let base =
            Self.base
            + "client: { authentication: [client_secret_post], basic_encoding: raw }\n"
            + "introspection: { encode: { client_assertion: raw } }\n"
        func codes(_ rest: String) -> [String] { lint(rest, base: base).map(\.code) }
        #expect(codes("docs: https://child.example\n") == ["K106", "K106"])
        #expect(codes("client: { authentication: [client_secret_basic] }\n") == ["K106"])
        #expect(codes("client: { authentication: [client_secret_basic, private_key_jwt] }\n") == [])
        #expect(codes("client: { authentication: [client_secret_basic], basic_encoding: null }\n") == ["K106", "K106"])
    }

    @Test("A parent that is closed or ends is a warning at extends, unless the child is open")
    func aParentThatIsClosed() {
        let closed = Self.base + "status: { closed: partners only, link: 'https://base.example/news' }\n"
        let found = lint("docs: https://child.example\n", base: closed)
        #expect(found.map(\.code) == ["M007"])
        #expect(found.map(\.message) == [#""base" is closed to new applications"#])
        #expect(found.map(\.file) == ["child.yaml"])
        #expect(found.map(\.span.start) == [SourcePosition(line: 4, column: 10)])
        let retiring = Self.base + "status: { retiring: '2027-01-31', because: they sold it }\n"
        #expect(lint("docs: https://child.example\n", base: retiring).map(\.message) == [#""base" ends on 2027-01-31"#])
        #expect(lint("status: open\n", base: closed) == [])
    }

    @Test("An input of the parent is declared")
    func anInputOfTheParent() {
        #expect(lint("endpoints: { token: 'https://{tenant}.base.example/token' }\n") == [])
    }

    @Test("What the child makes wrong in the parent is shown at extends")
    func whatTheChildMakesWrong() {
        let found = lint("issuer: https://id.child.example\n")
        #expect(found.map(\.code) == ["K102"])
        #expect(found.map(\.file) == ["child.yaml"])
        #expect(found.map(\.span.start) == [SourcePosition(line: 4, column: 10)])
        #expect(found.first?.related.map(\.file) == ["base.yaml"])
        #expect(found.first?.related.first?.span.start == SourcePosition(line: 4, column: 11))
    }

    @Test("What is wrong in the parent is reported there alone")
    func whatIsWrongInTheParent() {
        let found = lint("docs: https://child.example\n", base: Self.base + "api: { scheme: 'a b' }\n")
        #expect(found.map(\.code) == ["T009"])
        #expect(found.map(\.file) == ["base.yaml"])
    }

    @Test("A parent may be known without being read")
    func aParentMayBeKnownWithout() {
        var known = ProviderRegistry()
        known.add([SourceFile(path: "base.yaml", text: Self.base + "docs: x\n")], origin: .builtIn)
        let text = "carnet: 1\nid: base\nname: Child\nextends: base\n"
        let child = SourceFile(path: "base.yaml", text: text)
        known.add([SourceFile(path: "./base.yaml", text: text)], origin: .folder("."))
        #expect(Linter(known: known).lint(files: [child]).diagnostics == [])
        #expect(Linter().lint(files: [child]).diagnostics.map(\.code) == ["K020"])
    }

    @Test("Of two parents with one id, the one in the folder of the child counts")
    func aParentInTheSameFolder() {
        let other = Self.base.replacing("token: { body: json }\n", with: "")
        let child = "carnet: 1\nid: child\nname: Child\nextends: base\ntoken: { body: json }\n"
        let files = ["a": Self.base, "b": other].sorted { $0.key < $1.key }.flatMap { folder, base in
            [
                SourceFile(path: "\(folder)/base.yaml", text: base),
                SourceFile(path: "\(folder)/child.yaml", text: child),
            ]
        }
        let found = Linter().lint(files: files).diagnostics.filter { $0.code == "K110" }
        #expect(found.map(\.file) == ["a/child.yaml"])
    }

    // MARK: Environments

    @Test("An environment is validated with all that it inherits")
    func anEnvironmentIsValidatedWithAll() {
        let found = lint("environments: { sandbox: { issuer: 'http://{tennant}.sandbox.example' } }\n")
        #expect(found.map(\.code) == ["E001", "K101"])
        #expect(found.allSatisfy { $0.file == "child.yaml" && $0.span.start.line == 5 })
    }

    @Test("Advice about samples is given where a sample is the reason")
    func adviceAboutSamples() {
        let found = lint("environments: { sandbox: { discovery: none } }\n")
        #expect(found.map(\.code) == ["E008", "S007"])
        #expect(found.allSatisfy { $0.help?.contains("samples") == false })
    }

    @Test("An input that only an environment uses is used")
    func anInputThatOnlyAnEnvironment() {
        let base = Self.base.replacing("https://{tenant}.base", with: "https://id.base")
        let environment = "environments: { sandbox: { issuer: 'https://{tenant}.sandbox.example' } }\n"
        #expect(lint("", base: base + environment) == [])
    }

    @Test(
        "A note about a key of an environment silences the finding there, and the finding names the key",
        arguments: [
            ("client.assertion.lifetime", "client: { assertion: { lifetime: 3600 } }"),
            ("redirects", "redirects: ['http://localhost/{path}']"),
            (
                "endpoints.revocation",
                "endpoints: { revocation: 'https://t.acme.example', token: 'https://t.acme.example' }"
            ),
        ])
    func noteAboutAnEnvironment(key: String, section: String) {
        func found(_ notes: String = "") -> [Diagnostic] {
            let head = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"
            let client = "client: { authentication: [private_key_jwt] }\n"
            let text = head + client + "environments: { test: { \(section) } }\n" + notes
            return Linter().lint(files: [SourceFile(path: "acme.yaml", text: text)]).diagnostics
        }
        let about = "environments.test.\(key)"
        #expect(found().count == 1 && found().allSatisfy { $0.help?.contains(about) == true }, "\(found())")
        #expect(found("notes: [{ about: \(about), because: Their page says so. }]\n") == [])
    }
}
