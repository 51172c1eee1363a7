import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
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
}
