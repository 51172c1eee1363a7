import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The sandbox on a port")
struct SandboxServerTests {
    /// Runs a test against a server that ends with it.
    private func withServer(
        _ sandbox: Sandbox, port: Int = 0, _ test: @Sendable (SandboxAddress) async throws -> Void
    ) async throws {
        let (addresses, continuation) = AsyncStream<SandboxAddress>.makeStream()
        let server = SandboxServer(sandbox: sandbox, port: port) { continuation.yield($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                try? await server.run()
            }
            let address = try #require(await addresses.first { _ in true })
            try await test(address)
            group.cancelAll()
        }
    }

    private func get(_ text: String) async throws -> (status: Int?, json: JSONValue) {
        let (data, response) = try await URLSession.shared.data(from: #require(URL(string: text)))
        return ((response as? HTTPURLResponse)?.statusCode, (try? JSONValue(parsing: data)) ?? .null)
    }

    @Test("serves a provider's URL below its authority, and a whole exchange")
    func mapped() async throws {
        let client = try TestClient()
        try await withServer(client.sandbox) { address in
            let metadata = try WebURL("https://id.acme.example/.well-known/openid-configuration")
            let reply = try await get(address.sandboxURL(for: metadata))
            #expect(reply.status == 200)
            #expect(reply.json["issuer"] == "https://id.acme.example")

            let code = try #require(try await client.callback()["code"])
            let tokenURL = try WebURL(#require(reply.json["token_endpoint"]?.string))
            var request = URLRequest(url: try #require(URL(string: address.sandboxURL(for: tokenURL))))
            request.httpMethod = "POST"
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(form(client.tokenParameters(code: code)).utf8)
            let (data, response) = try await URLSession.shared.data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(try JSONValue(parsing: data)["access_token"] != nil)
        }
    }

    @Test("says what is served where nothing is")
    func unknownPlace() async throws {
        let client = try TestClient()
        try await withServer(client.sandbox) { address in
            let reply = try await get(address.base.text + "/nowhere")
            #expect(reply.status == 404)
            #expect(reply.json["served"]?.array?.isEmpty == false)
        }
    }

    @Test("maps loopback resources too")
    func loopbackResource() async throws {
        let client = try TestClient(
            plain + "resources: [{ scope: a, title: A, url: http://localhost:8080/a }]\n")
        try await withServer(client.sandbox) { address in
            let url = address.sandboxURL(for: try WebURL("http://localhost:8080/a"))
            #expect(url == address.base.text + "/localhost:8080/a")
            #expect(try await get(url).status == 401)
        }
    }

    @Test("breaks the connection when the token endpoint is down")
    func tokenDown() async throws {
        let client = try TestClient(plain, options: SandboxOptions(faults: [.tokenDown]))
        try await withServer(client.sandbox) { address in
            let token = address.sandboxURL(for: try WebURL("https://plain.example/token"))
            await #expect(throws: URLError.self) { try await get(token) }
            #expect(try await get(address.sandboxURL(for: try WebURL("https://plain.example/x"))).status == 404)
        }
    }

    @Test("serves a provider that is described at the sandbox's own origin")
    func ownOriginServed() async throws {
        let free = Lock<WebURL?>(nil)
        try await withServer(TestClient().sandbox) { address in free.withLock { $0 = address.base } }
        let base = try #require(free.withLock { $0 })
        let client = try TestClient(acme.replacing("https://id.acme.example", with: base.text + "/acme"))
        try await withServer(client.sandbox, port: base.effectivePort) { address in
            let reply = try await get(base.text + "/acme/.well-known/openid-configuration")
            #expect(reply.json["issuer"]?.string == base.text + "/acme")
            #expect(reply.json["token_endpoint"]?.string == base.text + "/acme/token")
        }
    }

    @Test("says so when the port is taken")
    func takenPort() async throws {
        let sandbox = try TestClient().sandbox
        try await withServer(sandbox) { address in
            let second = SandboxServer(sandbox: sandbox, port: address.base.effectivePort) { _ in }
            await #expect(throws: (any Error).self) { try await second.run() }
        }
    }

    @Test("leaves URLs of its own origin as they are")
    func ownOrigin() throws {
        let address = SandboxAddress(try WebURL("http://127.0.0.1:8765"))
        let own = "http://127.0.0.1:8765/acme/token"
        #expect(address.sandboxURL(for: try WebURL(own)) == own)
        #expect(
            address.sandboxURL(for: try WebURL("https://a.example:8443?p=1"))
                == "http://127.0.0.1:8765/a.example:8443/?p=1")
    }

    @Test("keeps the fragment of a page, or its parameters")
    func pages() throws {
        let address = SandboxAddress(try WebURL("http://127.0.0.1:8765"))
        for (page, expected) in [
            (
                "https://a.example/qr?state=1#wechat_redirect",
                "http://127.0.0.1:8765/a.example/qr?state=1#wechat_redirect"
            ),
            ("https://a.example/app#/authorize?state=1", "http://127.0.0.1:8765/a.example/app?state=1"),
            ("https://a.example/app?v=2#/authorize?state=1", "http://127.0.0.1:8765/a.example/app?v=2&state=1"),
            ("https://a.example/authorize?state=1", "http://127.0.0.1:8765/a.example/authorize?state=1"),
        ] {
            #expect(try address.sandboxURL(forPage: page) == expected)
        }
    }
}
