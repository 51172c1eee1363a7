import CarnetFoundation
import CarnetTestSupport
import Foundation
import Testing

@Suite("carnet gateway check")
struct GatewayCheckTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
        try home.write(
            """
            gateway: 1
            origin: https://apps.example
            providers: [github, { id: gitlab, groups: /team/names }]
            bearer: [gitlab]
            routes:
              - { title: Health, path: /health, allow: anyone }
              - { title: Wiki, host: wiki.apps.example, allow: { email_domain: example.com } }
              - { title: Builds, path: /builds/**, allow: { provider: gitlab, group: [ops, dev] } }
              - { path: /api/**, bearer: true, allow: { provider: gitlab, client_id: robot, scope: api } }
            headers: { X-Auth-User: "{account.subject}", X-Auth-Email: "{account.email}" }

            """, to: "gateway.yaml")
    }

    private func check(_ arguments: String...) async throws -> (status: Int32, output: String, error: String) {
        let result = try await home.start(["gateway", "check", "gateway.yaml"] + arguments).finish()
        return (result.status, result.standardOutput, result.standardError)
    }

    @Test("A decision is printed with the route's place and the headers")
    func decisions() async throws {
        let rows: [([String], Int32, String)] = [
            (
                ["GET", "https://apps.example/health"], 0,
                "allowed  allowed  gateway.yaml:6  Health  anyone may send the request\n"
            ),
            (
                ["GET", "https://wiki.apps.example/Start"], 1,
                "refused  sign_in  gateway.yaml:7  Wiki  nobody is signed in\n"
            ),
            (
                [
                    "GET", "https://wiki.apps.example/Start", "--as", "email=anna@example.com", "email_verified=true",
                    "subject=17",
                ], 0,
                "allowed  allowed  gateway.yaml:7  Wiki  the sender meets gateway.yaml:7\n"
                    + "  X-Auth-User: 17\n  X-Auth-Email: anna@example.com\n"
            ),
            (
                ["GET", "https://wiki.apps.example/Start", "--as", "email=anna@example.com"], 1,
                "refused  forbidden  gateway.yaml:7  Wiki  the sender lacks a verified e-mail address\n"
            ),
            (
                ["GET", "https://apps.example/builds/1", "--as", "provider=gitlab", "groups=sales", "groups=dev"], 0,
                "allowed  allowed  gateway.yaml:8  Builds  the sender meets gateway.yaml:8\n"
            ),
            (
                ["GET", "https://apps.example/builds/1", "--as", "provider=gitlab", "claims.groups=dev"], 1,
                "refused  forbidden  gateway.yaml:8  Builds  the sender lacks the group\n"
            ),
            (
                ["PUT", "https://apps.example/api/x", "--as", "program=true", "client_id=robot", "scopes=api"], 0,
                "allowed  allowed  gateway.yaml:9  -  the sender meets gateway.yaml:9\n"
            ),
            (["GET", "https://apps.example/x"], 1, "refused  no_route  -  -  no route has the path\n"),
            (["GET", "https://evil.example/health"], 1, "refused  no_route  -  -  no route has the host\n"),
            (
                ["GET", "https://apps.example/health//x"], 1,
                "refused  malformed  -  -  the path has two slashes in a row\n"
            ),
        ]
        for (arguments, status, output) in rows {
            let result = try await home.start(["gateway", "check", "gateway.yaml"] + arguments).finish()
            #expect(result.status == status && result.standardOutput == output, "\(arguments): \(result)")
        }
    }

    @Test("A decision is one JSON document")
    func json() async throws {
        try home.write("{ provider: gitlab, groups: [sales] }\n", to: "bob.yaml")
        let result = try await check("GET", "https://apps.example/builds/1", "--as", "bob.yaml", "--json")
        let document = try JSONValue(parsing: result.output)
        #expect(result.status == 1)
        #expect(document["decision"]?.string == "refused" && document["outcome"]?.string == "forbidden")
        #expect(document["place"]?.string == "gateway.yaml:8" && document["title"]?.string == "Builds")
        #expect(document["missing"]?.array?.compactMap(\.string) == ["an account that is in another group"])
        #expect(document["absent_headers"]?.array?.isEmpty == true)
    }

    @Test("A file of expected decisions")
    func table() async throws {
        try home.write(
            """
            accounts:
              anna: { provider: gitlab, subject: a-1, groups: [dev] }
            requests:
              - { request: GET https://apps.example/health, expect: allowed }
              - { request: GET https://apps.example/builds/1, as: anna, expect: allowed, headers: { x-auth-user: a-1 } }
              - { request: GET https://apps.example/builds/1, as: { provider: github }, expect: forbidden }
              - { request: GET https://apps.example/builds/1, expect: sign_in }
              - { request: GET https://apps.example/none, as: anna, expect: refused }

            """, to: "requests.yaml")
        let good = try await check("--requests", "requests.yaml")
        #expect(good.status == 0 && good.output.hasSuffix("5 requests, 0 wrong\n"), "\(good)")
        try home.write(
            """
            - { request: GET https://apps.example/health, expect: sign_in }
            - { request: GET https://apps.example/builds/1, as: { provider: gitlab, groups: dev, subject: x }, expect: allowed, headers: { X-Auth-User: y } }

            """, to: "wrong.yaml")
        let wrong = try await check("--requests", "wrong.yaml")
        #expect(wrong.status == 1 && wrong.output.hasSuffix("2 requests, 2 wrong\n"), "\(wrong)")
        #expect(wrong.output.contains("wrong.yaml:1"), "\(wrong)")
        #expect(wrong.output.contains("expected sign_in: anyone may send the request"), "\(wrong)")
        #expect(wrong.output.contains("expected X-Auth-User: y, not x"), "\(wrong)")
    }

    @Test("Mistakes have places and suggestions, and exit status 2")
    func mistakes() async throws {
        try home.write(
            "requests:\n  - { request: GET https://a.example/, as: ana, expect: alowed }\naccounts: { anna: {} }\n",
            to: "r.yaml")
        let requests = try await check("--requests", "r.yaml")
        #expect(requests.status == 2)
        #expect(
            requests.error.contains("r.yaml:2:") && requests.error.contains("did you mean \"allowed\"?"), "\(requests)")
        let key = try await check("GET", "https://apps.example/", "--as", "emial=x@example.com")
        #expect(key.status == 2 && key.error.contains("did you mean \"email\"?"), "\(key)")
        let url = try await check("GET", "/health")
        #expect(url.status == 2 && url.error.contains("absolute URL"), "\(url)")
        try home.write(
            "gateway: 1\norigin: https://apps.example\nproviders: [github]\nruotes: []\n", to: "gateway.yaml")
        let file = try await check("GET", "https://apps.example/")
        #expect(file.status == 2 && file.error.contains("gateway.yaml:4:1") && file.error.contains("routes"), "\(file)")
    }

    @Test("The example of the guide")
    func guide() async throws {
        let page = try Repository.file("Docs/gateway.md").text
        let blocks = page.components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        try home.write(try #require(blocks.last), to: "gateway.yaml")
        let rest = try #require(page.components(separatedBy: "```").last)
        let lines = rest.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
        try home.write(lines.joined(separator: "\n") + "\n", to: "requests.yaml")
        let result = try await check("--requests", "requests.yaml")
        #expect(result.status == 0 && result.output.hasSuffix("4 requests, 0 wrong\n"), "\(result)")
    }

    @Test("Lint, explain and schema know gateway files")
    func lint() async throws {
        try home.write(
            "gateway: 1\norigin: https://apps.example\nproviders: [githbu]\nroutes: [{ allow: signed_in }]\nproxy: { secret: hunter2 }\n",
            to: "gateway.yaml")
        let found = try await home.start(["lint", "gateway.yaml"]).finish()
        #expect(found.status == 1)
        #expect(
            found.standardOutput.contains("gateway.yaml:3:13: error: no provider is called \"githbu\" [G014]"),
            "\(found)")
        #expect(
            found.standardOutput.contains("gateway.yaml:5:18: error: the file contains a secret [G010]"), "\(found)")
        let page = try await home.start(["explain", "G010"]).finish()
        #expect(page.status == 0 && page.standardOutput.hasPrefix("# G010: inline-secret\n"), "\(page)")
        let schema = try await home.start(["schema", "--gateway"]).finish()
        let document = try JSONValue(parsing: schema.standardOutput)
        #expect(document["properties"]?["routes"] != nil && document["additionalProperties"] == false)
    }
}
