import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetUserAgent
import Testing

@testable import CarnetProtocol

@Suite("Paste user agent")
struct PasteUserAgentTests {
    @Test(
        "Takes URL or query",
        arguments: [
            "http://127.0.0.1:8080/cb?code=c&state=right", "  http://127.0.0.1:8080/cb?code=c&state=right \r",
            "?code=c&state=right", "code=c&state=right", "127.0.0.1:8080/cb?code=c&state=right",
            "\u{1B}[200~http://127.0.0.1:8080/cb?code=c&state=right\u{1B}[201~",
        ])
    func takesURLOrQuery(line: String) async throws {
        let callback = try await signIn(pasting: [line])
        #expect(callback.location == "http://127.0.0.1:8080/cb")
        #expect(callback.encodedParameters == "code=c&state=right")
    }

    @Test(
        "Takes callback of a scheme without a host", arguments: ["code=c&state=right", "app:///cb?code=c&state=right"])
    func takesCallbackWithoutHost(line: String) async throws {
        let callback = try await signIn(pasting: [line], redirectURI: "app:///cb")
        #expect(callback.location == "app:///cb")
        #expect(callback.encodedParameters == "code=c&state=right")
    }

    @Test("Takes callback of another scheme")
    func takesCallbackOfAnotherScheme() async throws {
        let callback = try await signIn(
            pasting: ["com.example.app:/cb?state=right"], redirectURI: "com.example.app:/cb")
        #expect(callback.location == "com.example.app:/cb")
    }

    @Test("Shows URL and explains what is wrong")
    func showsURLAndExplainsWhatIsWrong() async throws {
        let shown = Shown()
        _ = try await signIn(pasting: ["what?", "code=c&state=wrong", "a b=c", "state=right"], shown: shown)
        #expect(shown.lines.first == "https://op.example/authorize")
        #expect(shown.lines.count == 4)
        #expect(shown.lines.dropFirst().allSatisfy { $0.contains("http://127.0.0.1:8080/cb") })
    }

    @Test("Nothing pasted is cancelled", arguments: [[], [""], ["   "], ["wrong=1", ""]])
    func nothingPastedIsCancelled(lines: [String]) async {
        let error = await #expect(throws: UserAgentError.self) { try await signIn(pasting: lines) }
        #expect(error?.kind == .cancelled)
    }

    @Test("Gives up after its attempts")
    func givesUpAfterItsAttempts() async {
        let lines = Array(repeating: "state=wrong", count: 5) + ["state=right"]
        let error = await #expect(throws: UserAgentError.self) { try await signIn(pasting: lines) }
        let reason =
            "none of the 5 pasted lines is the callback of this sign-in; a callback with another state arrived, "
            + "with the parameters state"
        #expect(error == UserAgentError(.cancelled, reason))
    }

    @Test("Messages do not repeat what was pasted")
    func messagesDoNotRepeatWhatWasPasted() async throws {
        let shown = Shown()
        _ = try? await signIn(pasting: ["code=s3cret&state=wrong"], shown: shown)
        #expect(!shown.lines.contains { $0.contains("s3cret") })
    }

    @Test("Rejects URL that no browser should open")
    func refusesURLThatNoBrowserShouldOpen() async throws {
        let shown = Shown()
        let agent = PasteUserAgent(show: shown.add, readLine: { "state=right" })
        let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/cb")
        await #expect(throws: UserAgentError.self) { try await presenter.present("javascript:alert(1)") { _ in true } }
        #expect(shown.lines.isEmpty)
    }

    private func signIn(
        pasting lines: [String],
        redirectURI: String = "http://127.0.0.1:8080/cb",
        shown: Shown = Shown()
    ) async throws -> AuthorizationCallback {
        let input = Input(lines)
        let agent = PasteUserAgent(show: shown.add, readLine: { input.next() })
        let presenter = try await agent.prepare(redirectURI: redirectURI)
        #expect(presenter.redirectURI == redirectURI)
        return try await presenter.present("https://op.example/authorize") {
            $0.encodedParameters.split(separator: "&").contains("state=right")
        }
    }
}

private final class Shown: Sendable {
    private let storage = Lock<[String]>([])
    var lines: [String] { storage.withLock { $0 } }
    @Sendable func add(_ line: String) { storage.withLock { $0.append(line) } }
}

private final class Input: Sendable {
    private let lines: Lock<[String]>
    init(_ lines: [String]) { self.lines = Lock(lines) }
    func next() -> String? { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
