import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

/// Tokens for assertions (RFC 7523).
@Suite("JWT bearer")
struct JWTBearerTests {
    @Test("An assertion of the client's own gets a token, which is kept")
    func anAssertionOfTheClientsOwn() async throws {
        let fixture = try SignInFixture(odd: "", signingKey: try ClientKey.generate(.ES256))
        let grant = ClientGrant.assertion(subject: "ada", scopes: ["read"])
        let tokens = try await fixture.client.tokens(for: grant)
        #expect(tokens.scopes == ["read"])
        #expect(try await fixture.client.tokens(for: grant).accessToken == tokens.accessToken)
        #expect(await fixture.requests(to: .token).count == 1)
        let other = try await fixture.client.tokens(for: ClientGrant.assertion(subject: "bob", scopes: ["read"]))
        #expect(other.accessToken != tokens.accessToken)
        fixture.clock.advance(by: .seconds(7200))
        #expect(try await fixture.client.tokens(for: grant).accessToken != tokens.accessToken)
    }

    @Test(
        "Every word of the descriptor counts",
        arguments: [
            "jwt_bearer: { scope_in: assertion, omit: [client_id] }",
            "jwt_bearer: { assertion: { issuer: 'robot@odd.example', subject: 'robot@odd.example', key_id: none } }",
            "jwt_bearer: { assertion: { algorithm: ES256, audience: token_endpoint, lifetime: 30, claims: { v: '1' } } }",
            "jwt_bearer: { body: json, rename: { assertion: jwt }, grant_type: jwt }",
            "jwt_bearer: { rename: { assertion: jwt }, headers: { X-Assertion: '{request.assertion}' } }",
            "jwt_bearer: { omit: [assertion], headers: { X-Assertion: 'jwt={request.assertion};' } }",
        ])
    func everyWordOfTheDescriptorCounts(keys: String) async throws {
        let fixture = try SignInFixture(odd: keys + "\n", signingKey: try ClientKey.generate(.ES256))
        #expect(try await fixture.client.tokens(for: ClientGrant.assertion(scopes: ["read"])).scopes == ["read"])
    }

    @Test(
        "An assertion of somebody unknown is rejected",
        arguments: [
            "", "jwt_bearer: { omit: [assertion], headers: { Authorization: 'Bearer {request.assertion}' } }\n",
        ])
    func anAssertionOfSomebodyUnknown(keys: String) async throws {
        let fixture = try SignInFixture(odd: keys, signingKey: try ClientKey.generate(.ES256))
        let error = await #expect(throws: OAuthError.self) {
            try await fixture.client.tokens(for: ClientGrant.assertion(Secret("eyJ.eyJ.x")))
        }
        #expect(error?.server?.code == "invalid_grant" && error?.step == .jwtBearer)
    }
}
