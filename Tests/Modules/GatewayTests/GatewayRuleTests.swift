import CarnetDescriptors
import CarnetGateway
import CarnetLint
import Testing

/// The examples that a rule's page shows are its tests.
@Suite("Rules about gateway files")
struct GatewayRuleTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let rule: DiagnosticExplanation
        let text: String
        var testDescription: String { "\(rule.code): \(text.debugDescription)" }
    }

    static let rules = GatewayRuleCatalog.explanations
    static let bad = rules.flatMap { rule in rule.bad.map { Example(rule: rule, text: $0) } }
    static let good = rules.flatMap { rule in rule.good.map { Example(rule: rule, text: $0) } }

    private func lint(_ text: String, registry: ProviderRegistry? = nil) -> [Diagnostic] {
        let file = MarkedExample(completing: text).file(named: "gateway.yaml")
        return Linter(others: [GatewayFiles(registry: registry)]).lint(files: [file]).diagnostics
    }

    @Test("A bad example has exactly its findings", arguments: bad)
    func badExamples(example: Example) {
        let diagnostics = lint(example.text)
        let spans = MarkedExample(completing: example.text).spans
        #expect(diagnostics.map(\.code) == spans.map { _ in example.rule.code }, "\(diagnostics)")
        #expect(diagnostics.map(\.span) == spans, "\(diagnostics)")
        for diagnostic in diagnostics {
            #expect(diagnostic.severity == example.rule.severity)
            #expect(!diagnostic.message.hasSuffix(".") && !diagnostic.message.contains("\n"))
            #expect(diagnostic.help != nil)
        }
    }

    @Test("A good example has none", arguments: good)
    func goodExamples(example: Example) {
        #expect(lint(example.text) == [])
    }

    @Test("A comment with a reason silences a rule, unless the gateway cannot decide by the file", arguments: bad)
    func suppressions(example: Example) {
        let text = "# carnet-lint-disable \(example.rule.code): known to be so\n" + example.text
        let found = lint(text).map(\.code)
        let isDecisive = example.rule.code < "G010"
        #expect(found.contains(example.rule.code) == isDecisive, "\(found)")
    }

    @Test(
        "What is meant is named",
        arguments: [
            ("allow: everyone", "did you mean \"anyone\"?"),
            ("allow: ann@example.com", "write allow: { email: ann@example.com }"),
            ("allow: signed_in, methods: [PATHC]", "did you mean \"PATCH\"?"),
        ])
    func meantWords(_ keys: String, _ help: String) {
        let found = lint("gateway: 1\norigin: https://apps.example\nproviders: [acme]\nroutes: [{ \(keys) }]\n")
        #expect(found.contains { $0.help == help }, "\(found)")
    }

    @Test("A registered method has no finding", arguments: ["PATCH", "PROPFIND", "MKCALENDAR", "QUERY", "GET"])
    func registeredMethods(_ method: String) {
        let found = lint(
            "gateway: 1\norigin: https://apps.example\nproviders: [acme]\n"
                + "routes: [{ allow: signed_in, methods: [\(method)] }]\n")
        #expect(!found.contains { $0.code == "G027" }, "\(found)")
    }

    @Test("A file that is no gateway file has one finding, about gateway files")
    func otherFiles() {
        func found(_ text: String) -> [Diagnostic] {
            GatewayFile(SourceFile(path: "gateway.yaml", text: text)).diagnostics
        }
        let empty = found("")
        #expect(empty.count == 1 && empty.first?.help?.contains("'gateway: 1'") == true, "\(empty)")
        let descriptor = found("carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\nscopes: {}\n")
        #expect(descriptor.count == 1 && descriptor.first?.message.contains("descriptor") == true, "\(descriptor)")
        let variable = found(
            "gateway: 1\norigin: ${ORIGIN}\nproviders: [acme]\nroutes: [{ allow: signed_in }]\n")
        #expect(variable.first?.message.contains("a variable of another program") == true, "\(variable)")
    }

    @Test("Codes, names and examples")
    func catalog() {
        #expect(Set(Self.rules.map(\.code)).count == Self.rules.count)
        #expect(
            Set((Self.rules + DiagnosticCatalog.all).map(\.name)).count == Self.rules.count
                + DiagnosticCatalog.all.count)
        for rule in Self.rules {
            #expect(rule.code.wholeMatch(of: /G[0-9]{3}/) != nil)
            #expect(rule.name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil)
            #expect(rule.summary.hasSuffix(".") && !rule.rationale.isEmpty)
            // These need the known providers.
            guard !["G014", "G016", "G017", "G020", "G023", "G024", "G029"].contains(rule.code) else { continue }
            #expect(!rule.bad.isEmpty && !rule.good.isEmpty, "\(rule.code)")
            #expect(rule.bad.allSatisfy { !MarkedExample($0).spans.isEmpty }, "\(rule.code)")
        }
    }

    private static let tenants = """
        carnet: 1
        id: many
        name: Many
        inputs: { tenant: { default: common } }
        issuer: https://id.many.example/{tenant}
        issuer_match: { template: "https://id.many.example/{tid}"PATTERN }

        """

    @Test(
        "A statement of any tenant is refused, unless the tenant is fixed or named",
        arguments: [
            ("many", "", "{ group: ops }", true), ("{ id: many, inputs: { tenant: t1 } }", "", "{ group: ops }", false),
            ("{ id: many, inputs: { tenant: common } }", "", "{ group: ops }", true),
            ("{ id: many, inputs: { tenant: organizations } }", ", pattern: \"t[0-9]\"", "{ group: ops }", true),
            ("{ id: many, inputs: { tenant: t1 } }", ", pattern: \"t[0-9]\"", "{ group: ops }", false),
            ("many", "", "{ claim: { roles: Admin } }", true), ("many", "", "{ subject: a }", true),
            ("many", "", "{ email: boss@example.com }", true), ("many", "", "{ email_domain: example.com }", true),
            ("many", "", "{ group: ops, claim: { tid: t1 } }", false),
            ("many", "", "{ group: ops, claim: { /tid: t1 } }", false),
            ("many", "", "{ group: ops, claim: { other: t1 } }", true),
            ("many", "", "{ signed_in: the forum is for everybody }", false),
        ])
    func tenants(provider: String, pattern: String, allow: String, isRefused: Bool) {
        for file in ["many", "child"] {
            var registry = ProviderRegistry()
            registry.add([
                SourceFile(path: "many.yaml", text: Self.tenants.replacing("PATTERN", with: pattern)),
                SourceFile(path: "child.yaml", text: "carnet: 1\nid: child\nname: Child\nextends: many\n"),
            ])
            let id = provider.replacing("many", with: file)
            let text = "gateway: 1\norigin: https://apps.example\nproviders: [\(id)]\nroutes: [{ allow: \(allow) }]\n"
            let codes = lint(text, registry: registry).filter { $0.code != "G017" }.map(\.code)
            #expect(codes == (isRefused ? ["G024"] : []), "\(codes)")
            // No comment makes it a file to start with.
            let silenced = lint("# carnet-lint-disable G024: it is known\n" + text, registry: registry)
            #expect(silenced.contains { $0.code == "G024" } == isRefused)
        }
    }

    @Test("A route for every account is found where anyone can register, unless the file says why")
    func everybody() {
        for (accounts, allow, isFound) in [
            ("", "signed_in", true), ("accounts: anyone\n", "signed_in", true),
            ("accounts: members\n", "signed_in", false), ("", "{ provider: acme }", true),
            ("", "[{ email: anna@example.com }, { provider: acme }]", true),
            ("", "{ signed_in: the forum is for everybody }", false), ("", "{ email_domain: example.com }", false),
            ("", "anyone", false),
        ] {
            var registry = ProviderRegistry()
            registry.add([
                SourceFile(
                    path: "acme.yaml",
                    text: "carnet: 1\nid: acme\nname: Acme\n\(accounts)issuer: https://id.acme.example\n")
            ])
            let text = "gateway: 1\norigin: https://apps.example\nproviders: [acme]\nroutes: [{ allow: \(allow) }]\n"
            let codes = lint(text, registry: registry).map(\.code)
            #expect(codes == (isFound ? ["G023"] : []), "\(accounts) \(allow)")
        }
    }

    @Test("A provider that nobody knows is found, with the nearest")
    func unknownProvider() {
        var registry = ProviderRegistry()
        registry.add([
            SourceFile(
                path: "acme.yaml",
                text: "carnet: 1\nid: acme\nname: Acme\naccounts: members\nissuer: https://id.acme.example\n")
        ])
        let text =
            "gateway: 1\norigin: https://apps.example\nproviders:\n  - acme\n  - acne\nroutes: [{ allow: signed_in }]\n"
        let found = lint(text, registry: registry)
        #expect(found.map { "\($0.code) \($0.line) \($0.help ?? "")" } == ["G014 5 did you mean \"acme\"?"])
        #expect(
            lint(text.replacing("acne", with: "acme2").replacing("  - acme2\n", with: ""), registry: registry) == [])
    }

    @Test("A group that needs a scope which the file does not request is found")
    func claimWithoutScope() {
        var registry = ProviderRegistry()
        registry.add([
            SourceFile(
                path: "acme.yaml",
                text: """
                    carnet: 1
                    id: acme
                    name: Acme
                    issuer: https://id.acme.example
                    scopes: { default: [openid], catalog: [openid, teams, { id: all, implies: [teams] }] }
                    profile:
                      requests:
                        - { url: 'https://api.acme.example/teams', any_of: [teams, orgs], claims: { groups: { each: /slug } } }

                    """),
            SourceFile(
                path: "other.yaml", text: "carnet: 1\nid: other\nname: Other\nissuer: https://id.other.example\n"),
        ])
        func found(_ provider: String, _ allow: String) -> [String] {
            let text =
                "gateway: 1\norigin: https://apps.example\nproviders: [\(provider), other]\nroutes: [{ allow: \(allow) }]\n"
            return lint(text, registry: registry).map { "\($0.code) \($0.message); \($0.help ?? "")" }
        }
        let finding = [
            "G020 Acme reveals this only with the scope teams or orgs; add to the provider: scopes: [teams]"
        ]
        #expect(found("acme", "{ provider: acme, group: board }") == finding)
        #expect(found("acme", "{ provider: acme, claim: { groups: [board] } }") == finding)
        #expect(found("acme", "{ provider: acme, claim: { /groups/0: [board] } }") == finding)
        #expect(found("{ id: acme, scopes: orgs }", "{ provider: acme, group: board }") == [])
        #expect(found("{ id: acme, scopes: all }", "{ provider: acme, group: board }") == [])
        #expect(found("{ id: acme, groups: roles }", "{ provider: acme, group: board }") == [])
        #expect(found("acme", "{ provider: other, group: board }") == [])
        #expect(found("acme", "{ provider: acme, claim: { department: [it] } }") == [])
    }

    private static let registry = {
        var registry = ProviderRegistry()
        registry.add([
            SourceFile(
                path: "sso.yaml",
                text: """
                    carnet: 1
                    id: sso
                    name: SSO
                    inputs: { host: { type: hostname, example: id.example.com }, realm: {}, region: { default: eu } }
                    issuer: https://{host}/{realm}
                    samples: { userinfo: { sub: "1", email: ada@example.com, email_verified: true } }

                    """),
            SourceFile(
                path: "plain.yaml",
                text: """
                    carnet: 1
                    id: plain
                    name: Plain
                    issuer: https://id.plain.example
                    samples: { userinfo: { sub: "1", email: ada@example.com } }

                    """),
        ])
        return registry
    }()

    private func findings(_ providers: String, allow: String = "{ signed_in: the tests are open }") -> [String] {
        lint(
            "gateway: 1\norigin: https://apps.example\nproviders:\n\(providers)routes: [{ allow: \(allow) }]\n",
            registry: Self.registry
        ).map { "\($0.code) \($0.line) \($0.message)" }
    }

    @Test("Inputs that are missing, unknown or of another form are found together")
    func inputs() {
        let found = findings(
            "  - { id: sso, client_id: a, inputs: { host: \"http://id.acme.example\", realms: x } }\n")
        #expect(found.count == 3 && found.allSatisfy { $0.hasPrefix("G016 4 ") }, "\(found)")
        #expect(found.contains("G016 4 sso: the input realm has no value"))
        #expect(found.contains("G016 4 sso has no input \"realms\""))
        for host in ["id.acme.example", "\"https://id.acme.example/\""] {
            #expect(findings("  - { id: sso, client_id: a, inputs: { host: \(host), realm: x } }\n") == [])
        }
        // The registration, with its inputs, is elsewhere.
        #expect(findings("  - sso\n") == [])
        #expect(findings("  - { id: sso, client_id: a, environment: nowhere }\n").map { $0.prefix(6) } == ["G016 4"])
    }

    @Test("An address that no provider calls verified is no condition")
    func unverifiedEmail() {
        #expect(findings("  - plain\n", allow: "{ email_domain: example.com }").map { $0.prefix(4) } == ["G017"])
        #expect(
            findings("  - sso\n  - plain\n", allow: "{ provider: plain, email: ada@example.com }").map { $0.prefix(4) }
                == ["G017"])
        #expect(findings("  - sso\n  - plain\n", allow: "{ email_domain: example.com }") == [])
        #expect(
            findings(
                "  - { id: plain, trust_email: administrators choose them }\n", allow: "{ email_domain: example.com }")
                == [])
    }

    @Test("A group at a provider whose descriptor knows no groups is found, unless the file names their claim")
    func groupWithoutClaim() {
        #expect(
            findings("  - plain\n", allow: "{ group: ops }") == [
                "G029 5 the descriptor of Plain names no claim \"groups\""
            ])
        #expect(findings("  - { id: plain, groups: groups }\n", allow: "{ group: ops }") == [])
        #expect(findings("  - { id: plain, groups: /roles }\n", allow: "{ group: ops }") == [])
        // The issuer of this one is a tenant's, whose administrator decides.
        #expect(findings("  - sso\n  - plain\n", allow: "{ provider: sso, group: ops }") == [])
        // A scope, a request of the profile or the sample has them.
        for known in [
            "scopes: { default: [openid], catalog: [openid, groups] }\nsamples: { userinfo: { sub: \"1\" } }\n",
            "profile: { claims: { groups: /teams } }\nsamples: { userinfo: { sub: \"1\" } }\n",
            "samples: { userinfo: { sub: \"1\", groups: [] } }\n", "",
        ] {
            var registry = ProviderRegistry()
            registry.add([
                SourceFile(
                    path: "acme.yaml",
                    text: "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n\(known)")
            ])
            let text =
                "gateway: 1\norigin: https://apps.example\nproviders: [acme]\nroutes: [{ allow: { group: ops } }]\n"
            #expect(lint(text, registry: registry) == [], "\(known)")
        }
    }

    @Test("What a comment hides, and a star in an address, have help of their own")
    func misreadings() {
        for page in ["page: { color: #fff }\n", "page:\n  color: #fff\n"] {
            let text =
                "gateway: 1\norigin: https://apps.example\nproviders: [acme]\nroutes: [{ allow: signed_in }]\n" + page
            let found = GatewayFile(SourceFile(path: "gateway.yaml", text: text)).diagnostics
            let line = page.hasPrefix("page: {") ? 5 : 6
            #expect(found.contains { $0.line == line && $0.help?.contains("between quotes") ?? false }, "\(found)")
        }
        let star = lint(
            "gateway: 1\norigin: https://apps.example\nproviders: [acme]\nroutes: [{ allow: { email: \"*@acme.example\" } }]\n"
        )
        #expect(star.map(\.help) == ["write email_domain: acme.example"], "\(star)")
    }

    @Test("A safe fix is applied")
    func fixes() {
        let file = SourceFile(
            path: "gateway.yaml",
            text:
                "gateway: 1\norigin: https://apps.example\nproviders: [acme]\nroutes: [{ methods: [get, PUT], allow: signed_in }]\n"
        )
        let (fixed, count) = LintFixer.fix(file, with: Linter(others: [GatewayFiles(registry: nil)]))
        #expect(count == 1)
        #expect(String(decoding: fixed.bytes, as: UTF8.self).contains("methods: [GET, PUT]"))
    }
}
