import Carnet
import CarnetApple
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

@Suite("Sign-ins that come back as a URL")
struct URLSignInTests {
    private let keychain = FakeKeychain()
    private let opened = ShownURLs()

    /// The store of a process that has just started.
    private var store: KeychainStore {
        KeychainStore(service: "carnet", accessGroup: nil, calls: keychain) { _ in }
    }

    private func signIn(_ client: OAuthClient, opens: Bool = true) -> URLSignIn {
        URLSignIn(client: client, pending: store) { url in
            opened.add(url)
            return opens
        }
    }

    private func callback(_ app: SandboxedApp) async throws -> URL {
        let shown = try #require(opened.all.last)
        return try #require(URL(string: try await app.sandbox.approve(authorizationURL: shown.absoluteString)))
    }

    @Test("The application was killed while the page was open: the sign-in and the account survive")
    func killed() async throws {
        let app = try SandboxedApp(store: store)
        try await signIn(app.client).begin()
        let url = try await callback(app)
        // Another process: nothing but the Keychain is left.
        let client = try app.restarted(store: store)
        let session = try #require(try await signIn(client).complete(url))
        let token = try await session.accessToken()
        // And another.
        let later = try app.restarted(store: store)
        let account = try #require(try await later.accounts().first)
        #expect(try await later.session(for: account)?.accessToken() == token)
        #expect(try await signIn(later).complete(url) == nil)
    }

    @Test(
        "A URL that is not the callback changes nothing",
        arguments: [
            "com.example.app:/callback?code=1&state=forged", "com.example.app:/other?code=1&state=STATE",
            "com.example.other:/callback?code=1&state=STATE", "com.example.app:/callback",
            "com.example.app:/callback?state=%FF", "https://app.example/",
        ])
    func foreignURL(text: String) async throws {
        let app = try SandboxedApp(store: store)
        try await signIn(app.client).begin()
        let real = try await callback(app)
        let state = try #require(
            real.absoluteString.firstMatch(of: /state=([^&]*)/).map { String($0.output.1) })
        let url = try #require(URL(string: text.replacingOccurrences(of: "STATE", with: state)))
        #expect(try await signIn(app.client).complete(url) == nil)
        #expect(try await signIn(app.client).complete(real) != nil)
    }

    @Test("A page that cannot be opened is an error, and nothing waits")
    func cannotOpen() async throws {
        let app = try SandboxedApp(store: store)
        let error = await #expect(throws: OAuthError.self) { try await signIn(app.client, opens: false).begin() }
        #expect(error?.kind == .unsupported)
        #expect(keychain.items.isEmpty)
    }

    @Test("A sign-in that has expired is not completed")
    func expired() async throws {
        let app = try SandboxedApp(store: store)
        try await signIn(app.client).begin()
        let url = try await callback(app)
        app.clock.advance(by: .seconds(86_400))
        #expect(try await signIn(app.client).complete(url) == nil)
        #expect(keychain.items.isEmpty)
    }
}
