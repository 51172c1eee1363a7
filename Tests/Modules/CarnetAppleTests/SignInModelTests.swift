import Carnet
import CarnetApple
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import Foundation
import Observation
import Testing

private final class Counter: Sendable {
    private let value = Lock(0)
    var count: Int { value.withLock(\.self) }
    func add() { value.withLock { $0 += 1 } }
}

@Suite("The sign-in model")
@MainActor
struct SignInModelTests {
    /// Waits for a phase that a task brings.
    private func wait(for model: SignInModel, _ isReached: (SignInModel.Phase) -> Bool) async {
        for _ in 0..<100_000 where !isReached(model.phase) { await Task.yield() }
    }

    @Test("Signing in, signing out, and each phase between, as a view observes them")
    func phases() async throws {
        let app = try SandboxedApp()
        let model = SignInModel(app.client, agent: app.person)
        let changes = Counter()
        withObservationTracking {
            _ = model.phase
        } onChange: {
            changes.add()
        }
        #expect(model.phase == .signedOut)
        await model.signIn()
        #expect(changes.count == 1)
        #expect(model.phase == .signedIn)
        #expect(try await model.session?.profile().subject != nil)
        #expect(model.failure == nil)
        let outcome = try #require(await model.signOut(.revoke))
        #expect(outcome.isRevoked)
        #expect(model.phase == .signedOut)
        #expect(model.session == nil)
        #expect(try await app.client.accounts().isEmpty)
        #expect(await model.signOut() == nil)
    }

    @Test("What was signed in before is restored without a request")
    func restore() async throws {
        let store = MemoryTokenStore()
        let app = try SandboxedApp(store: store)
        await SignInModel(app.client, agent: app.person).signIn()
        let requests = await app.sandbox.requests.count
        let model = SignInModel(try app.restarted(store: store), agent: app.person)
        await model.restore()
        #expect(model.phase == .signedIn)
        #expect(await app.sandbox.requests.count == requests)
        let other = SignInModel(try app.restarted(store: store), agent: app.person, account: "somebody else")
        await other.restore()
        #expect(other.phase == .signedOut)
    }

    @Test("A Keychain that is still locked needs attention, and no new sign-in")
    func unavailableStore() async throws {
        let keychain = FakeKeychain()
        let store = KeychainStore(service: "carnet", accessGroup: nil, calls: keychain) { _ in }
        let app = try SandboxedApp(store: store)
        await SignInModel(app.client, agent: app.person).signIn()
        keychain.fail(with: -25_308)
        let model = SignInModel(try app.restarted(store: store), agent: app.person)
        await model.restore()
        guard case .needsAttention(let reason, signInAgain: false) = model.phase else {
            Issue.record("the phase is \(model.phase)")
            return
        }
        #expect(reason.contains("-25308"))
        keychain.fail(with: nil)
        await model.tryAgain()
        #expect(model.phase == .signedIn)
    }

    @Test("Closing the sheet is no failure, and leaves what was there")
    func cancelledByUser() async throws {
        let app = try SandboxedApp()
        let closing = ScriptedUserAgent { _, _ in throw UserAgentError(.cancelled, "closed") }
        let model = SignInModel(app.client, agent: closing)
        await model.signIn()
        #expect(model.phase == .signedOut)
        #expect(model.failure == nil)
    }

    @Test("cancel() and a cancelled task take the sheet away; a second sign-in meanwhile does nothing")
    func cancelledByProgram() async throws {
        let app = try SandboxedApp()
        let sheets = FakeSheets()
        let model = SignInModel(app.client, agent: sheets.agent())
        for byTask in [false, true] {
            let task = Task { await model.signIn() }
            let sheet = await sheets.onScreen()
            #expect(model.phase == .signingIn)
            await model.signIn()
            await model.restore()
            #expect(model.phase == .signingIn)
            if byTask { task.cancel() } else { model.cancel() }
            await task.value
            #expect(sheet.cancellations == 1)
            #expect(model.phase == .signedOut)
            #expect(model.failure == nil)
        }
        #expect(sheets.requests.count == 2)
    }

    @Test("A sign-in that fails says why, and the next one succeeds")
    func failure() async throws {
        let app = try SandboxedApp()
        await app.sandbox.setFaults([.denied])
        let model = SignInModel(app.client, agent: app.person)
        await model.signIn()
        #expect(model.phase == .signedOut)
        #expect((model.failure as? OAuthError)?.server?.code == "access_denied")
        #expect(model.mistake == nil)
        await app.sandbox.setFaults([])
        await model.signIn()
        #expect(model.phase == .signedIn)
        #expect(model.failure == nil)
        // Nor does a later failure take the session away.
        await app.sandbox.setFaults([.denied])
        await model.signIn()
        #expect(model.phase == .signedIn)
        #expect(model.failure != nil)
        #expect(try await model.session?.accessToken() != nil)
    }

    @Test("A redirect URI that no app can receive is on the screen and in the log, with what to change")
    func mistake() async throws {
        let (log, sheets) = (RecordedLog(), FakeSheets())
        let descriptor = try SandboxedApp().descriptor
        let client = try OAuthClient(
            descriptor,
            registration: ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback"),
            transport: SandboxTransport(Sandbox(providers: [try descriptor.resolve()], clients: [])),
            logger: log.logger)
        let model = SignInModel(client, agent: sheets.agent())
        await model.signIn()
        let mistake = try #require(model.mistake)
        #expect(mistake.contains("the redirect URI http://127.0.0.1/callback: register one with a scheme"))
        #expect(!mistake.contains("--paste"))
        let entry = try #require(log.entriesWithLevels.last)
        #expect(entry.hasPrefix("error: A sign-in failed cause=") && entry.contains(mistake), "\(entry)")
    }

    @Test("A provider that is down needs attention and keeps the session; one that ends it asks for a new sign-in")
    func needsAttention() async throws {
        let app = try SandboxedApp()
        let model = SignInModel(app.client, agent: app.person)
        await model.signIn()
        let session = try #require(model.session)
        app.clock.advance(by: .seconds(86_400))
        await app.sandbox.setFaults([.token500])
        await #expect(throws: OAuthError.self) { try await session.tokens() }
        await wait(for: model) { $0 != .signedIn }
        guard case .needsAttention(_, signInAgain: false) = model.phase else {
            Issue.record("the phase is \(model.phase)")
            return
        }
        await app.sandbox.setFaults([])
        await model.tryAgain()
        await wait(for: model) { $0 == .signedIn }
        #expect(model.phase == .signedIn)
        app.clock.advance(by: .seconds(86_400))
        await app.sandbox.setFaults([.refreshRevoked])
        await #expect(throws: OAuthError.self) { try await session.tokens() }
        await wait(for: model) { $0 != .signedIn }
        guard case .needsAttention(_, signInAgain: true) = model.phase else {
            Issue.record("the phase is \(model.phase)")
            return
        }
    }

    @Test("Signing out everywhere shows the provider's page, and waits until it sends the browser back")
    func signOutEverywhere() async throws {
        let app = try SandboxedApp()
        let sheets = FakeSheets()
        let sandbox = app.sandbox
        sheets.user = { sheet in
            let url = sheet.request.url
            if url.contains("/logout") {
                let state = url.firstMatch(of: /state=([^&]*)/).map { String($0.output.1) } ?? ""
                sheet.onEnd(.callback("\(SandboxedApp.loggedOutURI)?state=\(state)"))
            } else if let callback = try? await sandbox.approve(authorizationURL: url) {
                sheet.onEnd(.callback(callback))
            }
        }
        let model = SignInModel(app.client, agent: sheets.agent())
        await model.signIn()
        let outcome = try #require(await model.signOut(.everywhere))
        #expect(outcome.failures.isEmpty)
        #expect(sheets.requests.count == 2)
        #expect(sheets.requests.last?.url.contains("id_token_hint=") == true)
        #expect(model.phase == .signedOut)
    }

    @Test("A user who closes the provider's sign-out page is signed out here, and the outcome says the rest")
    func signOutPageClosed() async throws {
        let app = try SandboxedApp()
        let model = SignInModel(
            app.client,
            agent: ScriptedUserAgent { [sandbox = app.sandbox] url, _ in
                if url.contains("/logout") { throw UserAgentError(.cancelled, "closed") }
                return [try await sandbox.approve(authorizationURL: url)]
            })
        await model.signIn()
        let outcome = try #require(await model.signOut(.everywhere))
        #expect(outcome.failures.map(\.kind) == [.cancelled])
        #expect(model.phase == .signedOut)
    }

    @Test("A callback that comes as a URL, also after the application was killed")
    func openedURL() async throws {
        let store = KeychainStore(service: "carnet", accessGroup: nil, calls: FakeKeychain()) { _ in }
        let app = try SandboxedApp(store: store)
        let shown = ShownURLs()
        func model(_ client: OAuthClient) -> SignInModel {
            SignInModel(
                client,
                urls: URLSignIn(client: client, pending: store) { url in
                    shown.add(url)
                    return true
                })
        }
        let before = model(app.client)
        await before.signIn()
        #expect(before.phase == .signingIn)
        before.cancel()
        #expect(before.phase == .signedOut)
        // A page that the user left behind does not keep the button from working.
        await before.signIn()
        await before.signIn()
        #expect(shown.all.count == 3)
        let page = try #require(shown.all.last)
        let callback = try #require(
            URL(string: try await app.sandbox.approve(authorizationURL: page.absoluteString)))
        let after = model(try app.restarted(store: store))
        let foreign = try #require(URL(string: "com.example.app:/settings"))
        #expect(await after.open(foreign) == false)
        #expect(after.phase == .signedOut)
        #expect(await after.open(callback))
        #expect(after.phase == .signedIn)
        #expect(await after.open(callback) == false)
        #expect(after.phase == .signedIn)
    }

    @Test("A model that nobody holds goes, and takes its watch with it")
    func leavesNothing() async throws {
        let app = try SandboxedApp()
        weak var model: SignInModel?
        do {
            let made = SignInModel(app.client, agent: app.person)
            await made.signIn()
            model = made
        }
        for _ in 0..<1000 where model != nil { await Task.yield() }
        #expect(model == nil)
    }
}

@Suite("The sentences of the views")
struct SignInTextTests {
    private static let languages = ["de", "en", "es", "fr"]

    @Test("Every sentence is there in every language", arguments: languages)
    func everySentence(language: String) throws {
        let path = try #require(SignInText.bundle.path(forResource: language, ofType: "lproj"))
        let bundle = try #require(Bundle(path: path))
        for text in SignInText.allCases {
            let sentence = text.text(in: bundle)
            #expect(sentence != text.rawValue && !sentence.isEmpty, "\(text.rawValue) is missing")
            #expect(sentence.contains("%@") == (text == .signInWith))
        }
        #expect(SignInText.signIn(with: "100 %d", in: bundle).contains("100 %d"))
    }

    @Test("The language of the user is found, or English")
    func language() {
        #expect(SignInText.signIn(with: "Acme").contains("Acme"))
    }
}
