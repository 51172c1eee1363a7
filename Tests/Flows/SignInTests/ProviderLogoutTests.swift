import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// What the sandbox sends when a session ends at its page, and what the engine makes of it.
@Suite("Provider logout")
struct ProviderLogoutTests {
    private static func provider(_ more: String = "") -> String {
        """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        endpoints: { end_session: "https://id.acme.example/logout" }
        scopes: { default: [openid, profile], offline: [offline_access] }
        \(more)

        """
    }

    /// Signs in, ends the session at the provider's page, and gives what is posted then.
    private func logout(_ fixture: SignInFixture, _ account: String = "desk") async throws -> Secret {
        let bodies = Bodies()
        await fixture.sandbox.sendLogouts { bodies.add($0) }
        let session = try #require(try await fixture.client.session(for: account))
        let page = try EndSessionRequest(
            for: try await session.storedTokens(), at: try await fixture.client.providerWithoutAccount(),
            as: fixture.client.registration,
            random: SeededRandomSource(seed: 4))
        let target = page.url.reveal().dropFirst("https://id.acme.example".count)
        let head = HTTPRequest(method: .get, scheme: "https", authority: "id.acme.example", path: String(target))
        #expect(await fixture.sandbox.respond(to: head, body: []).0.status == .ok)
        let sent = try #require(bodies.first)
        #expect(sent.url == "https://app.example/logout")
        return try BackChannelLogoutRequest.logoutToken(in: sent.body, mediaType: SandboxLogout.contentType)
    }

    private func signIn(_ fixture: SignInFixture, _ account: String) async throws {
        let request = try await fixture.client.beginSignIn()
        let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
        _ = try await fixture.client.completeSignIn(
            AuthorizationCallback(url: callback), for: request.pending, account: account)
    }

    @Test(
        "One session ends, and the other of the same user goes on",
        arguments: [
            "", "id_token: { algorithms: [ES256] }", "logout: { missing_exp: it sends none }",
            "id_token: { hs256: web sign-in has no public keys }",
        ])
    func oneSessionEndsAndTheOther(more: String) async throws {
        let fixture = try SignInFixture(
            try descriptor(Self.provider(more)), secret: "a-secret-that-is-long-enough-for-HMAC",
            backChannelLogoutURI: "https://app.example/logout")
        try await signIn(fixture, "desk")
        try await signIn(fixture, "phone")
        let token = try await logout(fixture)
        #expect(try await fixture.client.endSessions(namedBy: token).map(\.account) == ["desk"])
        #expect(await fixture.store.keys().map(\.account) == ["phone"])
    }

    @Test("A logout token that is encrypted as the ID tokens are is opened")
    func aLogoutTokenThatIsEncrypted() async throws {
        let encrypted = "id_token: { encryption: { algorithm: ECDH-ES, content: A256GCM } }"
        let fixture = try SignInFixture(
            try descriptor(Self.provider(encrypted)), decryptionKeys: [try ClientKey.generate(for: .ecdhES)],
            backChannelLogoutURI: "https://app.example/logout")
        try await signIn(fixture, "desk")
        let token = try await logout(fixture)
        #expect(token.reveal().count { $0 == "." } == 4)
        #expect(try await fixture.client.endSessions(namedBy: token).map(\.account) == ["desk"])
    }

    @Test("A client that registered no such URI hears nothing")
    func aClientThatRegisteredNoSuch() async throws {
        let fixture = try SignInFixture(try descriptor(Self.provider()))
        try await signIn(fixture, "desk")
        let stored = try #require(await fixture.store.load(ConnectionKey(provider: "acme", account: "desk")))
        #expect(stored.connection.sessionID == nil)
    }
}

/// What a sandbox sent, for a closure to fill.
private final class Bodies: Sendable {
    private let sent = Lock<[SandboxLogout]>([])

    func add(_ logout: SandboxLogout) { sent.withLock { $0.append(logout) } }

    var first: SandboxLogout? { sent.withLock { $0.first } }
}
