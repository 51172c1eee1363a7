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
                "allowed  gateway.yaml:6  Health  anyone may send the request\n"
            ),
            (
                ["GET", "https://wiki.apps.example/Start"], 1,
                "refused (sign_in)  gateway.yaml:7  Wiki  nobody is signed in\n"
            ),
            (
                [
                    "GET", "https://wiki.apps.example/Start", "--as", "email=anna@example.com", "email_verified=true",
                    "subject=17",
                ], 0,
                "allowed  gateway.yaml:7  Wiki  the sender meets gateway.yaml:7\n"
                    + "  X-Auth-User: 17\n  X-Auth-Email: anna@example.com\n"
            ),
            (
                ["GET", "https://wiki.apps.example/Start", "--as", "email=anna@example.com"], 1,
                "refused (forbidden)  gateway.yaml:7  Wiki  the sender lacks a verified e-mail address; "
                    + "the provider does not state email_verified; see trust_email\n"
            ),
            (
                [
                    "GET", "https://wiki.apps.example/Start", "--as", "email=anna@example.com", "email_verified=false",
                ], 1,
                "refused (forbidden)  gateway.yaml:7  Wiki  the sender lacks a verified e-mail address; "
                    + "email_verified is false\n"
            ),
            (
                ["GET", "https://wiki.apps.example/Start", "--as", "subject=17"], 1,
                "refused (forbidden)  gateway.yaml:7  Wiki  the sender lacks a verified e-mail address; "
                    + "no address was sent\n"
            ),
            (
                ["GET", "https://apps.example/builds/1", "--as", "provider=gitlab", "groups=sales", "groups=dev"], 0,
                "allowed  gateway.yaml:8  Builds  the sender meets gateway.yaml:8\n"
            ),
            (
                ["GET", "https://apps.example/builds/1", "--as", "provider=gitlab", "claims.groups=dev"], 1,
                "refused (forbidden)  gateway.yaml:8  Builds  the sender lacks one of the groups ops, dev; "
                    + "no groups were sent\n"
            ),
            (
                ["PUT", "https://apps.example/api/x", "--as", "program=true", "client_id=robot", "scopes=api"], 0,
                "allowed  gateway.yaml:9  -  the sender meets gateway.yaml:9\n"
            ),
            (["GET", "https://apps.example/x"], 1, "refused (no_route)  -  -  no route has the path\n"),
            (["GET", "https://evil.example/health"], 1, "refused (no_route)  -  -  no route has the host\n"),
            (
                ["GET", "https://apps.example/health//x"], 1,
                "refused (malformed)  -  -  the path has two slashes in a row\n"
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
        #expect(document["missing"]?.array?.compactMap(\.string) == ["an account in a group that yours is not in"])
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
        let method = try await check("https://apps.example/health")
        #expect(
            method.status == 2 && method.error.contains("check gateway.yaml GET https://apps.example/health"),
            "\(method)")
        let list = try await check("GET", "https://apps.example/builds/1", "--as", "provider=gitlab", "groups=ops,dev")
        #expect(list.status == 2 && list.error.contains("write groups=ops groups=dev"), "\(list)")
        let absent = try await check("GET", "https://apps.example/builds/1", "--as", "provider=google")
        #expect(absent.status == 1 && absent.output.contains("the file has no provider google"), "\(absent)")
        try home.write(
            "gateway: 1\norigin: https://apps.example\nproviders: [github]\nruotes: []\n", to: "gateway.yaml")
        let file = try await check("GET", "https://apps.example/")
        #expect(file.status == 2 && file.error.contains("gateway.yaml:4:1") && file.error.contains("routes"), "\(file)")
    }

    @Test("With --online, check asks the providers, and says which of them does not respond")
    func online() async throws {
        let home = try CommandHome()
        try home.write(Sample.acme(issuer: "http://127.0.0.1:9"), to: "providers/acme.yaml")
        try home.write(
            "gateway: 1\norigin: https://apps.example\nproviders: [{ id: acme, client_id: a }]\n"
                + "routes: [{ allow: signed_in }]\n", to: "gateway.yaml")
        let offline = try await home.run("gateway", "check", "gateway.yaml", "--providers", "providers")
        #expect(offline.status == 0, "\(offline)")
        let online = try await home.run("gateway", "check", "gateway.yaml", "--providers", "providers", "--online")
        #expect(online.status == 1 && online.standardError.contains("acme: "), "\(online)")
        #expect(online.standardOutput.contains("origin https://apps.example"), "\(online)")
    }

    @Test("Without a request, check says whether the gateway can start, with all that is missing at once")
    func start() async throws {
        let home = try CommandHome()
        let store = home.folder.appending(path: "sessions").path
        func write(_ providers: String, _ rest: String = "") throws {
            try home.write(
                "gateway: 1\norigin: https://apps.example\nproviders:\n\(providers)routes: [{ allow: signed_in }]\n"
                    + "session: { store: \"files:\(store)\" }\n\(rest)", to: "gateway.yaml")
        }
        try write(
            "  - { id: google, client_id: a, client_secret_file: none }\n  - github\n"
                + "  - { id: keycloak, client_id: b, client_secret_env: KEYCLOAK_SECRET, inputs: { host: id.example } }\n",
            "proxy: { secret_env: PROXY_SECRET }\n")
        let bad = try await home.run(
            "gateway", "check", "gateway.yaml", environment: ["KEYCLOAK_SECRET": "correct horse"])
        #expect(bad.status == 2)
        for text in [
            "gateway.yaml:4: client_secret_file: none: no such file", "gateway.yaml:5: github has no client_id",
            "write { id: github, client_id: ID", "the input realm has no value",
            "gateway.yaml:9: secret_env: the environment variable PROXY_SECRET is not set",
        ] { #expect(bad.standardError.contains(text), "\(text): \(bad)") }
        for text in ["--client-id", "--input", "keycloak.yaml"] {
            #expect(!bad.standardError.contains(text), "\(text): \(bad)")
        }
        try home.write("correct horse battery\n", to: "none")
        try write("  - { id: google, client_id: a, client_secret_file: none }\n")
        let good = try await home.run("gateway", "check", "gateway.yaml")
        #expect(good.status == 0 && good.standardOutput.contains("providers google, 1 route"), "\(good)")
        #expect(good.standardError.contains("none contains a secret and is readable by other users"), "\(good)")
        #expect(!FileManager.default.fileExists(atPath: store), "check creates nothing")
        #expect(!FileManager.default.fileExists(atPath: home.folder.appending(path: ".config").path))
        // The start would refuse a folder that others can read.
        try FileManager.default.createDirectory(
            atPath: store, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let readable = try await home.run("gateway", "check", "gateway.yaml")
        #expect(readable.status == 1 && readable.standardError.contains(store), "\(readable)")
        try FileManager.default.removeItem(atPath: store)
        try home.write("", to: "file")
        for (place, status) in [("file/x", 1), ("new", 0), ("new/below/it", 0)] as [(String, Int32)] {
            try home.write(
                "gateway: 1\norigin: https://apps.example\nproviders:\n"
                    + "  - { id: google, client_id: a, client_secret_file: none }\nroutes: [{ allow: signed_in }]\n"
                    + "session: { store: \"files:\(place)\" }\n", to: "gateway.yaml")
            let result = try await home.run("gateway", "check", "gateway.yaml")
            #expect(result.status == status, "\(place): \(result)")
            #expect(result.standardError.contains("mkdir -p -m 700") == (status == 1), "\(place): \(result)")
        }
        // A key for encryption signs nothing, so every decision would be 503.
        // RFC 7518, appendix C, with a use.
        try home.write(
            """
            {"kty":"EC","crv":"P-256","use":"enc","x":"weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
            "y":"e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck","d":"VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"}
            """, to: "identity.jwk")
        try write(
            "  - { id: google, client_id: a, client_secret_file: none }\n",
            "identity_token: { header: X-Auth, key_file: identity.jwk }\n")
        let unsigning = try await home.run("gateway", "check", "gateway.yaml")
        #expect(
            unsigning.status == 2 && unsigning.standardError.contains("identity_token.key has no key that can sign"),
            "\(unsigning)")
        try write("  - { id: google, client_id: a, client_secret: hunter2hunter2 }\n")
        let inline = try await home.run("gateway", "check", "gateway.yaml")
        #expect(inline.status == 1 && inline.standardError.contains("[G010]"), "\(inline)")
        try write("  - sso\n")
        let unknown = try await home.run("gateway", "check", "gateway.yaml")
        #expect(unknown.status == 2 && unknown.standardError.contains("gateway.yaml:4:5"), "\(unknown)")
        #expect(unknown.standardError.contains("[G014]"), "\(unknown)")
    }

    @Test(
        "Lint knows which providers call no address verified",
        arguments: [
            ("entra", true), ("microsoft", true), ("twitter", true), ("google", false), ("github", false),
            ("keycloak", false), ("gitlab", false),
        ])
    func unverifiedEmail(id: String, isFound: Bool) async throws {
        try home.write(
            "gateway: 1\norigin: https://apps.example\nproviders: [\(id)]\n"
                + "routes: [{ allow: { email_domain: example.com } }]\n", to: "gateway.yaml")
        let found = try await home.start(["lint", "gateway.yaml"]).finish()
        #expect(found.standardOutput.contains("[G017]") == isFound, "\(found)")
    }

    @Test("Lint knows a file of expected decisions")
    func lintOfRequests() async throws {
        try home.write(
            "accounts: { anna: { provider: gitlab } }\nrequests:\n"
                + "  - { request: GET https://apps.example/, as: anna, expect: allowed }\n", to: "good.yaml")
        let good = try await home.start(["lint", "good.yaml"]).finish()
        #expect(good.status == 0, "\(good)")
        try home.write("- { request: GET https://apps.example/, expect: alowed }\n", to: "bad.yaml")
        let bad = try await home.start(["lint", "bad.yaml"]).finish()
        #expect(bad.status == 1 && bad.standardOutput.contains("did you mean \"allowed\"?"), "\(bad)")
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
