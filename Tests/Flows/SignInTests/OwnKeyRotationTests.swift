import Carnet
import CarnetDescriptors
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

/// A client that replaces its own keys: accounts that signed in before stay signed in.
@Suite("Rotating the client's own keys")
struct OwnKeyRotationTests {
    private static let odd = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://acme.example
        scopes: { default: [openid], offline: [offline_access] }

        """

    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))
    private let store = MemoryTokenStore()

    private func client(
        _ yaml: String, _ credentials: ClientRegistration.Credentials, at sandbox: Sandbox
    ) throws -> OAuthClient {
        try OAuthClient(
            try descriptor(yaml),
            registration: ClientRegistration(
                clientID: "client", credentials: credentials, redirectURI: SignInFixture.redirectURI),
            transport: SandboxTransport(sandbox), store: store, clock: clock)
    }

    private func sandbox(_ yaml: String, secret: String? = nil, keys: [ClientKey]) throws -> Sandbox {
        Sandbox(
            providers: [try descriptor(yaml).resolve()],
            clients: [
                SandboxClient(
                    clientID: "client", clientSecret: secret, keys: keys.map(\.publicJWK),
                    redirectURIs: [SignInFixture.redirectURI])
            ],
            options: SandboxOptions(), now: { [clock] in clock.now })
    }

    /// Signs in with one client, and goes on with the next, as a process that was deployed later: the session refreshes, and
    /// a sign-in that began before ends.
    private func rotate(from old: OAuthClient, to new: OAuthClient, at sandbox: Sandbox) async throws {
        let request = try await old.beginSignIn(AuthorizationOptions(requestsRefreshToken: true))
        let callback = try await sandbox.approve(authorizationURL: request.url)
        let session = try await old.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        let first = try await session.tokens()
        clock.advance(by: .seconds(24 * 3600))
        let again = try #require(try await new.session(for: session.key.account))
        #expect(try await again.tokens().accessToken != first.accessToken)
        let waiting = try await old.beginSignIn()
        let later = try await sandbox.approve(authorizationURL: waiting.url)
        let other = try await new.completeSignIn(
            AuthorizationCallback(url: later), for: waiting.pending, account: "other")
        #expect(try await other.tokens().idToken != nil)
    }

    @Test("the key of client assertions")
    func signingKey() async throws {
        let yaml = Self.odd + "client: { authentication: [private_key_jwt] }\n"
        let (old, new) = (try ClientKey.generate(.ES256), try ClientKey.generate(.ES256))
        let sandbox = try sandbox(yaml, keys: [old, new])
        try await rotate(
            from: try client(yaml, .signingKey(old), at: sandbox), to: try client(yaml, .signingKey(new), at: sandbox),
            at: sandbox)
    }

    @Test("the key that tokens are bound to: each account keeps the one of its sign-in")
    func dpopKey() async throws {
        let yaml = Self.odd + "client: { dpop_bound_access_tokens: true }\n"
        let (old, new) = (try ClientKey.generate(.ES256), try ClientKey.generate(.ES256))
        let sandbox = try sandbox(yaml, keys: [])
        try await rotate(
            from: try client(yaml, .dpopKey(old), at: sandbox), to: try client(yaml, .dpopKey(new), at: sandbox),
            at: sandbox)
    }

    @Test("the key that ID tokens are encrypted for: both are tried")
    func decryptionKey() async throws {
        let yaml = Self.odd + "id_token: { encryption: { algorithm: ECDH-ES } }\n"
        let (old, new) = (try ClientKey.generate(for: .ecdhES), try ClientKey.generate(for: .ecdhES))
        // The provider encrypts for the key that it knows, before and after it has learnt the new one.
        for known in [old, new] {
            let sandbox = try sandbox(yaml, secret: "s", keys: [known])
            let both = try client(
                yaml, .all([.secret(Secret("s")), .decryptionKey(new), .decryptionKey(old)]), at: sandbox)
            let request = try await both.beginSignIn()
            let callback = try await sandbox.approve(authorizationURL: request.url)
            let session = try await both.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
            #expect(try await session.tokens().idToken != nil)
        }
    }
}
