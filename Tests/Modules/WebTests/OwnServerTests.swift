// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The test is named by the row of the attack matrix that it mounts.

import Carnet
import CarnetHummingbird
import CarnetResourceServer
import CarnetSandbox
import CarnetServerTestSupport
import CarnetTestSupport
import CarnetTesting
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("A resource server in a server of the host's own")
struct OwnServerTests {
    private static let map = """
        hosts: ["api.acme.example"]
        resources:
          - { title: Open, url: /open/**, anonymous: everybody may see it }
          - { title: Admin, url: /admin/**, scope: admin }
          - { title: Write, url: /open/form, method: POST, scope: admin }
          - { title: Staff, url: "https://staff.acme.example/open/**", scope: admin }

        """

    /// What a proxy may pass on: each is for a protected resource, or is none.
    private static let targets = [
        "/admin", "/admin/", "/admin/x", "/ADMIN/x", "/%61dmin", "/admin%2Fx", "/admin;x", "//admin", "/./admin",
        "/open/../admin", "/open/..%2Fadmin", "/open/%2E%2E/admin", "/open/..;/admin", "/open/..\\admin",
        "/open%2F..%2Fadmin", "/open/..", "/open/.", "/admin?/open", "/admin#/open", "/?/open", "/adm%C4%B1n",
        "http://api.acme.example/admin", "http://api.acme.example/open/../admin", "http:/admin", "admin", "*", "?/open",
        "/", "", "/open%00/../admin", "/admin%0D%0AX: y", "/openx", "/OPEN", "/open./x", "/open%20",
    ]

    private static func answer(to lines: [String], _ body: String = "", port: Int) async throws -> String {
        try await RawClient.exchange(
            (lines + ["Connection: close"]).joined(separator: "\r\n") + "\r\n\r\n" + body, port: port)
    }

    /// The handlers name the path that they serve.
    @Test("RS-34: A handler serves what was decided about, whatever arrives")
    func RS_34_handlersServeWhatWasDecided() async throws {
        let clock = ManualClock()
        let descriptor = try Fixture.descriptor(
            Fixture.openID + "access_token: { marked_by: [use=access], audience: resource }\n")
        let sandbox = Sandbox(providers: [try descriptor.resolve()], clients: [], now: { clock.now })
        let resource = "https://api.acme.example"
        let client = try OAuthClient(
            descriptor, registration: ClientRegistration(clientID: "api", redirectURI: "\(resource)/none"),
            transport: SandboxTransport(sandbox), clock: clock)
        let server = try ResourceServer(
            resource, accepting: [TokenIssuer(client)], map: SourceFile(path: "map.yaml", text: Self.map))
        let token = try await sandbox.accessToken(for: resource, scopes: ["admin"])
        let router = Router(context: BasicCallerRequestContext.self)
        router.add(middleware: ResourceServerMiddleware(server))
        for method in [HTTPRequest.Method.get, .post, .put, .delete, .patch] {
            for path in ["/**", "/admin/**", "/open/**", "/admin", "/open"] {
                router.on(RouterPath(path), method: method) { request, context in
                    "served \(request.method) \(request.uri.path) for \(context.caller?.subject ?? "nobody")"
                }
            }
        }
        try await Application(router: router).test(.live) { client in
            let port = try #require(client.port)
            func ask(_ method: String, _ target: String, _ fields: [String], _ body: String = "") async throws -> String
            {
                try await Self.answer(to: ["\(method) \(target) HTTP/1.1"] + fields, body, port: port)
            }
            let (host, bearer) = ("Host: api.acme.example", "Authorization: Bearer \(token)")
            #expect(try await ask("GET", "/open/x", [host]).contains("served GET /open/x for nobody"))
            #expect(try await ask("GET", "/admin/x", [host, bearer]).contains("served GET /admin/x for user-1"))
            for target in Self.targets {
                for method in ["GET", "POST", "DELETE", "get"] {
                    let answer = try await ask(method, target, [host])
                    #expect(!answer.contains("served"), "\(method) \(target): \(answer)")
                }
            }
            for method in ["POST", "PUT", "DELETE", "PATCH", "post", "FOO"] {
                #expect(try await !ask(method, "/open/form", [host]).contains("served"), "\(method)")
            }
            for fields in [
                ["Host: staff.acme.example"], ["Host: STAFF.acme.example.:8443"], ["Host: staff.acme.example:443"],
                ["Host: other.example"], ["Host: api.acme.example@staff.acme.example"], ["Host: staff%2Eacme.example"],
                ["Host: staff.acme.example", "X-Forwarded-Host: api.acme.example"], ["Host:"], [],
            ] {
                #expect(try await !ask("GET", "/open/x", fields).contains("served"), "\(fields)")
            }
            for field in [
                "X-Original-URL: /open", "X-Rewrite-URL: /open", "X-HTTP-Method-Override: GET",
                "X-Forwarded-Prefix: /open",
                "Authorization: Basic YTpi", "Authorization: Bearer", "X-Authorization: Bearer \(token)",
                "Cookie: access_token=\(token)", "Authorization : Bearer \(token)", " \(bearer)",
                "Authorization\t: Bearer \(token)",
                "\(bearer)\r\n\(bearer)", "\(bearer), Bearer x",
            ] {
                #expect(try await !ask("GET", "/admin/x", [host, field]).contains("served"), "\(field)")
            }
            // A trailer is no header, and a token is for its own request.
            let trailer = "1\r\na\r\n0\r\n\(bearer)\r\n\r\n"
            let chunked = [host, "Transfer-Encoding: chunked", "Trailer: Authorization"]
            #expect(try await !ask("GET", "/admin/x", chunked, trailer).contains("served"))
            let two = try await RawClient.exchange(
                "GET /open/x HTTP/1.1\r\n\(host)\r\n\(bearer)\r\n\r\nGET /admin/x HTTP/1.1\r\n\(host)\r\nConnection: close\r\n\r\n",
                port: port)
            #expect(two.components(separatedBy: "served").count == 2 && two.contains("HTTP/1.1 401"), "\(two)")
        }
    }
}
