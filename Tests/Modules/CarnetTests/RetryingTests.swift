import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import MetricsTestKit
import Testing

/// A call of a resource that may be repeated.
@Suite("Retrying")
struct RetryingTests {
    private let provider = ScriptedProvider()

    /// Responds to the first requests like this, and then well.
    private func respond(_ responses: IncomingResponse..., to path: String = "/userinfo") {
        let left = Lock(responses)
        provider.on(path) { provider, form in
            let next: IncomingResponse? = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let next { return next }
            return try await provider.reply(path, form)
        }
    }

    private func request(_ method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(url: "https://id.acme.example/userinfo", method: method)
    }

    /// The pauses, in seconds.
    private var pauses: [Double] {
        provider.clock.sleeps.map(\.timeInterval)
    }

    @Test("Without a limit, a request is sent once, and the error has the server's time")
    func noLimit() async throws {
        let session = try await provider.session()
        respond(busy("7"))
        let error = await expectError(.resource, .tooManyRequests) { try await session.send(request()) }
        #expect(error?.retryAt == provider.clock.now.addingTimeInterval(7))
        #expect(provider.count("/userinfo") == 1 && pauses.isEmpty)
    }

    @Test("The pause is the one that the server asks for, and at most a tenth more")
    func serversPause() async throws {
        let session = try await provider.session()
        respond(busy("7"), busy("20", status: 503), busy("Thu, 01 Jan 2026 00:01:00 GMT"))
        let response = try await session.send(request(), retryingWithin: .seconds(120))
        #expect(response.status == 200)
        try #require(pauses.count == 3)
        #expect((7...7.7).contains(pauses[0]) && (20...22).contains(pauses[1]))
        // From here to the date.
        let left = 60 - pauses[0] - pauses[1]
        #expect((left...left * 1.1).contains(pauses[2]))
    }

    @Test("Without a time of the server, the pause doubles from one second to a minute, less up to a half")
    func backoff() async throws {
        let session = try await provider.session()
        provider.on("/userinfo", response: busy(status: 503))
        await expectError(.resource, .serverUnavailable) {
            try await session.send(request(), retryingWithin: .seconds(600))
        }
        try #require(pauses.count > 8)
        for (pause, longest) in zip(pauses, [1.0, 2, 4, 8, 16, 32, 60, 60]) {
            #expect((longest / 2...longest).contains(pause))
        }
        // A date has no more digits than a microsecond.
        #expect(pauses.reduce(0, +) < 600.000_001)
        #expect(provider.count("/userinfo") == pauses.count + 1)
    }

    @Test("Pauses come from the client's randomness")
    func randomness() async throws {
        func pauses(_ seed: UInt64) async throws -> [Duration] {
            let provider = ScriptedProvider()
            let client = try OAuthClient(
                try Fixture.descriptor(Fixture.openID),
                registration: ClientRegistration(
                    clientID: "client", credentials: .publicClient, redirectURI: "com.example.app:/callback"),
                transport: provider, clock: provider.clock, random: SeededRandomSource(seed: seed))
            let session = try await provider.signIn(client)
            provider.on("/userinfo", response: busy())
            _ = try? await session.send(request(), retryingWithin: .seconds(60))
            return provider.clock.sleeps
        }
        let first = try await pauses(1)
        #expect(first.count > 4)
        #expect(try await pauses(1) == first)
        #expect(try await pauses(2) != first)
    }

    @Test("A pause that would end after the limit is not begun", arguments: [0, 29])
    func limit(seconds: Int) async throws {
        let session = try await provider.session()
        respond(busy("30"))
        let error = await expectError(.resource, .tooManyRequests) {
            try await session.send(request(), retryingWithin: .seconds(seconds))
        }
        #expect(error?.retryAt == provider.clock.now.addingTimeInterval(30))
        #expect(provider.count("/userinfo") == 1 && pauses.isEmpty)
        respond(busy("30"))
        _ = try await session.send(request(), retryingWithin: .seconds(30))
        #expect(pauses == [30])
    }

    @Test(
        "After a failure of the server, only an idempotent request is repeated (RFC 9110, section 9.2.2)",
        arguments: [
            (HTTPRequest.Method.get, true), (.head, true), (.options, true), (.put, true), (.delete, true),
            (.post, false), (.patch, false), (.connect, false), (HTTPRequest.Method("get") ?? .post, false),
        ])
    func idempotent(method: HTTPRequest.Method, isRepeated: Bool) async throws {
        for status in [408, 500, 502, 503, 504] {
            let provider = ScriptedProvider()
            let session = try await provider.session()
            let left = Lock(1)
            provider.on("/userinfo") { _, _ in
                let isFirst = left.withLock { count in
                    defer { count = 0 }
                    return count == 1
                }
                return isFirst ? busy("1", status: status) : .json("{}")
            }
            _ = try? await session.send(request(method), retryingWithin: .seconds(60))
            #expect(provider.count("/userinfo") == (isRepeated ? 2 : 1), "\(status)")
        }
    }

    @Test(
        "After 429 any request is repeated, because the server did not act on it", arguments: ["POST", "PATCH", "GET"])
    func limited(method: String) async throws {
        let session = try await provider.session()
        respond(busy("1"), busy())
        let method = try #require(HTTPRequest.Method(method))
        let response = try await session.send(
            request(method), body: Array("body".utf8), retryingWithin: .seconds(60))
        #expect(response.status == 200)
        #expect(provider.requests(to: "/userinfo").map(\.body) == Array(repeating: Array("body".utf8), count: 3))
    }

    @Test("An error that waiting cannot help is not repeated", arguments: [400, 401, 403, 404, 409, 501, 505])
    func otherErrors(status: Int) async throws {
        let session = try await provider.session()
        provider.on("/userinfo", response: busy(status: status))
        _ = try? await session.send(request(), retryingWithin: .seconds(60))
        #expect(provider.clock.sleeps.isEmpty)
    }

    @Test("403 with a time is a limit, and without one a refusal")
    func forbidden() async throws {
        let session = try await provider.session()
        respond(busy("5", status: 403))
        #expect(try await session.send(request(), retryingWithin: .seconds(60)).status == 200)
        provider.on("/userinfo", response: busy(status: 403))
        await expectError(.resource, .unexpectedStatus) { try await session.send(request()) }
        var refusal = busy("5", status: 403)
        refusal.head.headerFields[.wwwAuthenticate] = #"Bearer error="insufficient_scope""#
        provider.on("/userinfo", response: refusal)
        await expectError(.resource, .insufficientScope) {
            try await session.send(request(), retryingWithin: .seconds(60))
        }
    }

    @Test("A status that the caller accepts is returned, not repeated")
    func acceptedStatus() async throws {
        let session = try await provider.session()
        provider.on("/userinfo", response: busy("5"))
        let response = try await session.send(request(), accepting: 200..<600, retryingWithin: .seconds(60))
        #expect(response.status == 429)
        #expect(provider.count("/userinfo") == 1)
    }

    @Test("A call also waits for a busy token endpoint")
    func busyTokenEndpoint() async throws {
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3600))
        respond(busy("7"), to: "/token")
        let response = try await session.send(request(.post), retryingWithin: .seconds(60))
        #expect(response.status == 200)
        #expect((7...7.7).contains(pauses[0]) && pauses.count == 1)
        #expect(provider.count("/userinfo") == 1)
    }

    @Test("A resource and a client's own token are called in the same way")
    func otherCalls() async throws {
        let yaml =
            Fixture.openID
            + "resources: [{ scope: email, title: Me, url: \"https://id.acme.example/userinfo\", method: POST }]\n"
        let session = try await provider.session(yaml)
        let resource = try #require(ResourceMap(of: try Fixture.provider(yaml)).resource(named: "Me"))
        respond(busy("3"))
        #expect(try await session.call(resource, retryingWithin: .seconds(60)).status == 200)
        let client = try provider.client(yaml, secret: "client-secret")
        provider.on("/token", response: .json(#"{"access_token":"own","token_type":"Bearer","expires_in":3600}"#))
        respond(busy("3"))
        let grant = ClientGrant.clientCredentials(scopes: ["email"])
        #expect(try await client.send(request(.post), with: grant, retryingWithin: .seconds(60)).status == 200)
        #expect(pauses.count == 2)
    }

    @Test("A task that is cancelled during the pause sends nothing more")
    func cancellation() async throws {
        let session = try await provider.session()
        let gate = Gate()
        provider.on("/userinfo") { _, _ in
            await gate.pass()
            return busy("7")
        }
        let task = Task { try await session.send(request(), retryingWithin: .seconds(60)) }
        await gate.arrival()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(provider.count("/userinfo") == 1)
    }

    @Test("Each repetition is counted")
    func metrics() async throws {
        let metrics = TelemetryBackends.metrics
        let session = try await provider.session(Fixture.openID.replacing("id: acme", with: "id: retried"))
        respond(busy("1"), busy("1"))
        _ = try await session.send(request(), retryingWithin: .seconds(60))
        let counter = try metrics.expectCounter(
            "carnet.exchange.retried", [("provider", "retried"), ("step", "resource")])
        #expect(counter.totalValue == 2)
    }
}
