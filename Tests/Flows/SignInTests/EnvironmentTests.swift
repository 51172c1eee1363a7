import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

@Suite("A provider with environments")
struct EnvironmentTests {
    private static let acme =
        DroppedInProviderTests.acme + """

            environments:
              sandbox: { issuer: https://id.sandbox.example }
            """

    @Test("signs in, refreshes and signs out at the hosts of the one that is chosen")
    func wholeSignIn() async throws {
        let fixture = try SignInFixture(try descriptor(Self.acme), environment: "sandbox")
        let session = try await fixture.signIn()
        try await session.refresh()
        _ = try await session.profile()
        _ = try await session.signOut(.revoke)
        let requests = await fixture.sandbox.requests
        #expect(requests.count >= 6)
        #expect(requests.allSatisfy { $0.url.hasPrefix("https://id.sandbox.example/") })
    }

    @Test("keeps the environment with the tokens, which go to no other")
    func storedEnvironment() async throws {
        let fixture = try SignInFixture(try descriptor(Self.acme), environment: "sandbox")
        let session = try await fixture.signIn()
        #expect(await fixture.store.load(session.key)?.connection.environment == "sandbox")
        let production = try SignInFixture(try descriptor(Self.acme), store: fixture.store)
        let error = await #expect(throws: OAuthError.self) {
            try await production.client.session(for: session.key.account)
        }
        #expect(error?.kind == .badRegistration)
    }

    @Test("takes no callback of a sign-in that was begun in another")
    func callbackOfAnother() async throws {
        let sandbox = try SignInFixture(try descriptor(Self.acme), environment: "sandbox")
        let production = try SignInFixture(try descriptor(Self.acme))
        let request = try await sandbox.client.beginSignIn()
        let callback = try await sandbox.sandbox.approve(authorizationURL: request.url)
        let error = await #expect(throws: OAuthError.self) {
            try await production.client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        }
        #expect(error?.kind == .providerMismatch)
    }
}
