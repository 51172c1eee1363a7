// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetFoundation
import CarnetGateway
import HTTPTypes
import Testing

/// Everything of a host is open to anyone, except what administrators alone may see: whatever leads there by another way is
/// refused.
@Suite("GW: decisions of the gateway")
struct GatewayAttackTests {
    private static let text = """
        gateway: 1
        origin: https://apps.example
        providers: [acme, { id: globex, trust_email: the administrators set all addresses }]
        bearer: [acme]
        routes:
          - { title: open, path: /**, allow: anyone }
          - { title: admin, path: /admin/**, methods: [GET, POST], allow: { provider: acme, group: ops } }
          - { title: wiki, host: wiki.apps.example, allow: { email_domain: example.com } }
          - { title: anna, path: /anna, allow: { email: anna@example.com } }
          - { title: subject, path: /subject, allow: { provider: acme, subject: a-1 } }
          - { title: claim, path: /claim, allow: { provider: acme, claim: { department: it } } }
          - { title: api, path: /api, bearer: true, allow: { provider: acme, scope: write } }
          - { title: people, path: /people, allow: signed_in }
        headers: { X-Auth-User: "{account.subject}", X-Auth-Name: "{account.name}", X-Auth-Groups: "{account.groups}" }

        """

    private static func gateway(_ text: String = text) throws -> Gateway {
        let file = GatewayFile(SourceFile(path: "gateway.yaml", text: text))
        #expect(file.diagnostics.isEmpty, "\(file.diagnostics.map(\.description))")
        return try Gateway(file)
    }

    private static func person(
        _ provider: ProviderID = "acme", subject: String = "a-1", email: String? = nil, verified: Bool? = nil,
        scopes: Set<String> = [], claims: JSONValue = [:]
    ) -> GatewayIdentity {
        GatewayIdentity(
            kind: .person, provider: provider, subject: subject, email: email, isEmailVerified: verified,
            scopes: scopes, claims: claims.object ?? JSONObject())
    }

    private static let admin = person(claims: ["groups": ["ops"]])

    private func decide(
        _ target: String, as sender: GatewayIdentity? = nil, method: String = "GET", host: String = "apps.example"
    ) throws -> GatewayDecision {
        try Self.gateway().decide(
            try ForwardedRequest(method: method, scheme: "https", host: host, target: target), as: sender)
    }

    /// Refused for everybody, or decided about as what it is.
    private func refuse(_ targets: [String]) throws {
        #expect(try decide("/public").isAllowed)
        #expect(try decide("/admin/x", as: Self.admin).isAllowed)
        for target in targets {
            let decision = try decide(target)
            #expect(!decision.isAllowed, "\(target) is allowed by \(decision.place ?? "")")
        }
    }

    private static let headers = [
        ("X-Forwarded-Method", "GET"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "apps.example"),
        ("X-Forwarded-Uri", "/admin/x"),
    ]

    /// What the gateway decides about a request to its decision endpoint.
    private func ask(
        _ fields: [(String, String)], from peer: String = "127.0.0.1", proxy: String = "", secret: Secret? = nil
    ) throws -> Result<GatewayDecision, ForwardingProblem> {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:4180", path: "/public")
        for (name, value) in fields {
            let name = try #require(HTTPField.Name(name))
            request.headerFields.append(HTTPField(name: name, value: value))
        }
        let gateway = try Self.gateway(Self.text + proxy)
        do throws(ForwardingProblem) {
            let forwarded = try ForwardedRequest(
                request, from: IPAddress(numericHost: peer), by: gateway.rules.proxy, secret: secret)
            return .success(gateway.decide(forwarded, as: nil))
        } catch {
            return .failure(error)
        }
    }

    private func expectRefused(
        _ fields: [(String, String)], from peer: String = "127.0.0.1", proxy: String = "", secret: Secret? = nil
    ) throws {
        switch try ask(fields, from: peer, proxy: proxy, secret: secret) {
        case .success(let decision): #expect(!decision.isAllowed, "\(fields)")
        case .failure(let problem): #expect(!problem.reason.isEmpty)
        }
    }

    @Test("GW-01: Empty and dot segments, encoded separators")
    func GW_01_segmentsAndSeparators() throws {
        try refuse([
            "//admin/x", "/admin//x", "/./admin", "/x/../admin", "/public/../admin/x", "/%2e%2e/admin", "/.%2e/admin",
            "/x/..;/admin", "/public/..%2fadmin", "/public%2f..%2fadmin", "/%2Fadmin", "/admin%2Fx", "/..%5cadmin",
            "/public\\..\\admin", "/admin%00", "/admin%00.png", "/admin%0d%0a", "/%252e%252e/admin", "/%c0%afadmin",
            "/admin", "/admin/", "/admin/x", "/public/%2E%2E/admin",
        ])
    }

    @Test("GW-02: Encoded letters, parameters and case")
    func GW_02_lettersParametersAndCase() throws {
        try refuse([
            "/%61dmin/x", "/adm%69n", "/admin;x=1", "/admin;/x", "/;/admin", "/admin%3Bx", "/ADMIN", "/Admin/x",
            "/aDMIN", "/admin.", "/admin./x", "/admin%20", "/admin ", "/admin\t", "/admin%2561",
        ])
    }

    @Test("GW-03: A number sign")
    func GW_03_numberSign() throws {
        try refuse([
            "/admin#/public", "/admin/x#", "/#/admin", "/admin%23/../public", "/public#/../admin", "/admin/#/bar",
        ])
    }

    @Test("GW-04: A query that looks like an open path")
    func GW_04_query() throws {
        try refuse(["/admin?/public", "/admin/x?/public/**", "/admin/?a=/health", "/admin?%2Fpublic"])
        #expect(try decide("/public?/admin").isAllowed)
    }

    @Test("GW-05: Targets that are no paths")
    func GW_05_targets() throws {
        for target in [
            "*", "admin", "?/public", "http://apps.example/public", "https://evil.example/public", "evil.example:443",
            "/" + String(repeating: "a", count: 9_000), String(repeating: "/a", count: 200), "\\admin",
        ] {
            #expect(try decide(target, as: Self.admin).outcome == .malformed, "\(target)")
        }
        // Cut, not parsed: what another reader takes for the host of the URL is not one.
        let original = "proxy: { dialect: original }\n"
        for url in [
            "https://wiki.apps.example@apps.example/public", "https://apps.example#/public",
            "https://apps.example?/public",
            "https:/apps.example/public", "//apps.example/public", "/public", "https://apps.example\\/public",
        ] {
            try expectRefused([("X-Original-Method", "GET"), ("X-Original-URL", url)], proxy: original)
        }
    }

    @Test("GW-06: Methods")
    func GW_06_methods() throws {
        for name in ["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"] {
            let open = Self.headers.map { $0.0 == "X-Forwarded-Uri" ? ($0.0, "/public") : $0 }
            guard case .failure(.methodOverride) = try ask(open + [(name, "DELETE")]) else {
                Issue.record("\(name) is ignored")
                continue
            }
        }
        for method in ["DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "POSTX"] {
            #expect(try decide("/admin/x", as: Self.admin, method: method).outcome == .noRoute, "\(method)")
        }
        for method in ["get", "Post", "dELETE", "", "GET /public", "GE\rT", "G\u{0}T", "GET,POST", "GÉT"] {
            #expect(throws: ForwardingProblem.self) { try decide("/admin", method: method) }
        }
    }

    @Test("GW-07: Spellings of a host")
    func GW_07_spellingsOfAHost() throws {
        for host in [
            "WIKI.apps.example", "wiki.apps.example.", "wiki.apps.example:443", "wiki.apps.example:8080",
            "Wiki.Apps.Example.:1", "wiki.apps.example..",
        ] {
            #expect(try decide("/public", host: host).outcome == .signIn, "\(host)")
        }
    }

    @Test("GW-08: Unknown hosts")
    func GW_08_unknownHosts() throws {
        for host in [
            "evil.example", "apps.example.evil.example", "xapps.example", "example", "127.0.0.1", "[::1]", "localhost",
            "a.wiki.apps.example",
        ] {
            #expect(try decide("/public", host: host).outcome == .noRoute, "\(host)")
        }
        for host in [
            "", " ", "apps.example/", "apps.example@evil.example", "apps.example:80@evil.example", "apps.example\\evil",
            "apps.example#", "apps.example?", "apps.example evil", "apps.example,evil.example", "apps.example:",
            "apps.example:99999999", "\u{FF41}pps.example", "apps%2eexample", "[apps.example]", "[::1", "::1",
        ] where !["apps.example:"].contains(host) {
            #expect(throws: ForwardingProblem.self, "\(host)") { try decide("/public", host: host) }
        }
    }

    @Test("GW-09: A client that describes its request")
    func GW_09_untrustedPeers() throws {
        let open = Self.headers.map { $0.0 == "X-Forwarded-Uri" ? ($0.0, "/public") : $0 }
        guard case .success(let decision) = try ask(open), decision.isAllowed else {
            Issue.record("the proxy is refused")
            return
        }
        // By default, and with addresses: never the whole Internet.
        for peer in ["192.0.2.1", "10.0.0.9", "2001:db8::1", "::ffff:192.0.2.1"] {
            try expectRefused(open, from: peer)
            try expectRefused(
                open, from: peer,
                proxy: "proxy: { trusted: [10.0.0.1, \"2001:db8::/64\", 192.0.2.0/32] }\n"
                    .replacing("2001:db8::/64", with: "2001:db8:1::/64"))
        }
        // A client behind the proxy: its path is not that of the request to the gateway.
        try expectRefused(Self.headers)
        try expectRefused([])
    }

    @Test("GW-10: Repeated and joined headers")
    func GW_10_repeatedHeaders() throws {
        for (name, open) in [
            ("X-Forwarded-Uri", "/public"), ("X-Forwarded-Host", "apps.example"), ("X-Forwarded-Method", "GET"),
            ("X-Forwarded-Proto", "https"),
        ] {
            try expectRefused([(name, open)] + Self.headers)
            try expectRefused(Self.headers + [(name.lowercased(), open)])
        }
        let open = Self.headers.map { $0.0 == "X-Forwarded-Uri" ? ($0.0, "/public") : $0 }
        for (name, joined) in [
            ("X-Forwarded-Host", "apps.example, wiki.apps.example"), ("X-Forwarded-Method", "GET, DELETE"),
            ("X-Forwarded-Proto", "https,http"),
        ] {
            try expectRefused(open.map { $0.0 == name ? (name, joined) : $0 })
        }
        try expectRefused(Self.headers.map { $0.0 == "X-Forwarded-Uri" ? ($0.0, "/public, /admin/x") : $0 })
    }

    @Test("GW-11: Other headers, and underscores")
    func GW_11_otherHeaders() throws {
        for name in [
            "X-Original-URL", "X-Original-URI", "X-Rewrite-URL", "X-Forwarded-Path", "X-Forwarded-Prefix",
            "X_Forwarded_Uri", "X-Forwarded_Uri", "X-Forwarded-Url", "Forwarded", "X-Forwarded-Port", "X-Auth-User",
            "X-Gateway-Secret",
        ] {
            try expectRefused(Self.headers + [(name, "/public")])
            try expectRefused(Self.headers.dropLast() + [(name, "/public")])
        }
        let original = "proxy: { dialect: original }\n"
        try expectRefused(Self.headers.map { $0.0 == "X-Forwarded-Uri" ? ($0.0, "/public") : $0 }, proxy: original)
    }

    @Test("GW-12: Names of health checks")
    func GW_12_healthChecks() throws {
        for agent in ["GoogleHC/1.0", "ELB-HealthChecker/2.0", "kube-probe/1.30", "Consul Health Check", "ping"] {
            try expectRefused(Self.headers + [("User-Agent", agent)])
        }
    }

    @Test("GW-13: The secret of the proxy")
    func GW_13_secretOfTheProxy() throws {
        let open = Self.headers.map { $0.0 == "X-Forwarded-Uri" ? ($0.0, "/public") : $0 }
        let proxy = "proxy: { secret_env: PROXY_SECRET }\n"
        let secret = Secret("0123456789abcdef")
        guard
            case .success(let decision) = try ask(
                open + [("X-Gateway-Secret", "0123456789abcdef")], from: "192.0.2.1", proxy: proxy, secret: secret),
            decision.isAllowed
        else {
            Issue.record("the proxy is refused")
            return
        }
        for wrong in ["", "0", "0123456789abcdeF", "0123456789abcdef0", "0123456789abcdef,0123456789abcdef"] {
            try expectRefused(open + [("X-Gateway-Secret", wrong)], proxy: proxy, secret: secret)
        }
        try expectRefused(open, proxy: proxy, secret: secret)
        let twice = [("X-Gateway-Secret", "0123456789abcdef"), ("X-Gateway-Secret", "0123456789abcdef")]
        try expectRefused(open + twice, proxy: proxy, secret: secret)
    }

    @Test("GW-14: Accounts of another provider")
    func GW_14_otherProviders() throws {
        let twin = Self.person(
            "globex", scopes: ["write"], claims: ["groups": ["ops"], "department": "it", "provider": "acme"])
        for path in ["/admin", "/subject", "/claim", "/api"] {
            #expect(try decide(path, as: twin).outcome == .forbidden, "\(path)")
        }
        for condition in ["group: ops", "subject: a-1", "claim: { department: it }"] {
            let text = Self.text.replacing("provider: acme, group: ops", with: condition)
            #expect(GatewayFile(SourceFile(path: "gateway.yaml", text: text)).rules == nil, "\(condition)")
        }
    }

    @Test("GW-15: Addresses that are not verified")
    func GW_15_addressesThatAreNotVerified() throws {
        let (email, claims) = ("anna@example.com", ["email": "anna@example.com", "email_verified": true] as JSONValue)
        #expect(try decide("/anna", as: Self.person(email: email, verified: true)).isAllowed)
        for sender in [
            Self.person(email: email), Self.person(email: email, verified: false), Self.person(claims: claims),
            Self.person(email: "eve@evil.example", verified: true, claims: claims),
            Self.person("globex", email: email, verified: false),
        ] {
            #expect(try decide("/anna", as: sender).outcome == .forbidden)
            #expect(try decide("/x", as: sender, host: "wiki.apps.example").outcome == .forbidden)
        }
        #expect(try decide("/anna", as: Self.person("globex", email: email)).isAllowed)
    }

    @Test("GW-16: Domains that are only similar")
    func GW_16_domainsThatAreOnlySimilar() throws {
        for email in [
            "eve@evil.example@example.com", "eve@example.com@evil.example", "\"eve@evil.example\"@example.com",
            "eve@sub.example.com", "eve@xexample.com", "eve@example.com.evil.example", "eve@example.com.",
            "eve@evil.example,x@example.com", "eve@evil.example x@example.com", "eve@evil.example\n@example.com",
            "eve@evil.example\u{0}@example.com", "example.com", "@example.com", "eve@", "eve@ex\u{00E4}mple.com",
            "eve@e\u{0445}ample.com", "eve@example.com ", "<eve@example.com>", "eve(@example.com)@evil.example",
            "eve@[example.com]", "eve@example.com%00", "eve@evil.example;@example.com", "..@example.com",
            ".eve@example.com", "eve.@example.com", "a..b@example.com", "eve%40evil.example@example.com",
            "eve%evil.example@example.com", "evil.example!eve@example.com",
        ] {
            let sender = Self.person(email: email, verified: true)
            #expect(try decide("/x", as: sender, host: "wiki.apps.example").outcome == .forbidden, "\(email)")
        }
        for email in [
            "Anna@example.com", "anna@example.com ", "anna+x@example.com", "a.nna@example.com",
            "\u{0430}nna@example.com",
        ] {
            #expect(
                try decide("/anna", as: Self.person(email: email, verified: true)).outcome == .forbidden, "\(email)")
        }
    }

    @Test("GW-17: Groups, claims and subjects that are only similar")
    func GW_17_valuesThatAreOnlySimilar() throws {
        for value in [
            "Ops", "ops ", " ops", "op", "opss", "ops,dev", "dev ops", "ops\u{0}", "o\u{200B}ps", ["OPS"], [["ops"]],
            ["ops": true], "[\"ops\"]", true, .null, 0,
        ] as [JSONValue] {
            #expect(try decide("/admin", as: Self.person(claims: ["groups": value])).outcome == .forbidden, "\(value)")
        }
        for value in ["IT", "it ", "it,hr", ["it": 1], [["it"]]] as [JSONValue] {
            #expect(
                try decide("/claim", as: Self.person(claims: ["department": value])).outcome == .forbidden, "\(value)")
        }
        for subject in ["A-1", "a-1 ", "a-10", "a-1\u{0}", ""] {
            #expect(try decide("/subject", as: Self.person(subject: subject)).outcome == .forbidden, "\(subject)")
        }
        // Canonically equivalent, and other bytes.
        let text = Self.text.replacing("group: ops", with: "group: caf\u{00E9}")
        let request = try ForwardedRequest(method: "GET", scheme: "https", host: "apps.example", target: "/admin")
        let gateway = try Self.gateway(text)
        #expect(gateway.decide(request, as: Self.person(claims: ["groups": "caf\u{00E9}"])).isAllowed)
        #expect(!gateway.decide(request, as: Self.person(claims: ["groups": "cafe\u{0301}"])).isAllowed)
    }

    @Test("GW-18: Sessions of a provider that is gone")
    func GW_18_providersThatAreGone() throws {
        let sender = Self.person(
            "umbrella", email: "anna@example.com", verified: true, scopes: ["write"],
            claims: ["groups": ["ops"], "department": "it"])
        for path in ["/admin", "/anna", "/subject", "/claim", "/api", "/people"] {
            let decision = try decide(path, as: sender)
            #expect(decision.outcome == .signIn && decision.headers.isEmpty, "\(path)")
        }
        let open = try decide("/public", as: sender)
        #expect(open.isAllowed && open.headers.isEmpty && open.identity == nil)
    }

    @Test("GW-19: Tokens where none is taken")
    func GW_19_tokensWhereNoneIsTaken() throws {
        func program(_ provider: ProviderID) -> GatewayIdentity {
            GatewayIdentity(
                kind: .program, provider: provider, subject: "a-1", clientID: "x", scopes: ["write"],
                claims: (["groups": ["ops"], "department": "it"] as JSONValue).object ?? JSONObject())
        }
        #expect(try decide("/api", as: program("acme")).isAllowed)
        for path in ["/admin", "/subject", "/claim", "/people", "/anna"] {
            #expect(try decide(path, as: program("acme")).outcome == .forbidden, "\(path)")
        }
        for provider in ["globex", "umbrella"] as [ProviderID] {
            #expect(try decide("/api", as: program(provider)).outcome == .signIn)
        }
        #expect(try decide("/public", as: program("acme")).headers.isEmpty)
    }

    @Test("GW-20: Values that forge headers")
    func GW_20_valuesThatForgeHeaders() throws {
        for value in ["a\r\nX-Auth-Groups: ops", "a\nb", "a\u{0}b", "a\u{7F}b", " a", "a ", ""] {
            var sender = Self.person(subject: value, claims: ["groups": ["x,ops", "y\r\nZ: 1", "dev"]])
            sender.name = value
            let decision = try decide("/people", as: sender)
            let headers = decision.headers.map { "\($0.name.rawName): \($0.value)" }
            #expect(headers == ["X-Auth-Groups: dev"], "\(value.debugDescription)")
            #expect(decision.absentHeaders.map(\.rawName) == ["X-Auth-User", "X-Auth-Name"])
        }
    }

    @Test("GW-21: Headers that a program reads as another")
    func GW_21_headersOfTheFile() {
        for name in [
            "X_Auth_User", "X-Auth_User", "Host", "Cookie", "Set-Cookie", "Connection", "Content-Length",
            "Transfer-Encoding", "Authorization", "X-Forwarded-For", "X-Forwarded-Host", "X-Original-URL", "Forwarded",
            "x-auth-name", "X-Gateway-Secret", "X Auth", "X:Auth", "X.Auth", "Sec-Fetch-Site", "Upgrade", "Location",
            "Carnet-Decision", "dpop-nonce",
        ] {
            let text = Self.text.replacing("X-Auth-User:", with: "\"\(name)\":")
            #expect(GatewayFile(SourceFile(path: "gateway.yaml", text: text)).rules == nil, "\(name)")
        }
    }

    @Test("GW-22: Mistakes that would open a route")
    func GW_22_mistakesThatWouldOpenARoute() {
        let condition = "{ provider: acme, group: ops }"
        for mistake in [
            "{}", "[]", "{ provider: acme, grup: ops }", "{ group: [] }", "{ provider: acme, group: }",
            "{ provider: acme, group: '' }", "[{}]", "[{ provider: acme, group: ops }, {}]", "true", "", "[anyone]",
            "null",
            "{ email_domain: [] }", "{ all_of: [] }", "{ provider: [] }", "[[]]", "Anyone", "{ anyone: true }",
            "{ claim: {} }", "{ email_domain: '*' }",
        ] {
            let text = Self.text.replacing(condition, with: mistake)
            #expect(text != Self.text)
            #expect(GatewayFile(SourceFile(path: "gateway.yaml", text: text)).rules == nil, "\(mistake)")
        }
        // No value of the claim is enough.
        let text = Self.text.replacing("{ department: it }", with: "{ department: [] }")
        if let gateway = try? Gateway(GatewayFile(SourceFile(path: "gateway.yaml", text: text))),
            let request = try? ForwardedRequest(method: "GET", scheme: "https", host: "apps.example", target: "/claim")
        {
            #expect(!gateway.decide(request, as: Self.person(claims: ["department": ""])).isAllowed)
            #expect(!gateway.decide(request, as: Self.person()).isAllowed)
        }
    }

    @Test("GW-23: General routes")
    func GW_23_generalRoutes() throws {
        let lines = Self.text.split(separator: "\n").map(String.init)
        let routes = lines.filter { $0.hasPrefix("  - ") }
        let others = lines.filter { !$0.hasPrefix("  - ") }
        let start = try #require(others.firstIndex(of: "routes:"))
        for order in [routes, routes.reversed(), Array(routes.dropFirst()) + routes.prefix(1)] {
            let text = (others[...start] + order + others[(start + 1)...]).joined(separator: "\n") + "\n"
            let gateway = try Self.gateway(text)
            for (method, target) in [
                ("GET", "/admin"), ("POST", "/admin/x/y"), ("DELETE", "/admin"), ("HEAD", "/admin/x"),
            ] {
                let request = try ForwardedRequest(
                    method: method, scheme: "https", host: "apps.example", target: target)
                #expect(!gateway.decide(request, as: nil).isAllowed, "\(method) \(target)")
                #expect(!gateway.decide(request, as: Self.person()).isAllowed, "\(method) \(target)")
            }
        }
    }

    /// Bob may open everything of the wiki but /admin, which is for Alice; he may open another host too.
    private func bob(
        _ method: String, _ target: String, _ fields: [(String, String)] = [], as subject: String? = "bob",
        reading methods: String = ", methods: GET"
    ) throws -> GatewayDecision {
        let gateway = try Self.gateway(
            """
            gateway: 1
            origin: https://apps.example
            providers: [acme]
            routes:
              - { host: wiki.apps.example, path: /**, allow: { provider: acme, subject: [alice, bob] } }
              - { host: wiki.apps.example, path: /admin/**, allow: { provider: acme, subject: alice } }
              - { host: wiki.apps.example, path: /mine/deep/secret, allow: { provider: acme, subject: alice } }
              - { host: wiki.apps.example, path: /read/**\(methods), allow: signed_in }
              - { host: files.apps.example, allow: { provider: acme, subject: bob } }
              - { host: other.apps.example, allow: { provider: acme, subject: alice } }

            """)
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let host = target.hasPrefix("/files") ? "files.apps.example" : "wiki.apps.example"
        return gateway.decide(
            try ForwardedRequest(method: method, scheme: "https", host: host, target: target, fields: headers),
            as: subject.map { Self.person(subject: $0) })
    }

    @Test("GW-25: Destination")
    func GW_25_destination() throws {
        for method in ["COPY", "MOVE"] {
            for destination in [
                "https://wiki.apps.example/mine/b", "/mine/b", "https://WIKI.apps.example:8443/x?y",
            ] {
                let field = ("Destination", destination)
                #expect(try bob(method, "/mine/a", [field]).isAllowed, "\(destination)")
                #expect(try !bob(method, "/mine/a", [field], as: nil).isAllowed)
                #expect(try !bob(method, "/admin/a", [field]).isAllowed)
            }
            for destination in [
                "https://wiki.apps.example/admin/x", "/admin/x", "/admin", "/", "/mine", "/mine/deep", "/read/x",
                "/ADMIN/x",
                "/mine/../admin/x", "//admin/x", "/%61dmin/x", "/adm%C4%B1n/x", "https://wiki.apps.example",
                "https://files.apps.example/a", "https://files.apps.example/admin/x", "https://other.apps.example/x",
                "https://evil.example/x", "https://x@wiki.apps.example/mine/b",
                "https:///admin/x", "admin/x", "", "/mine/b#", "//wiki.apps.example/mine/b",
            ] {
                #expect(try !bob(method, "/mine/a", [("Destination", destination)]).isAllowed, "\(destination)")
            }
            // All below a path goes with it.
            for target in ["/", "/mine", "/mine/deep", "/mine/deep/"] {
                #expect(try !bob(method, target, [("Destination", "/b")]).isAllowed, "\(target)")
            }
            #expect(try !bob(method, "/mine/a", []).isAllowed)
            let both = [("Destination", "/mine/b"), ("Destination", "/admin/b")]
            #expect(try !bob(method, "/mine/a", both).isAllowed)
            let admin = try bob(method, "/mine/a", [("Destination", "/admin/x")], as: "alice")
            #expect(admin.isAllowed)
        }
        // Elsewhere the header means nothing.
        #expect(try bob("PUT", "/mine/a", [("Destination", "/admin/x")]).isAllowed)
    }

    @Test("GW-26: Hidden second targets")
    func GW_26_hiddenSecondTargets() throws {
        for method in ["REPORT", "SEARCH", "BIND", "REBIND", "MERGE", "LINK", "UPDATEREDIRECTREF"] {
            #expect(try !bob(method, "/mine/a").isAllowed, "\(method)")
            #expect(try bob(method, "/mine/a", as: "alice", reading: "").isAllowed, "\(method)")
            #expect(try !bob(method, "/mine/a", as: "alice").isAllowed, "\(method): it may write to /read")
            #expect(try bob(method, "/files/a").isAllowed, "\(method)")
        }
        for name in ["X-Copy-From", "x-amz-copy-source", "X-Ms-Rename-Source"] {
            #expect(try !bob("PUT", "/mine/a", [(name, "/admin/x")]).isAllowed, "\(name)")
            #expect(try !bob("COPY", "/mine/a", [(name, "/admin/x"), ("Destination", "/mine/b")]).isAllowed)
            #expect(try bob("PUT", "/files/a", [(name, "/admin/x")]).isAllowed)
        }
        // Nobody knows what another method does.
        for method in ["BCOPY", "BDELETE", "BMOVE", "BPROPFIND", "SUBSCRIBE", "FOO"] {
            #expect(try !bob(method, "/mine/a").isAllowed, "\(method)")
            #expect(try bob(method, "/mine/a", as: "alice", reading: "").isAllowed, "\(method)")
            #expect(try bob(method, "/files/a").isAllowed, "\(method)")
        }
    }

    @Test("GW-42: Methods that act on all below a path")
    func GW_42_allBelowAPath() throws {
        for method in ["DELETE", "PROPFIND", "LOCK", "UNLOCK", "ACL"] {
            for target in ["/", "/mine", "/mine/", "/mine/deep", "/admin", "/admin/x"] {
                #expect(try !bob(method, target).isAllowed, "\(method) \(target)")
                #expect(try bob(method, target, as: "alice", reading: "").isAllowed, "\(method) \(target)")
            }
            #expect(try !bob(method, "/", as: "alice").isAllowed, "\(method) / has an effect on /read")
            for target in ["/mine/a", "/mine/deep/other", "/files", "/files/a"] {
                #expect(try bob(method, target).isAllowed, "\(method) \(target)")
                #expect(try !bob(method, target, as: nil).isAllowed)
            }
        }
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "OPTIONS", "MKCOL", "PROPPATCH"] {
            #expect(try bob(method, "/mine").isAllowed, "\(method)")
        }
        // A route for the path alone, and one above it for all below.
        let gateway = try Self.gateway(
            """
            gateway: 1
            origin: https://apps.example
            providers: [acme]
            routes:
              - { path: /, allow: anyone }
              - { path: /**, allow: { provider: acme, subject: alice } }
              - { path: /open, allow: anyone }
              - { path: /open/**, allow: anyone }
              - { path: "/open/{id}/x", allow: anyone }
              - { path: /api/**, methods: GET, allow: anyone }
              - { path: /api/**, methods: DELETE, allow: { provider: acme, subject: bob } }
              - { path: /api/**, methods: PUT, allow: { provider: acme, subject: alice } }
              - { path: "/api/{id}/log", methods: GET, allow: { provider: acme, subject: alice } }
              - { path: "/api/{id}/log/text", methods: GET, allow: anyone }

            """)
        for (method, target, subject, isAllowed) in [
            ("GET", "/", nil, true), ("DELETE", "/", nil, false), ("PROPFIND", "/", nil, false),
            ("DELETE", "/", "alice", false), ("PROPFIND", "/", "alice", false), ("DELETE", "/open", nil, true),
            ("DELETE", "/open/a", nil, true), ("DELETE", "/api/a/b", "bob", true), ("DELETE", "/api", "bob", false),
            ("DELETE", "/api/a", "bob", false), ("DELETE", "/api/a/other", "bob", true),
        ] as [(String, String, String?, Bool)] {
            let request = try ForwardedRequest(method: method, scheme: "https", host: "apps.example", target: target)
            let decision = gateway.decide(request, as: subject.map { Self.person(subject: $0) })
            #expect(decision.isAllowed == isAllowed, "\(method) \(target) as \(subject ?? "-"): \(decision.reason)")
        }
    }

    /// Everybody may do everything, but nobody may write below /archive.
    @Test("GW-44: Ways to paths that take other methods")
    func GW_44_waysToPathsOfOtherMethods() throws {
        func isAllowed(
            _ method: String, _ target: String, _ fields: [(String, String)] = [], limited: Bool = true
        ) throws -> Bool {
            let gateway = try Self.gateway(
                """
                gateway: 1
                origin: https://apps.example
                providers: [acme]
                routes:
                  - { path: /**, allow: signed_in }
                  - { path: /archive/**, \(limited ? "methods: GET, " : "")allow: signed_in }

                """)
            var headers = HTTPFields()
            for (name, value) in fields {
                headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
            }
            let request = try ForwardedRequest(
                method: method, scheme: "https", host: "apps.example", target: target, fields: headers)
            return gateway.decide(request, as: Self.person()).isAllowed
        }
        let odd = [
            "/%61rchive/x", "//archive/x", "/archive;a/x", "/./archive/x", "/y/../archive/x", "/archive%2fx",
            "/%2561rchive/x", "/y/..%5carchive/x", "/archive%00/x", "/archive\\x",
        ]
        for target in odd {
            for method in ["POST", "PUT", "DELETE", "MKCOL", "PROPFIND", "FOO"] {
                #expect(try !isAllowed(method, target), "\(method) \(target)")
                #expect(try isAllowed(method, target, limited: false), "\(method) \(target)")
            }
            for method in ["GET", "HEAD"] { #expect(try isAllowed(method, target), "\(method) \(target)") }
            for destination in [target, "https://apps.example\(target)"] where !destination.hasPrefix("//") {
                let field = ("Destination", destination)
                #expect(try !isAllowed("MOVE", "/y", [field]), "\(destination)")
                #expect(try isAllowed("MOVE", "/y", [field], limited: false), "\(destination)")
            }
        }
        for (method, target, fields) in [
            ("DELETE", "/", []), ("PROPFIND", "/", []), ("MOVE", "/", [("Destination", "/z")]),
            ("COPY", "/y", [("Destination", "/")]), ("MOVE", "/y", []), ("FOO", "/z", []), ("REPORT", "/z", []),
            ("PUT", "/z", [("X-Amz-Copy-Source", "/y")]),
        ] as [(String, String, [(String, String)])] {
            #expect(try !isAllowed(method, target, fields), "\(method) \(target)")
            #expect(try isAllowed(method, target, fields, limited: false), "\(method) \(target)")
        }
        for target in ["/y", "/y/z"] { #expect(try isAllowed("DELETE", target)) }
        // What a program takes for another host is none of this one, also where one route decides about all paths.
        for destination in ["//other.example/x", "/\\other.example/x", "/\t/other.example/x", "\\\\other.example/x"] {
            #expect(try !isAllowed("MOVE", "/y", [("Destination", destination)], limited: false), "\(destination)")
            #expect(try !bob("MOVE", "/files/a", [("Destination", destination)]).isAllowed, "\(destination)")
        }
    }

    @Test("GW-27: Case outside ASCII")
    func GW_27_caseOutsideASCII() throws {
        try refuse(["/adm%C4%B1n/x", "/ADM%C4%B0N", "/admi%CC%87n", "/%E1%BA%9Fdmin/../admin"])
    }

    @Test("GW-24: What a refusal shows")
    func GW_24_whatARefusalShows() throws {
        for (path, host) in [
            ("/admin", "apps.example"), ("/anna", "apps.example"), ("/claim", "apps.example"),
            ("/x", "wiki.apps.example"),
        ] {
            let decision = try decide(path, as: Self.person("globex", subject: "x"), host: host)
            let shown = decision.missing.map { $0.phrase() }.joined(separator: " ")
            for value in ["ops", "anna", "example.com", "department", "it,", "wiki", "a-1"] {
                #expect(!shown.contains(value), "\(shown)")
            }
            #expect(decision.headers.isEmpty)
        }
        // What does not exist and what nobody may see are alike.
        #expect(try decide("/x", host: "evil.example").outcome == .noRoute)
        #expect(try decide("/admin", as: Self.admin, method: "DELETE").missing.isEmpty)
    }
}
