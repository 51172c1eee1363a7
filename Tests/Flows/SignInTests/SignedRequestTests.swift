import Carnet
import CarnetDescriptors
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

/// Sign-ins whose parameters the client signs (RFC 9101).
@Suite("Signed request")
struct SignedRequestTests {
    private static func provider(_ keys: String) -> String {
        """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        client: { authentication: [private_key_jwt] }
        scopes: { default: [openid] }
        \(keys)

        """
    }

    private static let always = provider("authorization: { request_object: always }")

    @Test("Every algorithm is taken by a server that verifies strictly", arguments: SignatureAlgorithm.allCases)
    func everyAlgorithmIsTaken(algorithm: SignatureAlgorithm) async throws {
        let fixture = try SignInFixture(
            descriptor(Self.provider("authorization: { request_object: { use: always, algorithm: \(algorithm) } }")),
            signingKey: try ClientKey.generate(algorithm))
        let url = try await fixture.authorizationURL()
        #expect(url.hasPrefix("https://id.acme.example/authorize?client_id=client&request=eyJ"))
        #expect(try await fixture.signIn().tokens().idToken != nil)
    }

    @Test("A signed request can be pushed, with every option in it")
    func aSignedRequestCanBePushed() async throws {
        let fixture = try SignInFixture(descriptor(Self.always), signingKey: try ClientKey.generate(.ES256))
        let options = AuthorizationOptions(
            access: .init(
                resource: ["https://a.example/", "https://b.example/"], authorizationDetails: [["type": "payment"]]),
            authentication: .init(acrValues: ["urn:a"], maxAge: 60), delivery: .init(isPushed: true))
        let session = try await fixture.signIn(options)
        #expect(try await session.storedTokens().authorizationDetails == #"[{"type":"payment"}]"#)
        let push = try #require(await fixture.requests(to: .pushedAuthorizationRequest).first).bodyText
        #expect(push.hasPrefix("request=eyJ") && !push.contains("redirect_uri="))
    }

    @Test("A sign-in may ask for it, and what a server wants beside it goes there")
    func aSignInMayAsk() async throws {
        let plain = try SignInFixture(descriptor(Self.provider("")), signingKey: try ClientKey.generate(.ES256))
        #expect(try await !plain.authorizationURL().contains("request="))
        #expect(try await plain.signIn(AuthorizationOptions(delivery: .init(isSigned: true))).tokens().idToken != nil)
        let both = try SignInFixture(
            descriptor(
                Self.provider(
                    "authorization: { request_object: { use: always, repeat: [response_type, scope] } }")),
            signingKey: try ClientKey.generate(.ES256))
        #expect(
            try await both.authorizationURL().hasPrefix(
                "https://id.acme.example/authorize?response_type=code&client_id=client&scope=openid&request=eyJ"))
        #expect(try await both.signIn().tokens().idToken != nil)
    }

    @Test("A request of another key, another time or another kind is rejected")
    func aRequestOfAnotherKeyAnother() async throws {
        let fixture = try SignInFixture(descriptor(Self.always), signingKey: try ClientKey.generate(.ES256))
        let old = try await fixture.client.beginSignIn().url
        fixture.clock.advance(by: .seconds(601))
        await refuses(fixture, old)
        let once = try await fixture.client.beginSignIn().url
        _ = try await fixture.sandbox.approve(authorizationURL: once)
        await refuses(fixture, once)
        await refuses(fixture, try await fixture.client.beginSignIn().url + "&prompt=none")
        await refuses(fixture, "https://id.acme.example/authorize?client_id=client&response_type=code")
        let stranger = try OAuthClient(
            fixture.client.descriptor,
            registration: ClientRegistration(
                clientID: "client", credentials: .available(signingKey: try ClientKey.generate(.ES256)),
                redirectURI: SignInFixture.redirectURI),
            transport: SandboxTransport(fixture.sandbox), clock: fixture.clock)
        await refuses(fixture, try await stranger.beginSignIn().url)
    }

    private func refuses(_ fixture: SignInFixture, _ url: String) async {
        await #expect(throws: SandboxRefusal.self) { try await fixture.sandbox.approve(authorizationURL: url) }
    }
}
