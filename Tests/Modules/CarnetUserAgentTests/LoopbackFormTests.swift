import Carnet
import CarnetDescriptors
import Testing

@testable import CarnetProtocol
@testable import CarnetUserAgent

/// A callback by POST, which the loopback port takes only where the descriptor asks for one.
@Suite("Loopback form")
struct LoopbackFormTests {
    private static let type = "Content-Type: application/x-www-form-urlencoded"

    private func post(
        _ body: String, fields: [String] = [type], target: String = "/callback", to signIn: PendingSignIn
    ) async throws -> String {
        try await signIn.request(
            "POST", target, fields: fields + ["Content-Length: \(body.utf8.count)"], body: body)
    }

    @Test("Form is the callback")
    func formIsTheCallback() async throws {
        let signIn = try await PendingSignIn.start(responseMode: .formPost)
        let body = "code=a%2Bb+c&state=right&user=%7B%22name%22%3A%22Ada%22%7D"
        #expect(try await post(body, to: signIn).status == 200)
        let callback = try await signIn.task.value
        #expect(callback.location == signIn.redirectURI)
        #expect(callback.encodedParameters == body)
        #expect(callback.isPosted)
    }

    @Test("Declined form is said")
    func declinedFormIsSaid() async throws {
        let signIn = try await PendingSignIn.start(responseMode: .formPost)
        let response = try await post("error=user_cancelled_authorize&state=right", to: signIn)
        #expect(response.contains("Sign-in did not complete"))
        _ = try await signIn.task.value
    }

    @Test(
        "Form of another does not end the wait",
        arguments: ["code=evil&state=wrong", "code=evil", "", "state=right&state=wrong%"])
    func formOfAnotherDoesNotEndTheWait(body: String) async throws {
        let signIn = try await PendingSignIn.start(responseMode: .formPost)
        let status = try await post(body.replacing("state=right&", with: ""), to: signIn).status
        #expect(status == 400)
        try await signIn.finish()
    }

    @Test(
        "Other bodies are rejected", arguments: [["Content-Type: application/json"], ["Content-Type: text/plain"], []])
    func otherBodiesAreRefused(fields: [String]) async throws {
        let signIn = try await PendingSignIn.start(responseMode: .formPost)
        #expect(try await post("code=c0de&state=right", fields: fields, to: signIn).status == 400)
        try await signIn.finish()
    }

    @Test("Form is rejected where none is requested")
    func formIsRefusedWhereNoneIsAskedFor() async throws {
        let signIn = try await PendingSignIn.start()
        #expect(try await post("code=c0de&state=right", to: signIn).status == 405)
        try await signIn.finish()
    }

    @Test("Form beyond the limit is cut off")
    func formBeyondTheLimitIsCutOff() async throws {
        let signIn = try await PendingSignIn.start(responseMode: .formPost)
        let body = "code=" + String(repeating: "a", count: 300_000) + "&state=right"
        #expect(try await post(body, to: signIn).isEmpty)
        try await signIn.finish()
    }

    @Test("Pasting takes no form")
    func pastingTakesNoForm() async throws {
        let agent = PasteUserAgent(show: { _ in }, readLine: { nil })
        let error = try await #require(throws: UserAgentError.self) {
            _ = try await agent.prepare(for: .formPost, redirectURI: "https://app.example/callback")
        }
        #expect(error.kind == .cannotListen)
    }
}
