import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// What descriptors say and the sandbox has to play: each signs in, and does what comes after.
@Suite("The sandbox plays")
struct PlayedProviderTests {
    @Test("authorization, token and revocation at one URL")
    func oneURL() async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/oauth
                  token: https://odd.example/oauth
                  revocation: https://odd.example/oauth
                revocation: { method: DELETE, token_in: authorization, tokens: [access_token] }
                """)
        let session = try await fixture.signIn()
        try await session.refresh()
        #expect(try await session.signOut(.revoke).isRevoked)
        #expect(await fixture.wire(.revocation) == ["DELETE https://odd.example/oauth"])
    }

    @Test("a revocation at the token endpoint with a grant type of its own")
    func revocationByGrantType() async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  revocation: https://odd.example/token
                revocation: { parameters: { grant_type: delete }, omit: [token_type_hint], tokens: [access_token] }
                """)
        #expect(try await fixture.signIn().signOut(.revoke).isRevoked)
        #expect(await fixture.wire(.revocation).first?.hasSuffix("&grant_type=delete") == true)
    }

    @Test("all endpoints at one URL, where the profile has a grant type of its own", arguments: ["GET", "POST"])
    func profileByGrantType(method: String) async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/oauth
                  token: https://odd.example/oauth
                  userinfo: https://odd.example/oauth
                  revocation: https://odd.example/oauth
                profile: { method: \(method), parameters: { grant_type: identify }, claims: { subject: /id } }
                revocation: { parameters: { grant_type: log_out }, omit: [token_type_hint], tokens: [access_token] }
                samples: { userinfo: { id: 7 } }
                """)
        let session = try await fixture.signIn()
        #expect(try await session.profile().subject == "7")
        try await session.refresh()
        #expect(try await session.signOut(.revoke).isRevoked)
        #expect(await fixture.wire(.userinfo).allSatisfy { $0.contains("grant_type=identify") })
    }

    @Test("a JWT access token where the descriptor reads claims from it")
    func accessTokenClaims() async throws {
        let fixture = try SignInFixture(
            odd: """
                connection: { derive: { tenant: "{jwt_claim(token.access_token, '/tid')}" } }
                """)
        #expect(try await fixture.signIn().connectionValues()["connection.tenant"]?.text == "example")
    }

    @Test("an exchange step that sends no token")
    func stepWithoutToken() async throws {
        let fixture = try SignInFixture(
            odd: """
                exchange:
                  login:
                    url: https://odd.example/login
                    parameters: { client: '{client.id}' }
                    brings: values
                    capture: { session: /session }
                    sample: { session: s-1 }
                """)
        #expect(try await fixture.signIn().connectionValues()["step.session"]?.text == "s-1")
    }

    @Test("a second scope parameter without scopes, which is not sent")
    func emptyExtraScopes() async throws {
        let fixture = try SignInFixture(odd: "scopes: { default: [read], extra: { user_scope: [] } }")
        #expect(!(try await fixture.authorizationURL()).contains("user_scope"))
        _ = try await fixture.signIn()
    }

    @Test(
        "a scope called openid without an ID token",
        arguments: [
            "samples: { token: { access_token: x, token_type: Bearer } }",
            "samples: { token: { access_token: x, token_type: Bearer, id_token: false } }",
        ])
    func openIDWithoutIDToken(samples: String) async throws {
        let fixture = try SignInFixture(
            odd: "scopes: { default: [openid] }\n\(samples)")
        #expect(try await fixture.signIn().tokens().idToken == nil)
    }

    @Test("a request without the scope, at a provider with an issuer")
    func scopeLeftOut() async throws {
        let fixture = try SignInFixture(
            odd: """
                issuer: https://odd.example
                scopes: { default: [openid] }
                authorization: { omit: [scope] }
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                """)
        #expect(try await fixture.signIn().tokens().idToken == nil)
    }

    @Test("an authorization request that names client and redirect URI in words of its own")
    func namesOfItsOwn() async throws {
        let fixture = try SignInFixture(
            odd: """
                authorization:
                  omit: [client_id, redirect_uri]
                  parameters: { application: '{client.id}', redirect_uri: my-app }
                token: { omit: [redirect_uri], parameters: { redirect_uri: my-app } }
                """)
        _ = try await fixture.signIn()
    }

    @Test("a profile that needs no scope openid, though the provider knows it")
    func profileOfAnAPI() async throws {
        let fixture = try SignInFixture(
            odd: """
                scopes: { default: [read], catalog: [openid, read] }
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  userinfo: https://api.odd.example/me
                """)
        #expect(try await fixture.signIn().profile().subject != nil)
    }
}
