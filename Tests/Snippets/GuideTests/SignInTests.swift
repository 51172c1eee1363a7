import Carnet
import CarnetTesting
import Testing

@Suite("Sign-in")
struct SignInTests {
    private static let descriptor = """
        carnet: 1
        id: acme
        name: Acme
        endpoints:
          authorization: https://id.acme.example/authorize
          token: https://id.acme.example/token
          userinfo: https://api.acme.example/me
        scopes: { default: [profile] }
        profile: { claims: { subject: /id, name: /full_name } }
        """

    /// A client whose provider sends these responses, one for each request.
    private func client(_ transport: ScriptedTransport) throws -> OAuthClient {
        var registry = ProviderRegistry()
        registry.add([SourceFile(path: "acme.yaml", text: Self.descriptor)], origin: .folder("tests"))
        return try OAuthClient(
            try registry.descriptor("acme"),
            registration: ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback"),
            transport: transport,
            clock: ManualClock()
        )
    }

    /// A person who allows everything: returns the callback with the `state` of the authorization URL.
    private let person = ScriptedUserAgent { authorizationURL, redirectURI in
        let parameters = authorizationURL.split(separator: "?").last?.split(separator: "&") ?? []
        let state = parameters.first { $0.hasPrefix("state=") } ?? "state=none"
        return ["\(redirectURI)?code=one-time&\(state)"]
    }

    @Test("A sign-in ends with the person's name")
    func signIn() async throws {
        let transport = ScriptedTransport([
            .json(#"{"access_token": "token-1", "token_type": "Bearer", "expires_in": 3600}"#),
            .json(#"{"id": 17, "full_name": "Ada Example"}"#),
            .json(#"{"id": 17, "full_name": "Ada Example"}"#),
        ])
        let session = try await client(transport).signIn(with: person)
        #expect(try await session.profile().name == "Ada Example")
        #expect(transport.remainingAnswers == 0)
    }

    @Test("A refused code ends the sign-in with the server's error")
    func refusedCode() async throws {
        let transport = ScriptedTransport([.json(#"{"error": "invalid_grant"}"#, status: 400)])
        let client = try client(transport)
        let error = await #expect(throws: OAuthError.self) { try await client.signIn(with: person) }
        #expect(error?.kind == .serverError)
        #expect(error?.server?.code == "invalid_grant")
        #expect(error?.disposition == .signInAgain)
    }
}
