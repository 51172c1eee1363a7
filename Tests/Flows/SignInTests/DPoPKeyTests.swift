import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Bound tokens beyond a sign-in: with a key of the client's own, without a user, at another device, and at their end.
@Suite("DPoP key")
struct DPoPKeyTests {
    private static func provider(_ more: String = "") -> String {
        """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        client: { dpop_bound_access_tokens: true }
        scopes: { default: [openid, email], offline: [offline_access] }
        api: { hosts: [api.acme.example] }
        resources:
          - { scope: email, title: Mail, url: "https://api.acme.example/mail" }
        \(more)

        """
    }

    private func fixture(
        _ more: String = "", key: ClientKey? = nil, secret: String? = nil, signingKey: ClientKey? = nil,
        faults: Set<SandboxFault> = []
    ) throws -> (SignInFixture, OAuthClient) {
        let descriptor = try descriptor(Self.provider(more))
        let fixture = try SignInFixture(descriptor, secret: secret, signingKey: signingKey, faults: faults)
        var registration = fixture.client.registration
        registration.dpopKey = key
        let client = try OAuthClient(
            descriptor, registration: registration, transport: SandboxTransport(fixture.sandbox),
            store: fixture.store, clock: fixture.clock)
        return (fixture, client)
    }

    private func signIn(_ fixture: SignInFixture, _ client: OAuthClient, account: String) async throws -> Session {
        let request = try await client.beginSignIn()
        let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
        return try await client.completeSignIn(
            AuthorizationCallback(url: callback), for: request.pending, account: account)
    }

    /// The public keys of the proofs that came, as text.
    private func keys(_ fixture: SignInFixture) async throws -> Set<String> {
        let name = try #require(HTTPField.Name("DPoP"))
        let proofs = await fixture.sandbox.requests.compactMap { $0.headers[name] }
        return try Set(
            proofs.map { proof in
                try #require(try header(of: proof)["jwk"]).jsonText()
            })
    }

    @Test("A key of the client's own binds every sign-in")
    func aKeyOfTheClientsOwn() async throws {
        let key = try ClientKey.generate(.ES256)
        let (fixture, client) = try fixture(key: key)
        let (first, second) = (
            try await signIn(fixture, client, account: "a"), try await signIn(fixture, client, account: "b")
        )
        _ = try await (first.profile(), second.profile())
        let seen = try await keys(fixture)
        #expect(seen.count == 1)
        #expect(seen.first?.contains(try #require(key.publicJWK["x"]?.string)) == true)
    }

    @Test("Without one each sign-in has its own")
    func withoutOneEachSignInHas() async throws {
        let (fixture, client) = try fixture()
        for account in ["a", "b"] { _ = try await signIn(fixture, client, account: account) }
        #expect(try await keys(fixture).count == 2)
    }

    @Test(
        "A key that cannot prove is reported before anything is sent",
        arguments: [SignatureAlgorithm.ES384, .EdDSA, .RS256])
    func aKeyThatCannotProve(_ algorithm: SignatureAlgorithm) async throws {
        let (fixture, client) = try fixture(key: try .generate(algorithm))
        let error = await #expect(throws: OAuthError.self) { try await client.beginSignIn() }
        #expect(error?.kind == .badRegistration)
        #expect(await fixture.requests(to: .token).isEmpty)
    }

    // DPOP-03, DPOP-04: also where the server wants its nonce.
    @Test(
        "A token of the client's own is bound, and used with its key",
        arguments: [[], [SandboxFault.dpopNonce]] as [Set<SandboxFault>])
    func aTokenOfTheClientsOwn(_ faults: Set<SandboxFault>) async throws {
        let (fixture, client) = try fixture(secret: "s3cret", faults: faults)
        let tokens = try await client.tokens(for: .clientCredentials(scopes: ["email"]))
        #expect(tokens.isSenderConstrained)
        let mail = HTTPRequest(url: "https://api.acme.example/mail")
        #expect(try await client.send(mail, with: .clientCredentials(scopes: ["email"])).status == 200)
        #expect(try await client.send(mail, with: .clientCredentials(scopes: ["email"])).status == 200)
        #expect(try await keys(fixture).count == 1)
        #expect(await fixture.requests(to: .token).count == (faults.isEmpty ? 1 : 2))
    }

    // DPOP-03, DPOP-04: for an assertion of the client's own, and for one that somebody gave it.
    @Test(
        "A token for an assertion is bound, and used with its key",
        arguments: [[], [SandboxFault.dpopNonce]] as [Set<SandboxFault>])
    func aTokenForAnAssertion(_ faults: Set<SandboxFault>) async throws {
        let (fixture, client) = try fixture(signingKey: try .generate(.ES256), faults: faults)
        let grant = ClientGrant.assertion(subject: "ada", scopes: ["email"])
        #expect(try await client.tokens(for: grant).isSenderConstrained)
        let mail = HTTPRequest(url: "https://api.acme.example/mail")
        for _ in 1...2 { #expect(try await client.send(mail, with: grant).status == 200) }
        #expect(try await keys(fixture).count == 1)
        #expect(await fixture.requests(to: .token).count == (faults.isEmpty ? 1 : 2))
    }

    @Test("A token for somebody else's assertion is bound, and is a new one for each call")
    func aTokenForSomebodyElsesAssertion() async throws {
        let (fixture, client) = try fixture(
            "endpoints: { token: \"https://id.acme.example/token\" }", signingKey: try .generate(.ES256))
        for _ in 1...2 {
            let made = try ClientGrant.assertion(subject: "ada").request(
                in: RequestContext(
                    at: try await client.providerWithoutAccount(), as: client.registration,
                    random: SystemRandomSource(), now: fixture.clock.now))
            let pairs = String(decoding: made.outgoing.body, as: UTF8.self).split(separator: "&")
            let assertion = try #require(pairs.first { $0.hasPrefix("assertion=") }).dropFirst(10)
            let grant = ClientGrant.assertion(Secret(String(assertion)), scopes: ["email"])
            let mail = HTTPRequest(url: "https://api.acme.example/mail")
            #expect(try await client.send(mail, with: grant).status == 200)
        }
        #expect(try await keys(fixture).count == 2)
        #expect(await fixture.requests(to: .token).count == 2)
    }

    @Test("An exchanged token is bound to the client's own key, and without one not asked for")
    func anExchangedTokenIsBound() async throws {
        for key in [try ClientKey.generate(.ES256), nil] {
            let (fixture, client) = try fixture(key: key)
            let session = try await signIn(fixture, client, account: "a")
            let exchange = TokenExchange(TokenExchange.TypedToken(try await session.tokens().accessToken))
            guard key == nil else {
                #expect(try await client.exchange(exchange).tokens.isSenderConstrained)
                continue
            }
            let error = await #expect(throws: OAuthError.self) { try await client.exchange(exchange) }
            #expect(error?.kind == .unsupported && error?.step == .tokenExchange)
            #expect(await fixture.requests(to: .token).count == 1)
        }
    }

    @Test("A token of the client's own that was revoked is replaced once")
    func aTokenOfTheClientsOwnThatWas() async throws {
        let (fixture, client) = try fixture(secret: "s3cret", faults: [.expiredAccessToken])
        let error = await #expect(throws: OAuthError.self) {
            try await client.send(
                HTTPRequest(url: "https://api.acme.example/mail"), with: .clientCredentials(scopes: ["email"]))
        }
        #expect(error?.kind == .unauthorized)
        #expect(await fixture.requests(to: .token).count == 2)
    }

    @Test("A token of the client's own goes to declared hosts alone")
    func aTokenOfTheClientsOwnGoes() async throws {
        let (_, client) = try fixture(secret: "s3cret")
        let error = await #expect(throws: OAuthError.self) {
            try await client.send(
                HTTPRequest(url: "https://evil.example/"), with: .clientCredentials(scopes: ["email"]))
        }
        #expect(error?.kind == .undeclaredHost)
    }

    @Test("Tokens of another device are bound to the key that is given")
    func tokensOfAnotherDeviceAreBound() async throws {
        let key = try ClientKey.generate(.ES256)
        let (fixture, client) = try fixture(
            "endpoints: { device_authorization: \"https://id.acme.example/device\" }", key: key)
        let device = try await client.beginDeviceSignIn()
        try await fixture.sandbox.approveDevice(userCode: device.userCode)
        let session = try await client.completeDeviceSignIn(device, account: "a")
        #expect(try await session.storedTokens().isSenderConstrained)
        #expect(try await session.profile().email == "ada@example.com")
        #expect(try await keys(fixture).count == 1)
    }

    @Test("A bound token that speaks for the client is revoked with its scheme and a proof")
    func aBoundTokenThatSpeaks() async throws {
        let (fixture, client) = try fixture("revocation: { token_in: authorization }")
        let session = try await signIn(fixture, client, account: "a")
        let outcome = try await session.signOut(.revoke)
        #expect(outcome.isRevoked, "\(outcome.failures)")
        let revocation = try #require(await fixture.requests(to: .revocation).first)
        #expect(revocation.headers[.authorization]?.hasPrefix("DPoP ") == true)
        #expect(revocation.headers[try #require(HTTPField.Name("DPoP"))] != nil)
    }

    // DPOP-12.
    @Test("A hundred calls at once have a hundred proofs")
    func aHundredCallsAtOnceHave() async throws {
        let (fixture, client) = try fixture(faults: [.dpopNonce])
        let session = try await signIn(fixture, client, account: "a")
        let mail = try #require(try await session.resources().first?.resource)
        let statuses = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<100 { group.addTask { try? await session.call(mail).status } }
            return await group.reduce(into: [Int?]()) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 200 })
        let name = try #require(HTTPField.Name("DPoP"))
        let proofs = await fixture.sandbox.requests.compactMap { $0.headers[name] }
        #expect(Set(proofs).count == proofs.count)
        #expect(proofs.count >= 101)
    }
}
