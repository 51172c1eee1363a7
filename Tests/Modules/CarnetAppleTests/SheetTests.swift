import Carnet
import CarnetApple
import CarnetSandbox
import CarnetTesting
import Testing

@Suite("The sign-in sheet")
@MainActor
struct SheetTests {
    private let sheets = FakeSheets()

    private func run(_ sheets: FakeSheets) -> Task<AuthorizationCallback, any Error> {
        Task {
            let presenter = try await sheets.agent().prepare(redirectURI: "com.example.app:/callback")
            return try await presenter.present("https://id.acme.example/authorize") { _ in true }
        }
    }

    @Test("A whole sign-in against the sandbox")
    func signIn() async throws {
        let app = try SandboxedApp()
        sheets.user = { [sandbox = app.sandbox] sheet in
            let url = sheet.request.url
            if let callback = try? await sandbox.approve(authorizationURL: url) { sheet.onEnd(.callback(callback)) }
        }
        let session = try await app.client.signIn(with: sheets.agent())
        #expect(try await session.profile().subject != nil)
        #expect(sheets.requests.map(\.callback) == [.scheme("com.example.app")])
        #expect(sheets.requests.map(\.isEphemeral) == [false])
        #expect(!sheets.place.isTaken)
    }

    @Test("The descriptor or the host asks for a session that shares no cookies")
    func ephemeral() async throws {
        for (text, host) in [("authorization: { ephemeral_session: true }", false), ("", true)] {
            let app = try SandboxedApp(text)
            sheets.user = { sheet in sheet.onEnd(.closed) }
            await #expect(throws: OAuthError.self) {
                try await app.client.signIn(with: sheets.agent(isEphemeral: host, headerFields: ["X-Carnet": "1"]))
            }
        }
        #expect(sheets.requests.map(\.isEphemeral) == [true, true])
        #expect(sheets.requests.allSatisfy { $0.headerFields == ["X-Carnet": "1"] })
    }

    @Test("A user who closes the sheet has cancelled, and the next sign-in shows another sheet")
    func closed() async throws {
        let app = try SandboxedApp()
        sheets.user = { sheet in sheet.onEnd(.closed) }
        for _ in 0..<2 {
            let error = await #expect(throws: OAuthError.self) { try await app.client.signIn(with: sheets.agent()) }
            #expect(error?.kind == .cancelled)
        }
        #expect(sheets.requests.count == 2)
    }

    @Test("A cancelled task takes the sheet away")
    func cancelledTask() async throws {
        let task = run(sheets)
        let sheet = await sheets.onScreen()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sheet.cancellations == 1)
        #expect(!sheets.place.isTaken)
    }

    @Test("A task that was cancelled before shows nothing")
    func cancelledBefore() async throws {
        let task = run(sheets)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sheets.latest == nil)
        #expect(!sheets.place.isTaken)
    }

    @Test("close() ends the wait, and may be called again")
    func closeEndsTheWait() async throws {
        let presenter = try await sheets.agent().prepare(redirectURI: "com.example.app:/callback")
        let task = Task { try await presenter.present("https://id.acme.example/authorize") { _ in true } }
        let sheet = await sheets.onScreen()
        await presenter.close()
        await presenter.close()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sheet.cancellations == 1)
    }

    @Test("A sheet that does not start is an error, not a wait without end")
    func doesNotStart() async throws {
        sheets.starts = false
        let error = await #expect(throws: UserAgentError.self) { try await run(sheets).value }
        #expect(error?.kind == .cannotPresent)
        #expect(!sheets.place.isTaken)
        sheets.starts = true
        let second = run(sheets)
        await sheets.onScreen().onEnd(.callback("com.example.app:/callback?code=1"))
        #expect(try await second.value.location == "com.example.app:/callback")
    }

    @Test("An event of the system after the end is ignored")
    func reportsTwice() async throws {
        let task = run(sheets)
        let sheet = await sheets.onScreen()
        for _ in 0..<3 {
            sheet.onEnd(.callback("com.example.app:/callback?code=1"))
            sheet.onEnd(.closed)
            sheet.onEnd(.failed("late"))
        }
        #expect(try await task.value.location == "com.example.app:/callback")
    }

    @Test("A second sheet is refused while one is on screen")
    func oneAtATime() async throws {
        let first = run(sheets)
        let sheet = await sheets.onScreen()
        let error = await #expect(throws: UserAgentError.self) { try await run(sheets).value }
        #expect(error?.kind == .cannotPresent)
        #expect(error?.reason.contains("another sign-in sheet") == true)
        sheet.onEnd(.callback("com.example.app:/callback?code=1"))
        _ = try await first.value
        #expect(!sheets.place.isTaken)
    }

    @Test("A presenter shows one sheet")
    func usedOnce() async throws {
        let presenter = try await sheets.agent().prepare(redirectURI: "com.example.app:/callback")
        let first = Task { try await presenter.present("https://id.acme.example/authorize") { _ in true } }
        await sheets.onScreen().onEnd(.closed)
        _ = await first.result
        let error = await #expect(throws: UserAgentError.self) {
            try await presenter.present("https://id.acme.example/authorize") { _ in true }
        }
        #expect(error?.kind == .cannotPresent)
    }

    @Test("Every outcome releases its memory", arguments: ["callback", "closed", "cancelled", "failed"])
    func leavesNothing(end: String) async throws {
        weak var sheet: FakeSheet?
        do {
            let task = run(sheets)
            let shown = await sheets.onScreen()
            sheet = shown
            switch end {
            case "callback": shown.onEnd(.callback("com.example.app:/callback?code=1"))
            case "closed": shown.onEnd(.closed)
            case "cancelled": task.cancel()
            default: shown.onEnd(.failed("no"))
            }
            _ = await task.result
        }
        // The hops to the main actor that hold it end by themselves.
        for _ in 0..<1000 where sheet != nil { await Task.yield() }
        #expect(sheet == nil)
        #expect(!sheets.place.isTaken)
    }

    @Test("A callback that belongs to another sign-in ends this one with an error that says so")
    func foreignCallback() async throws {
        let app = try SandboxedApp()
        sheets.user = { sheet in sheet.onEnd(.callback("com.example.app:/callback?code=1&state=forged")) }
        let error = await #expect(throws: OAuthError.self) { try await app.client.signIn(with: sheets.agent()) }
        #expect(error?.message.contains("does not belong to this sign-in") == true)
        #expect(try await app.client.accounts().isEmpty)
    }

    @Test("An authorization URL of another scheme is not shown")
    func unsafeURL() async throws {
        let presenter = try await sheets.agent().prepare(redirectURI: "com.example.app:/callback")
        let error = await #expect(throws: UserAgentError.self) {
            try await presenter.present("file:///etc/passwd") { _ in true }
        }
        #expect(error?.kind == .cannotPresent)
        #expect(sheets.latest == nil)
    }

    @Test(
        "Redirect URIs that the sheet receives",
        arguments: [
            ("com.example.app:/callback", SheetCallback.scheme("com.example.app")),
            ("Com.Example.App:/oauth2callback", .scheme("com.example.app")),
            ("oauth://com.example.simple-pkce", .scheme("oauth")),
            ("https://app.example/signed-in?x=1", .https(host: "app.example", path: "/signed-in")),
            ("https://app.example", .https(host: "app.example", path: "/")),
        ])
    func received(uri: String, callback: SheetCallback) throws {
        #expect(try SheetCallback(redirectURI: uri, takesHTTPS: true) == callback)
    }

    @Test(
        "Redirect URIs that the sheet does not receive",
        arguments: [
            ("http://127.0.0.1/callback", true), ("https://app.example/signed-in", false), ("callback", true),
            ("", true), ("1com.example:/x", true), ("com example:/x", true), ("https://user@app.example/", true),
        ])
    func refused(uri: String, takesHTTPS: Bool) throws {
        let error = #expect(throws: UserAgentError.self) {
            try SheetCallback(redirectURI: uri, takesHTTPS: takesHTTPS)
        }
        #expect(error?.kind == .cannotListen)
    }

    @Test("The sheet appears over the user's current window")
    func window() {
        typealias Candidate = WindowCandidate<String>
        let hidden = Candidate("hidden", isActive: true, isVisible: false, isKey: true)
        let behind = Candidate("behind", isActive: false, isVisible: true, isKey: true)
        let front = Candidate("front", isActive: true, isVisible: true, isKey: false)
        let key = Candidate("key", isActive: true, isVisible: true, isKey: true)
        let other = Candidate("other", isActive: true, isVisible: true, isKey: true)
        #expect([hidden, behind, front, key, other].frontWindow() == "key")
        #expect([behind, front].frontWindow() == "front")
        #expect([hidden, behind].frontWindow() == "behind")
        #expect([hidden].frontWindow() == nil)
        #expect([Candidate]().frontWindow() == nil)
    }
}
