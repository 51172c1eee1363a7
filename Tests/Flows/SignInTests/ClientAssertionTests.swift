import Carnet
import CarnetDescriptors
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

/// A client that proves by a JWT who it is.
@Suite("Client assertion")
struct ClientAssertionTests {
    private static let keys = "client: { authentication: [private_key_jwt] }\n"

    @Test(
        "Every algorithm is taken by a server that verifies strictly",
        arguments: SignatureAlgorithm.allCases.filter {
            AssertionAlgorithm(rawValue: $0.rawValue)?.isSymmetric == false
        })
    func everyAlgorithmIsTaken(algorithm: SignatureAlgorithm) async throws {
        let fixture = try SignInFixture(
            odd: "client: { authentication: [private_key_jwt], assertion: { algorithm: \(algorithm.rawValue) } }\n",
            signingKey: try ClientKey.generate(algorithm))
        #expect(try await fixture.signIn().tokens().accessToken.isEmpty == false)
    }

    @Test("Each request has an assertion of its own")
    func eachRequestHasAnAssertion() async throws {
        let fixture = try SignInFixture(
            odd: Self.keys + "scopes: { default: [read], offline: [offline] }\n",
            signingKey: try ClientKey.generate(.ES256))
        let session = try await fixture.signIn(AuthorizationOptions(requestsRefreshToken: true))
        _ = try await session.refresh()
        let assertions = await fixture.requests(to: .token).map { request in
            String(decoding: request.body, as: UTF8.self).split(separator: "&").last {
                $0.hasPrefix("client_assertion=")
            }
        }
        #expect(assertions.count == 2 && assertions[0] != nil && assertions[0] != assertions[1])
    }

    @Test("A server rejects the assertion of another key")
    func aServerRefusesTheAssertion() async throws {
        let fixture = try SignInFixture(odd: Self.keys, signingKey: try ClientKey.generate(.ES256))
        let other = try OAuthClient(
            fixture.client.descriptor,
            registration: ClientRegistration(
                clientID: "client", credentials: .available(signingKey: try ClientKey.generate(.ES256)),
                redirectURI: SignInFixture.redirectURI),
            transport: SandboxTransport(fixture.sandbox), clock: fixture.clock)
        let request = try await other.beginSignIn()
        let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
        let error = await #expect(throws: OAuthError.self) {
            try await other.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        }
        #expect(error?.server?.code == "invalid_client")
    }

    @Test("The issuer is the audience where there is one")
    func theIssuerIsTheAudienceWhere() async throws {
        let fixture = try SignInFixture(
            odd: "issuer: https://odd.example\ndiscovery: none\n" + Self.keys,
            signingKey: try ClientKey.generate(.ES256)
        )
        _ = try await fixture.signIn()
        let request = try #require(await fixture.requests(to: .token).first)
        let assertion = try #require(String(decoding: request.body, as: UTF8.self).split(separator: "&").last)
        #expect(try claims(of: assertion)["aud"] == "https://odd.example")
    }

    @Test("A key does not help where no signed assertion is taken")
    func aKeyDoesNotHelpWhere() async throws {
        let fixture = try SignInFixture(
            descriptor(
                "carnet: 1\nid: acme\nname: Acme\nissuer: https://acme.example\nscopes: { default: [openid] }\n"),
            secret: "s", signingKey: nil)
        let client = try OAuthClient(
            fixture.client.descriptor,
            registration: ClientRegistration(
                clientID: "client", credentials: .available(signingKey: try ClientKey.generate(.ES256)),
                redirectURI: SignInFixture.redirectURI),
            transport: SandboxTransport(fixture.sandbox), clock: fixture.clock)
        let error = await #expect(throws: OAuthError.self) { try await client.beginSignIn() }
        #expect(error?.kind == .badRegistration && error?.descriptorKey == "client.authentication")
    }
}
