import Carnet
import CarnetApple
import CarnetCatalog
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// An app and its widget: two processes with one Keychain access group, and a provider that rotates refresh tokens.
@Suite("An app and its widget")
struct AppAndWidgetTests {
    @Test("They refresh one account once, and both go on with the new tokens")
    func oneRefresh() async throws {
        let clock = ManualClock()
        let descriptor = try ProviderRegistry.builtIn.descriptor(.cloudentity)
        let inputs = ["tenant": "acme", "workspace": "demo", "region": "us"]
        let registration = ClientRegistration(
            clientID: "client", redirectURI: "com.example.bank:/callback", inputs: inputs)
        let sandbox = Sandbox(
            providers: [try descriptor.resolve(inputs: inputs)],
            clients: [SandboxClient(clientID: "client", redirectURIs: ["com.example.bank:/callback"])],
            now: { clock.now })
        let keychain = FakeKeychain()
        func process() throws -> OAuthClient {
            let store = KeychainStore(
                service: "carnet", accessGroup: "TEAM.com.example.shared", calls: keychain, queues: KeyedLocks(),
                onUnreadable: { Issue.record($0) })
            return try OAuthClient(
                descriptor, registration: registration, transport: SandboxTransport(sandbox), store: store, clock: clock
            )
        }
        let app = try process()
        let person = ScriptedUserAgent { url, _ in [try await sandbox.approve(authorizationURL: url)] }
        let session = try await app.signIn(with: person, options: AuthorizationOptions(requestsRefreshToken: true))
        let first = try await session.accessToken()
        // The widget shows no sheet: it uses the account of the app.
        let widget = try process()
        let account = try #require(try await widget.accounts().first)
        let shared = try #require(try await widget.session(for: account))
        #expect(try await shared.accessToken() == first)

        clock.advance(by: .seconds(24 * 3600))
        let before = await sandbox.requests.count
        async let inApp = session.accessToken()
        async let inWidget = shared.accessToken()
        let (new, same) = try await (inApp, inWidget)
        #expect(new == same && new != first)
        let refreshes = await sandbox.requests.dropFirst(before).count { $0.method == .post }
        #expect(refreshes == 1)
    }
}
