import Carnet
import CarnetTesting
import CarnetURLSession
import Foundation
import HTTPTypes
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A session sends a URLRequest")
struct URLRequestTests {
    private let transport = ScriptedTransport([
        .json(#"{"access_token": "token-1", "token_type": "Bearer"}"#), .json("{}"),
    ])

    private func session() async throws -> Session {
        let descriptor = """
            carnet: 1
            id: acme
            name: Acme
            endpoints: { authorization: https://id.acme.example/authorize, token: https://id.acme.example/token }
            scopes: { default: [profile] }
            api: { hosts: [api.acme.example] }
            """
        var registry = ProviderRegistry()
        registry.add([SourceFile(path: "acme.yaml", text: descriptor)], origin: .folder("tests"))
        let client = try OAuthClient(
            registry.descriptor("acme"),
            registration: ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback"),
            transport: transport)
        let person = ScriptedUserAgent { authorizationURL, redirectURI in
            let parameters = authorizationURL.split(separator: "?").last?.split(separator: "&") ?? []
            let state = parameters.first { $0.hasPrefix("state=") } ?? "state=none"
            return ["\(redirectURI)?code=one-time&\(state)"]
        }
        return try await client.signIn(with: person, account: "ada")
    }

    @Test("with its URL, method, headers and body, and the access token")
    func everything() async throws {
        let session = try await session()
        var request = URLRequest(url: try #require(URL(string: "https://api.acme.example/me?x=1")))
        request.httpMethod = "PUT"
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data("text".utf8)
        #expect(try await session.send(request).status == 200)
        let sent = try #require(transport.requests.last)
        #expect(sent.head.method == .put && sent.head.authority == "api.acme.example" && sent.head.path == "/me?x=1")
        #expect(sent.head.headerFields[.contentType] == "text/plain")
        #expect(sent.head.headerFields[.authorization] == "Bearer token-1")
        #expect(sent.body == Array("text".utf8))
    }

    @Test("and refuses one whose body is a stream, or that goes elsewhere")
    func refused() async throws {
        let session = try await session()
        var request = URLRequest(url: try #require(URL(string: "https://api.acme.example/me")))
        request.httpBodyStream = InputStream(data: Data("text".utf8))
        let stream = await #expect(throws: OAuthError.self) { try await session.send(request) }
        #expect(stream?.kind == .badHeader)
        let elsewhere = URLRequest(url: try #require(URL(string: "https://evil.example/")))
        let host = await #expect(throws: OAuthError.self) { try await session.send(elsewhere) }
        #expect(host?.kind == .undeclaredHost)
        #expect(transport.requests.count == 1)
    }
}
