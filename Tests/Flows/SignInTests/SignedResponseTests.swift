import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Profiles and introspection responses, plain and signed.
@Suite("Signed responses")
struct SignedResponseTests {
    private static func provider(_ keys: String) -> String {
        "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"
            + "scopes: { default: [openid, profile] }\n\(keys)\n"
    }

    @Test(
        "A profile is signed, and encrypted if that was registered",
        arguments: ["[RS256]", "[ES256, EdDSA]", "{ algorithms: [PS256], encryption: { algorithm: RSA-OAEP-256 } }"])
    func aProfileIsSignedAndEncrypted(rules: String) async throws {
        let fixture = try SignInFixture(
            descriptor(Self.provider("profile: { jwt: \(rules) }")),
            decryptionKeys: [try ClientKey.generate(for: .rsaOAEP256)])
        let session = try await fixture.signIn()
        #expect(try await session.profile().name != nil)
        let request = try #require(await fixture.requests(to: .userinfo).last)
        #expect(request.headers[.accept] == "application/jwt")
        try await fixture.sandbox.rotateKeys()
        #expect(try await session.profile().name != nil, "keys that changed meanwhile are fetched again")
    }

    @Test("A signed profile of somebody else is thrown away")
    func aSignedProfileOfSomebodyElse() async throws {
        let fixture = try SignInFixture(
            descriptor(Self.provider("profile: { jwt: [RS256] }")), faults: [.userinfoWrongSubject])
        let session = try await fixture.signIn()
        let error = await #expect(throws: OAuthError.self) { try await session.profile() }
        #expect(error?.kind == .subjectMismatch)
    }

    // INTR-04: nothing is kept, so a revoked token is found out at once.
    @Test(
        "A token is looked up until it is revoked",
        arguments: ["", "introspection: { jwt: [RS256] }", "introspection: { jwt: [ES512] }"])
    func aTokenIsLookedUpUntil(keys: String) async throws {
        let fixture = try SignInFixture(descriptor(Self.provider(keys)))
        let session = try await fixture.signIn()
        let known = try await session.introspect()
        #expect(known.isActive && known.clientID == "client" && known.scopes == ["openid", "profile"])
        #expect(known.expiresAt == fixture.clock.now + 3600)
        let tokens = try await session.tokens()
        let refreshToken = try #require(tokens.refreshToken)
        #expect(try await fixture.client.introspect(refreshToken, hint: "refresh_token").isActive)
        _ = try await session.signOut(.revoke)
        #expect(try await !fixture.client.introspect(tokens.accessToken).isActive)
        await #expect(throws: OAuthError.self) { try await session.introspect() }
    }

    // INTR-05.
    @Test("A client that may not ask is reported so, and not that the token is void")
    func aClientThatMayNotAsk() async throws {
        let fixture = try SignInFixture(descriptor(Self.provider("")), secret: "s")
        let token = try await fixture.signIn().tokens().accessToken
        let stranger = try OAuthClient(
            fixture.client.descriptor,
            registration: ClientRegistration(
                clientID: "client", credentials: .secret(Secret("wrong")), redirectURI: SignInFixture.redirectURI),
            transport: SandboxTransport(fixture.sandbox), clock: fixture.clock)
        let error = await #expect(throws: OAuthError.self) { try await stranger.introspect(token) }
        #expect(error?.status == 401 && error?.step == .introspection)
    }

    @Test("An end that cannot be found out loses no token")
    func anEndThatCannotBeFound() async throws {
        let fixture = try SignInFixture(
            odd: """
                refresh: { expiry_from: introspection }
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                samples: { token: { access_token: x, token_type: Bearer } }
                """)
        #expect(try await fixture.signIn().tokens().expiresAt == nil)
    }
}
