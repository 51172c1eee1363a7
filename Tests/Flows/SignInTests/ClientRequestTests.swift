import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

/// The requests that a client makes for itself, and what their headers and parameters are filled with.
@Suite("Requests of the client itself")
struct ClientRequestTests {
    /// Each grant inherits the signed header; each request has a parameter with a secret input, and the client's id.
    private static let keys = """
        inputs: { key: { type: text, secret: true } }
        endpoints:
          authorization: https://odd.example/authorize
          token: https://odd.example/token
          device_authorization: https://odd.example/device
          introspection: https://odd.example/introspect
        token:
          headers: { X-Signature: '{hmac_sha256(client.secret, request.body)}' }
        device: { parameters: { key: '{key}', app: '{client.id}' }, token: { parameters: { key: '{key}' } } }
        client_credentials: { parameters: { key: '{key}', app: '{client.id}' } }
        token_exchange: { parameters: { key: '{key}', app: '{client.id}' } }
        introspection:
          headers: { X-Signature: '{hmac_sha256(client.secret, request.body)}' }
          parameters: { key: '{key}', app: '{client.id}' }
        """

    private func fixture() throws -> SignInFixture {
        try SignInFixture(try oddProvider(Self.keys), inputs: ["key": "shown to nobody"], secret: "hush")
    }

    /// A client of the same sandbox whose descriptor lacks what the sandbox expects.
    private func forgetfulClient(of fixture: SignInFixture) throws -> OAuthClient {
        let endpoints = Self.keys.split(separator: "\n").filter {
            $0.hasPrefix("inputs") || $0.hasPrefix("endpoints") || $0.contains(": https:")
        }
        return try fixture.client(
            try oddProvider(endpoints.joined(separator: "\n") + "\napi: { headers: { X-Key: '{key}' } }\n"),
            clock: fixture.clock)
    }

    @Test("a client's own token request has the signed header of token, and its secret input")
    func clientCredentials() async throws {
        let fixture = try fixture()
        #expect(try await fixture.client.tokens(for: .clientCredentials(scopes: ["read"])).scopes == ["read"])
        let forgetful = try forgetfulClient(of: fixture)
        await #expect(throws: OAuthError.self) {
            try await forgetful.tokens(for: .clientCredentials(scopes: ["read"]))
        }
    }

    @Test("both requests of a device have them")
    func device() async throws {
        let fixture = try fixture()
        let device = try await fixture.client.beginDeviceSignIn()
        try await fixture.sandbox.approveDevice(userCode: device.userCode)
        _ = try await fixture.client.completeDeviceSignIn(device, account: "ada")
        let forgetful = try forgetfulClient(of: fixture)
        await #expect(throws: OAuthError.self) { try await forgetful.beginDeviceSignIn() }
    }

    @Test("so have token exchange and introspection, and nothing shows the input")
    func exchangeAndIntrospection() async throws {
        let fixture = try fixture()
        let token = try await fixture.client.tokens(for: .clientCredentials(scopes: ["read"])).accessToken
        let exchanged = try await fixture.client.exchange(TokenExchange(.init(token), scopes: ["read"]))
        #expect(exchanged.tokens.scopes == ["read"])
        #expect(try await fixture.client.introspect(token).isActive)
        let forgetful = try forgetfulClient(of: fixture)
        let error = await #expect(throws: OAuthError.self) { try await forgetful.introspect(token) }
        #expect(error.map { !"\($0)".contains("shown to nobody") } == true)
        await #expect(throws: OAuthError.self) { try await forgetful.exchange(TokenExchange(.init(token))) }
    }

    private static let omitsAssertion = "omit: [client_assertion, client_assertion_type]"

    @Test(
        "The client's assertion may be in a header",
        arguments: [
            "{ \(omitsAssertion), headers: { Authorization: 'Bearer {request.client_assertion}' } }",
            "{ \(omitsAssertion), headers: { X-Assertion: '{request.client_assertion}' } }",
            "{ headers: { X-Scope: '{request.scope|none}', X-Assertion: '{request.client_assertion}' } }",
        ])
    func assertionInHeader(keys: String) async throws {
        let fixture = try SignInFixture(
            odd: "client: { authentication: [private_key_jwt] }\nclient_credentials: \(keys)\n",
            signingKey: try ClientKey.generate(.ES256))
        #expect(try await fixture.client.tokens(for: .clientCredentials(scopes: ["read"])).scopes == ["read"])
        let request = try #require(await fixture.requests(to: .token).first)
        #expect(String(decoding: request.body, as: UTF8.self).contains("client_assertion") != keys.contains("omit"))
        let stranger = try OAuthClient(
            try oddProvider("client: { authentication: [private_key_jwt] }\nclient_credentials: \(keys)\n"),
            registration: ClientRegistration(
                clientID: "client", credentials: .available(signingKey: try ClientKey.generate(.ES256)),
                redirectURI: SignInFixture.redirectURI),
            transport: SandboxTransport(fixture.sandbox), store: MemoryTokenStore(), clock: fixture.clock)
        let error = await #expect(throws: OAuthError.self) {
            try await stranger.tokens(for: .clientCredentials(scopes: ["read"]))
        }
        #expect(error?.server?.code == "invalid_client")
    }
}
