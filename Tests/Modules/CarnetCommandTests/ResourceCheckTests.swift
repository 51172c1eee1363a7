import Foundation
import Testing

@Suite("carnet resources check")
struct ResourceCheckTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
        try home.write(
            """
            resources:
              - { title: Health, url: /health, anonymous: the load balancer reads it }
              - { title: Transfer, url: "/accounts/{id}/transfer", method: POST, all_of: [accounts, transfer] }
              - { title: Audit, url: "https://api.acme.example/audit/**", claims: { groups: [audit, board] } }

            """, to: "map.yaml")
    }

    @Test("A decision is printed with the resource's place")
    func decisions() async throws {
        let rows: [([String], Int32, String)] = [
            (
                ["GET", "/health", "--without-token"], 0,
                "allowed  200  map.yaml:2  Health  open to anyone: the load balancer reads it\n"
            ),
            (
                ["POST", "/accounts/5/transfer", "--scopes", "accounts", "transfer"], 0,
                "allowed  200  map.yaml:3  Transfer  the token is enough\n"
            ),
            (
                ["POST", "/accounts/5/transfer", "--scopes", "accounts"], 1,
                "refused  403  map.yaml:3  Transfer  missing scopes: transfer\n"
            ),
            (
                ["POST", "/accounts/5/transfer", "--without-token"], 1,
                "refused  401  map.yaml:3  Transfer  it needs a token\n"
            ),
            (["GET", "/accounts/5/transfer"], 1, "refused  405  the methods are POST\n"),
            (["GET", "/audit/x"], 1, "refused  404  no resource has this path\n"),
            (
                ["GET", "/audit/x", "--host", "API.acme.example", "--claims", #"groups=["dev","audit"]"#], 0,
                "allowed  200  map.yaml:4  Audit  the token is enough\n"
            ),
            (
                ["GET", "/audit/x", "--host", "api.acme.example", "--claims", "groups=dev"], 1,
                "refused  403  map.yaml:4  Audit  the claim groups has none of the needed values\n"
            ),
            (["GET", "/audit//x"], 1, "refused  400  the path has two slashes in a row\n"),
        ]
        for (arguments, status, output) in rows {
            let result = try await home.start(["resources", "check", "map.yaml"] + arguments).finish()
            #expect(result.status == status && result.standardOutput == output, "\(arguments): \(result)")
        }
    }

    @Test("A decision is one JSON document")
    func json() async throws {
        let result = try await home.run(
            "resources", "check", "map.yaml", "POST", "/accounts/5/transfer", "--scopes", "accounts", "--json")
        let document = try result.json()
        #expect(result.status == 1)
        #expect(document["decision"] as? String == "refused" && document["status"] as? Int == 403)
        #expect(document["place"] as? String == "map.yaml:3" && document["title"] as? String == "Transfer")
    }

    @Test("A file of requests is compared with what it expects")
    func table() async throws {
        try home.write(
            """
            - { request: GET /health, token: false, expect: allowed }
            - { request: POST /accounts/5/transfer, scopes: [accounts, transfer], expect: 200 }
            - { request: POST /accounts/5/transfer, scopes: accounts, expect: refused }
            - { request: GET /audit/x, host: api.acme.example, claims: { groups: [board] }, expect: allowed }
            - { request: GET /other, expect: 404 }

            """, to: "requests.yaml")
        let good = try await home.run("resources", "check", "map.yaml", "--requests", "requests.yaml")
        #expect(good.status == 0 && good.standardOutput.hasSuffix("5 requests, 0 wrong\n"), "\(good)")
        try home.write("- { request: GET /health, expect: 401 }\n", to: "requests.yaml")
        let wrong = try await home.run("resources", "check", "map.yaml", "--requests", "requests.yaml")
        #expect(wrong.status == 1 && wrong.standardOutput.hasPrefix("WRONG  requests.yaml:1  GET /health"), "\(wrong)")
        for (text, reason) in [
            ("- { request: GET, expect: 401 }\n", "requests.yaml:1: request is a method and a path"),
            ("- { request: GET /, expect: maybe }\n", "requests.yaml:1: expect is allowed, refused or a status"),
            ("- { request: GET /, expects: 200 }\n", "unknown key \"expects\""),
            ("request: x\n", "not a list of requests"),
        ] {
            try home.write(text, to: "requests.yaml")
            let result = try await home.run("resources", "check", "map.yaml", "--requests", "requests.yaml")
            #expect(result.status == 2 && result.standardError.contains(reason), "\(result)")
        }
    }

    @Test("A map that cannot decide, and a wrong command line, are refused")
    func usage() async throws {
        try home.write(
            "resources:\n  - { title: A, url: /a, scope: x }\n  - { title: B, url: /a, scope: y }\n", to: "wrong.yaml")
        let wrong = try await home.run("resources", "check", "wrong.yaml", "GET", "/a")
        #expect(wrong.status == 2 && wrong.standardError.contains("wrong.yaml:3: an earlier resource"), "\(wrong)")
        for arguments in [
            ["map.yaml"], ["map.yaml", "GET"], ["map.yaml", "GET", "/", "x"], ["none.yaml", "GET", "/"],
        ] {
            let result = try await home.start(["resources", "check"] + arguments).finish()
            #expect(result.status == 2, "\(result)")
        }
        let other = try await home.run("resources", "google", "map.yaml", "GET", "/")
        #expect(other.status == 2, "\(other)")
    }

    @Test("Lint reports what the map cannot decide by")
    func lint() async throws {
        try home.write(
            """
            resources:
              - { title: A, url: /a, scope: x }
              - { title: B, url: /a, scope: y }
              - { title: C, url: /c//d }
              - { title: D, url: /d, anonymous: why, scope: x }

            """, to: "wrong.yaml")
        let result = try await home.run("lint", "wrong.yaml")
        for place in ["wrong.yaml:3:14: warning", "wrong.yaml:4:22: warning", "wrong.yaml:5:14: warning"] {
            #expect(result.standardOutput.contains(place), "\(place): \(result)")
        }
        #expect(try await home.run("lint", "map.yaml").standardOutput.contains("map.yaml:") == false)
    }
}
