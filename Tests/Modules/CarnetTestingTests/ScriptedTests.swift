import Carnet
import CarnetProtocol
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Scripted transport")
struct ScriptedTransportTests {
    private let request = OutgoingRequest(
        head: HTTPRequest(method: .post, scheme: "https", authority: "op.example", path: "/token?code=s3cret")
    )

    @Test("Responses in order and records")
    func respondsInOrderAndRecords() async throws {
        let transport = ScriptedTransport([.json("{}"), .canned("busy", status: 503, type: "text/plain")])
        #expect(try await transport.send(request, limits: .init()).head.status == .ok)
        #expect(try await transport.send(request, limits: .init(maximumBodyBytes: 7)).head.status.code == 503)
        #expect(transport.requests.map(\.head) == [request.head, request.head])
        #expect(transport.limits.map(\.maximumBodyBytes) == [1 << 20, 7])
        #expect(transport.remainingResponses == 0)
    }

    @Test("Rejects unscripted request without its query")
    func refusesUnscriptedRequestWithoutItsQuery() async {
        let transport = ScriptedTransport()
        let error = await #expect(throws: UnscriptedRequest.self) {
            try await transport.send(request, limits: .init())
        }
        #expect(error?.description == "no response is scripted for POST op.example/token")
        #expect(transport.requests.count == 1)
    }

    @Test("Throws scripted failure")
    func throwsScriptedFailure() async {
        let transport = ScriptedTransport()
        transport.enqueue(failure: TransportError(.timeout, "too slow"))
        await #expect(throws: TransportError(.timeout, "too slow")) {
            try await transport.send(request, limits: .init())
        }
    }

    @Test("Asks handler when the queue is empty")
    func asksHandlerWhenTheQueueIsEmpty() async throws {
        let transport = ScriptedTransport { .json(#"{"path":"\#($0.head.path ?? "")"}"#) }
        let response = try await transport.send(request, limits: .init())
        #expect(String(decoding: response.body, as: UTF8.self).contains("/token"))
    }
}

@Suite("Scripted sources")
struct ScriptedSourcesTests {
    @Test("Clock moves only when a test moves it")
    func clockMovesOnlyByTheTest() {
        let clock = ManualClock(now: Date(timeIntervalSince1970: 100))
        #expect(clock.now == Date(timeIntervalSince1970: 100))
        clock.advance(by: .milliseconds(1500))
        #expect(clock.now == Date(timeIntervalSince1970: 101.5))
        clock.set(to: Date(timeIntervalSince1970: 5))
        #expect(clock.now == Date(timeIntervalSince1970: 5))
    }

    @Test("Same seed gives same bytes and never the same twice")
    func sameSeedGivesSameBytesAndNeverTheSameTwice() {
        let first = SeededRandomSource(seed: 7)
        let second = SeededRandomSource(seed: 7)
        let bytes = first.bytes(count: 32)
        #expect(bytes == second.bytes(count: 32))
        #expect(bytes != first.bytes(count: 32))
        #expect(bytes != SeededRandomSource(seed: 8).bytes(count: 32))
        #expect(Set(bytes).count > 16)
    }
}

@Suite("Scripted user agent")
struct ScriptedUserAgentTests {
    @Test(
        "Gives loopback redirect a port",
        arguments: [
            ("http://127.0.0.1/callback", "http://127.0.0.1:49152/callback"),
            ("http://[::1]", "http://[::1]:49152"),
            ("http://127.0.0.1:8080/callback", "http://127.0.0.1:8080/callback"),
            ("com.example.app:/callback", "com.example.app:/callback"),
        ])
    func givesLoopbackRedirectAPort(registered: String, prepared: String) async throws {
        let agent = ScriptedUserAgent { _, _ in [] }
        #expect(try await agent.prepare(redirectURI: registered).redirectURI == prepared)
    }

    @Test("Returns first accepted callback")
    func returnsFirstAcceptedCallback() async throws {
        let agent = ScriptedUserAgent { _, redirectURI in ["http://evil.example/?x", "\(redirectURI)?code=1"] }
        let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/cb")
        #expect(agent.openPresenters == 1)
        let callback = try await presenter.present("https://op.example/authorize") {
            $0.location == presenter.redirectURI
        }
        #expect(callback.location == "http://127.0.0.1:49152/cb")
        #expect(agent.refusedCallbacks == 1)
        #expect(agent.shownURLs == ["https://op.example/authorize"])
        await presenter.close()
        await presenter.close()
        #expect(agent.openPresenters == 0)
    }

    @Test("Times out without accepted callback")
    func timesOutWithoutAcceptedCallback() async throws {
        let agent = ScriptedUserAgent { _, redirectURI in [redirectURI] }
        let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/cb")
        let error = await #expect(throws: UserAgentError.self) {
            try await presenter.present("https://op.example/authorize") { _ in false }
        }
        #expect(error?.kind == .timeout)
    }
}
