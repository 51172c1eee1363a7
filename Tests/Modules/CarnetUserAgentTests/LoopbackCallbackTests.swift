import Carnet
import CarnetServerTestSupport
import Crypto
import Foundation
import Testing

@testable import CarnetProtocol
@testable import CarnetUserAgent

@Suite("Loopback callback")
struct LoopbackCallbackTests {
    @Test("Returns callback as it came")
    func returnsCallbackAsItCame() async throws {
        let signIn = try await PendingSignIn.start()
        let response = try await signIn.request("GET", "/callback?code=a%2Bb+c&state=right&x=%C3%A9")
        #expect(response.status == 200)
        let callback = try await signIn.task.value
        #expect(callback.location == signIn.redirectURI)
        #expect(callback.encodedParameters == "code=a%2Bb+c&state=right&x=%C3%A9")
    }

    @Test("Page shows nothing of the callback and loads nothing")
    func pageShowsNothingOfTheCallbackAndLoadsNothing() async throws {
        let signIn = try await PendingSignIn.start()
        let response = try await signIn.request("GET", "/callback?code=c0de-s3cret&state=right")
        for secret in ["c0de", "s3cret", "right", "http:", "https:", "<script", "src="] {
            #expect(!response.contains(secret))
        }
        let fields = response.lowercased()
        for field in [
            "cache-control: no-store", "referrer-policy: no-referrer", "connection: close",
            "content-security-policy: default-src 'none'; style-src 'sha256-", "x-content-type-options: nosniff",
        ] {
            #expect(fields.contains("\r\n\(field)"))
        }
        #expect(response.contains("You can go back to the application"))
        _ = try await signIn.task.value
    }

    @Test("A callback of the sign-in that comes again is no other sign-in's")
    func callbackTwice() throws {
        let inbox = CallbackInbox()
        try inbox.open { $0.encodedParameters.hasSuffix("state=right") }
        let first = AuthorizationCallback(url: "http://127.0.0.1/callback?code=a&state=right")
        let other = AuthorizationCallback(url: "http://127.0.0.1/callback?code=a&state=wrong")
        #expect(!inbox.hasTaken(first))
        #expect(inbox.takes(first))
        #expect(inbox.hasTaken(first) && !inbox.takes(first) && !inbox.hasTaken(other))
        inbox.close()
        let unused = CallbackInbox()
        try unused.open { _ in true }
        unused.close()
        #expect(!unused.hasTaken(first))
    }

    @Test("An empty error beside a code is none")
    func emptyError() async throws {
        let signIn = try await PendingSignIn.start()
        let response = try await signIn.request("GET", "/callback?error=&error_description=&code=abc&state=right")
        #expect(response.contains("You can go back to the application"))
        _ = try await signIn.task.value
    }

    @Test("Page says that sign-in did not complete")
    func pageSaysThatSignInDidNotComplete() async throws {
        let signIn = try await PendingSignIn.start()
        let response = try await signIn.request("GET", "/callback?error=access_denied&state=right")
        #expect(response.contains("Sign-in did not complete"))
        #expect(!response.contains("access_denied"))
        #expect(try await signIn.task.value.encodedParameters == "error=access_denied&state=right")
    }

    @Test(
        "Callback that is rejected does not end the wait",
        arguments: [
            "/callback", "/callback?", "/callback?code=evil", "/callback?code=evil&state=wrong", "/callback?error=x",
        ])
    func callbackThatIsRefusedDoesNotEndTheWait(target: String) async throws {
        let signIn = try await PendingSignIn.start()
        let response = try await signIn.request("GET", target)
        #expect(response.status == 400)
        #expect(response.contains("belongs to another sign-in"))
        try await signIn.finish()
    }

    @Test(
        "Other paths are not found",
        arguments: [
            "/", "/favicon.ico", "/callback/", "/callback/x?state=right", "/Callback?state=right",
            "/%63allback?state=right",
            "//callback?state=right", "/x/../callback?state=right", "*",
        ])
    func otherPathsAreNotFound(target: String) async throws {
        let signIn = try await PendingSignIn.start()
        let response = try await signIn.request("GET", target)
        #expect(response.status == 404, "\(response)")
        try await signIn.finish()
    }

    @Test("Other methods are not allowed", arguments: ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
    func otherMethodsAreNotAllowed(method: String) async throws {
        let signIn = try await PendingSignIn.start()
        let response = try await signIn.request(method, "/callback?code=evil&state=right")
        #expect(response.status == 405)
        #expect(response.lowercased().contains("\r\nallow: get\r\n"))
        try await signIn.finish()
    }

    /// DNS rebinding: a page of another site reaches the port by its own name.
    @Test(
        "Other hosts are rejected",
        arguments: [
            "evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost:{port}", "[::1]:{port}", "",
        ])
    func otherHostsAreRefused(host: String) async throws {
        let signIn = try await PendingSignIn.start()
        let hostField = host.replacingOccurrences(of: "{port}", with: String(try signIn.port))
        let response = try await signIn.request("GET", "/callback?code=evil&state=right", hostField: hostField)
        #expect(response.status == 400)
        try await signIn.finish()
    }

    @Test("Two hosts are rejected")
    func twoHostsAreRefused() async throws {
        let signIn = try await PendingSignIn.start()
        let fields = ["Host: evil.example"]
        let response = try await signIn.request("GET", "/callback?code=evil&state=right", fields: fields)
        #expect(response.status == 400)
        try await signIn.finish()
    }

    @Test(
        "Requests of scripts and frames are rejected",
        arguments: [
            "Sec-Fetch-Mode: cors", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: iframe", "sec-fetch-dest: image",
        ])
    func requestsOfScriptsAndFramesAreRefused(field: String) async throws {
        let signIn = try await PendingSignIn.start()
        let response = try await signIn.request("GET", "/callback?code=evil&state=right", fields: [field])
        #expect(response.status == 400)
        try await signIn.finish()
    }

    @Test("Navigation is taken")
    func navigationIsTaken() async throws {
        let signIn = try await PendingSignIn.start()
        let fields = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Sec-Fetch-Site: cross-site"]
        #expect(try await signIn.request("GET", "/callback?state=right", fields: fields).status == 200)
        #expect(try await signIn.task.value.encodedParameters == "state=right")
    }

    @Test("Only the first of pipelined requests gets a response")
    func onlyFirstOfPipelinedRequestsGetsAResponse() async throws {
        let signIn = try await PendingSignIn.start()
        let port = try signIn.port
        let request = { (state: String) in "GET /callback?state=\(state) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n" }
        let response = try await RawClient.exchange(request("wrong") + request("right"), port: port)
        #expect(response.components(separatedBy: "HTTP/1.1 ").count == 2)
        #expect(response.status == 400)
        try await signIn.finish()
    }

    @Test("Second callback is too late")
    func secondCallbackIsTooLate() {
        let inbox = CallbackInbox()
        #expect(throws: Never.self) { try inbox.open { _ in true } }
        #expect(inbox.takes(AuthorizationCallback(url: "http://127.0.0.1/cb?code=1")))
        #expect(!inbox.takes(AuthorizationCallback(url: "http://127.0.0.1/cb?code=2")))
    }

    @Test("Callback before the page is shown is rejected")
    func callbackBeforeThePageIsShownIsRefused() {
        let inbox = CallbackInbox()
        #expect(!inbox.takes(AuthorizationCallback(url: "http://127.0.0.1/cb?code=1")))
    }

    @Test("Style is the one that the policy allows")
    func styleIsTheOneThatThePolicyAllows() {
        let hash = Data(SHA256.hash(data: Data(CallbackPage.style.utf8))).base64EncodedString()
        #expect(hash == CallbackPage.styleHash)
        for page in CallbackPage.allCases {
            #expect(page.html.contains("<style>\(CallbackPage.style)</style>"))
        }
    }
}
