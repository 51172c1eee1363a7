import CarnetFoundation
import Foundation
import Testing

@testable import CarnetDescriptors

/// The rules of `Docs/decisions/request-paths.md`.
@Suite("The resource of a request")
struct RouteTableTests {
    private static func reading(_ yaml: String) -> (table: RouteTable, problems: [RouteTable.Problem]) {
        let file = ResourceMapFile(SourceFile(path: "map.yaml", text: yaml))
        #expect(file.diagnostics.isEmpty, "\(file.diagnostics)")
        return RouteTable.reading(file.entries)
    }

    /// A map of these URLs, whose titles they are.
    private static func map(_ urls: [String], method: String = "GET") -> String {
        "resources:\n" + urls.map { "  - { title: \"\($0)\", url: \"\($0)\", method: \(method) }\n" }.joined()
    }

    /// The title of the resource that decides, or why none does.
    private static func title(
        _ table: RouteTable, _ target: String, method: String = "GET", host: String? = "api.acme.example"
    ) -> String {
        switch table.match(method: method, authority: host, target: target) {
        case .found(let route): route.title
        case .none: "none"
        case .methods(let methods): "methods " + methods.map(\.rawValue).joined(separator: " ")
        case .ambiguous: "ambiguous"
        case .malformed: "malformed"
        case .badHost: "bad host"
        case .unknownHost: "unknown host"
        }
    }

    private static let urls = [
        "/**", "/accounts", "/accounts/{id}", "/accounts/{id}/transfer", "/accounts/me", "/accounts/me/**", "/files/**",
        "/a/{x}/c", "/a/b/d",
    ]

    @Test(
        "The most specific path decides, in any order of the file",
        arguments: [
            ("/", "/**"), ("/x", "/**"), ("/accounts", "/accounts"), ("/accounts?x=/accounts/me", "/accounts"),
            ("/accounts/", "/accounts"), ("/accounts/5", "/accounts/{id}"), ("/accounts/me", "/accounts/me"),
            ("/accounts/5/transfer", "/accounts/{id}/transfer"), ("/accounts/me/transfer", "/accounts/me/**"),
            ("/accounts/5/other", "/**"), ("/files", "/files/**"), ("/files/a/b/c", "/files/**"),
            ("/a/b/c", "/a/{x}/c"),
            ("/a/b/d", "/a/b/d"), ("/a/b", "/**"), ("/accounts/%C3%A9", "/accounts/{id}"),
        ])
    func specific(target: String, title: String) {
        for urls in [Self.urls, Self.urls.reversed()] {
            #expect(Self.title(Self.reading(Self.map(urls)).table, target) == title)
        }
    }

    @Test("A path that is not in the map is nobody's")
    func none() {
        let table = Self.reading(Self.map(["/accounts", "/accounts/{id}/transfer"])).table
        for target in ["/", "/accounts/5", "/accounts/5/transfer/6", "/account", "/accountss", "/transfer"] {
            #expect(Self.title(table, target) == "none", "\(target)")
        }
    }

    // The path decides before the method, so that a general resource never opens what a specific one does not.
    @Test("The methods of the most specific path are all that it has")
    func methods() {
        let yaml = """
            resources:
              - { title: all, url: /**, method: [GET, POST, DELETE] }
              - { title: read, url: /accounts }
              - { title: write, url: /accounts, method: [POST, PUT] }

            """
        let table = Self.reading(yaml).table
        #expect(Self.title(table, "/accounts") == "read")
        #expect(Self.title(table, "/accounts", method: "HEAD") == "read")
        #expect(Self.title(table, "/accounts", method: "PUT") == "write")
        for method in ["DELETE", "PATCH", "OPTIONS", "TRACE", "get", "CONNECT", ""] {
            #expect(Self.title(table, "/accounts", method: method) == "methods GET POST PUT", "\(method)")
        }
        #expect(Self.title(table, "/other", method: "DELETE") == "all")
    }

    @Test("A host of the URL counts, in any spelling, and before resources without one")
    func hosts() {
        let table = Self.reading(
            Self.map(["/**", "https://api.acme.example/**", "http://localhost:8080/banking/transfer"])
        ).table
        for host in ["api.acme.example", "API.ACME.example", "api.acme.example.", "api.acme.example:443"] {
            #expect(Self.title(table, "/x", host: host) == "https://api.acme.example/**", "\(host)")
        }
        #expect(Self.title(table, "/x", host: "api.acme.example:8443") == "https://api.acme.example/**")
        for host in ["evil.example", "api.acme.example.evil.example", "localhost:8081"] {
            #expect(Self.title(table, "/x", host: host) == "unknown host", "\(host)")
        }
        for host in ["", "x@api.acme.example", nil] {
            #expect(Self.title(table, "/x", host: host) == "bad host", "\(host ?? "nil")")
        }
        #expect(Self.title(table, "/other", host: "localhost:8080") == "/**")
        #expect(
            Self.title(table, "/banking/transfer", host: "localhost:8080") == "http://localhost:8080/banking/transfer")
        #expect(Self.title(table, "/banking/transfer", host: "localhost") == "unknown host")
    }

    @Test(
        "A path that another program could read as another path is refused",
        arguments: [
            "", "accounts", "*", "http://api.acme.example/accounts", "//accounts", "/accounts//me", "/accounts//",
            "/./accounts", "/accounts/..", "/accounts/../me", "/accounts/.", "/accounts/...", "/accounts./me",
            "/%2e/accounts", "/accounts/%2E%2E", "/accounts%2fme", "/accounts%2Fme", "/accounts%5Cme", "/accounts\\me",
            "/accounts%00", "/accounts%0A", "/accounts%7F", "/accounts;x=1", "/accounts/me;", "/accounts%3Bx",
            "/%61ccounts", "/accounts%7E", "/accounts/%c3%a9", "/accounts/%", "/accounts/%4", "/accounts/%zz",
            "/accounts/%252e", "/accounts/é", "/accounts/ ", "/accounts\t", "/accounts\"", "/accounts<", "/accounts#x",
            "/accounts|", "/accounts^", "/accounts`", "/accounts/{id}", "/accounts[0]", "/accounts/%C0%AF",
            "/accounts/%E0%80%AF", "/accounts/%FF", "/accounts%20", "/accounts/%ED%A0%80",
            "/" + String(repeating: "a", count: 8192),
            String(repeating: "/a", count: 129),
        ])
    func malformed(target: String) {
        #expect(Self.title(Self.reading(Self.map(["/**"])).table, target) == "malformed")
    }

    @Test("Other characters of a path stay", arguments: ["/a-b_c~d", "/a.b", "/.well-known", "/a:b@c", "/!$&'()*+,="])
    func plain(target: String) {
        #expect(Self.title(Self.reading(Self.map(["/**"])).table, target) == "/**")
    }

    // A router that ignores case would take the request for the specific resource.
    @Test(
        "A path that differs from a resource's only in case is nobody's", arguments: ["/ADMIN", "/Admin/x", "/adMIN"])
    func upperCase(target: String) {
        let table = Self.reading(Self.map(["/**", "/admin/**", "/{name}"])).table
        #expect(Self.title(table, target) == "ambiguous")
    }

    @Test(
        "What can never match, contradicts or is open with needs is reported with its place",
        arguments: [
            ("- { title: A, url: /a//b }", "0 never"), ("- { title: A, url: /a/../b }", "0 never"),
            ("- { title: A, url: /a/**/b }", "0 never"), ("- { title: A, url: \"/a/x{id}\" }", "0 never"),
            ("- { title: A, url: \"https://{host}/a\" }", "0 never"), ("- { title: A, url: a/b }", "0 never"),
            ("- { title: A, url: /a/%2fb }", "0 never"), ("- { title: A, url: /a;b }", "0 never"),
            ("- { title: A, url: /a, scope: x }\n  - { title: B, url: /a/, scope: y }", "1 contradicts 0"),
            ("- { title: A, url: \"/{x}\", scope: x }\n  - { title: B, url: \"/{y}\" }", "1 contradicts 0"),
            (
                "- { title: A, url: /a, method: [GET, PUT], scope: x }\n  - { title: B, url: /a, method: PUT }",
                "1 contradicts 0"
            ),
            ("- { title: A, url: /a, claims: { a: b } }\n  - { title: B, url: /a }", "1 contradicts 0"),
            ("- { title: A, url: /a, scope: x }\n  - { title: B, url: /a, scope: x }", ""),
            ("- { title: A, url: /a, scope: x }\n  - { title: B, url: /a, method: POST }", ""),
            ("- { title: A, url: /a, scope: x }\n  - { title: B, url: \"/{x}\" }", ""),
            ("- { title: A, url: /a, anonymous: why, scope: x }", "0 open"),
            ("- { title: A, url: /a, anonymous: why, claims: { a: b } }", "0 open"),
            ("- { title: A, url: /a, anonymous: why }", ""),
        ])
    func problems(entries: String, expected: String) {
        let problems = Self.reading("resources:\n  \(entries)\n").problems.map { problem in
            switch problem.kind {
            case .neverMatches: "\(problem.index) never"
            case .contradicts(let first): "\(problem.index) contradicts \(first)"
            case .openWithNeeds: "\(problem.index) open"
            }
        }
        #expect(problems.joined(separator: ", ") == expected)
    }

    @Test("10,000 resources take no more steps than 10, if the path is as long")
    func steps() {
        func steps(_ count: Int) -> Int {
            let urls = (0..<count).map { "/group\($0)/{id}/item\($0)" }
            let table = Self.reading(Self.map(urls)).table
            #expect(Self.title(table, "/group\(count - 1)/5/item\(count - 1)") == urls[count - 1])
            return Work.steps { _ = Self.title(table, "/group\(count - 1)/5/item\(count - 1)") }
        }
        let (few, many) = (steps(10), steps(10_000))
        #expect(many <= few * 2, "\(few) steps, and \(many)")
    }

    // MARK: - Needs

    private static func shortfall(
        _ entry: String, scopes: Set<String> = [], claims: JSONValue = [:], now: TimeInterval = 1000
    ) throws -> Route.Shortfall? {
        let table = reading("resources:\n  - { title: A, url: /a, \(entry) }\n").table
        let route = try #require(table.routes.first)
        return route.shortfall(
            scopes: scopes, claims: claims.object ?? JSONObject(), now: Date(timeIntervalSince1970: now), skew: 60)
    }

    @Test("Scopes, claims and the sign-in are needed together")
    func needs() throws {
        let entry = "all_of: [a, b], any_of: [c, d], claims: { groups: [ops, admin], email_verified: true }"
        let claims: JSONValue = ["groups": ["x", "admin"], "email_verified": true]
        #expect(try Self.shortfall(entry, scopes: ["a", "b", "d"], claims: claims) == nil)
        #expect(try Self.shortfall(entry, scopes: ["a"], claims: claims) == .scopes(["b", "c"]))
        #expect(try Self.shortfall(entry, scopes: ["a", "b", "c"]) == .claim("groups"))
        #expect(
            try Self.shortfall(entry, scopes: ["a", "b", "c"], claims: ["groups": "ops"]) == .claim("email_verified"))
    }

    @Test(
        "A claim is met by one of its values alone",
        arguments: [
            (#"role: admin"#, ["role": "admin"], true), (#"role: admin"#, ["role": ["x", "admin"]], true),
            (#"role: admin"#, ["role": "administrator"], false), (#"role: admin"#, ["role": "Admin"], false),
            (#"role: admin"#, ["role": ["admin ", "x"]], false), (#"role: admin"#, ["role": ["admin": true]], false),
            (#"role: admin"#, ["role": [["admin"]]], false), (#"role: admin"#, [:], false),
            (#"role: admin"#, ["role": nil], false), (#"level: 5"#, ["level": 5], true),
            (#"level: 5"#, ["level": 50], false), (#"email_verified: true"#, ["email_verified": "true"], true),
            (#"email_verified: true"#, ["email_verified": false], false),
            (#"/realm_access/roles: admin"#, ["realm_access": ["roles": ["admin"]]], true),
            (#"/realm_access/roles: admin"#, ["/realm_access/roles": "admin"], false),
        ] as [(String, JSONValue, Bool)])
    func claims(entry: String, claims: JSONValue, isMet: Bool) throws {
        let name = String(entry.prefix { $0 != ":" })
        #expect(try Self.shortfall("claims: { \(entry) }", claims: claims) == (isMet ? nil : .claim(name)))
    }

    // RFC 9470, section 3, and RFC 9068, section 2.2.1.
    @Test("The sign-in must be of one of the classes, and recent")
    func authentication() throws {
        #expect(try Self.shortfall("acr: [gold, silver]", claims: ["acr": "silver"]) == nil)
        for claims in [["acr": "bronze"], [:], ["acr": ["gold"]]] as [JSONValue] {
            #expect(try Self.shortfall("acr: [gold, silver]", claims: claims) == .authentication)
        }
        let signedIn: JSONValue = ["auth_time": 1000]
        #expect(try Self.shortfall("max_age: 300", claims: signedIn, now: 1360) == nil)
        #expect(try Self.shortfall("max_age: 300", claims: signedIn, now: 1361) == .authentication)
        #expect(try Self.shortfall("max_age: 300") == .authentication)
        #expect(try Self.shortfall("max_age: 300", claims: ["auth_time": "1000"]) == .authentication)
    }

    @Test("Resources with parameters are shown with them, and cannot be called")
    func patterns() throws {
        let file = ResourceMapFile(
            SourceFile(
                path: "map.yaml",
                text: Self.map(["https://api.acme.example/accounts/{id}", "https://api.acme.example/files/**"])))
        let descriptor = try ResolutionFixture.descriptor("")
        let resources = try file.resources(for: try descriptor.resolve(), of: descriptor)
        #expect(
            resources.map(\.url) == ["https://api.acme.example/accounts/{id}", "https://api.acme.example/files/**"])
        #expect(resources.map(\.isPattern) == [true, true])
    }
}
