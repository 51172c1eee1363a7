import Carnet
import CarnetHTTP
import CarnetStoreTestSupport
import CarnetTesting
import Foundation
import Testing

/// A provider that responds wrongly or not at all, on a socket: each caller gets an error to try later, and none to sign in again.
@Suite("Unhealthy provider")
struct UnwellProviderTests {
    enum Illness: CaseIterable {
        case error500, error503, errorInHTML, hangs, respondsInDrips, closes, halfCloses, breaksOff, halfClosesInBody,
            resets
        case speaksAnotherProtocol

        var steps: [RawServer.Step] {
            let begun =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"access_token\":"
            switch self {
            case .error500: return [.send("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")]
            case .error503:
                let body = #"{"error":"invalid_grant"}"#
                return [
                    .send("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"),
                    .send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)"),
                ]
            case .errorInHTML:
                return [.send("HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")]
            case .hangs: return [.waitForHangUp]
            case .respondsInDrips: return [.drip(Array(begun.utf8))]
            case .closes: return []
            case .halfCloses: return [.endSending, .waitForHangUp]
            case .breaksOff: return [.send(begun)]
            case .halfClosesInBody: return [.send(begun), .endSending, .waitForHangUp]
            case .resets: return [.send(begun), .reset]
            case .speaksAnotherProtocol: return [.send("SSH-2.0-OpenSSH_9.2\r\n")]
            }
        }
    }

    @Test("Ends no session", arguments: Illness.allCases)
    func endsNoSession(illness: Illness) async throws {
        let storm = try await Storm(.files)
        let store = try storm.location.open()
        let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))
        try await storm.signIn(store, clock: clock)
        clock.advance(by: .seconds(10_000))
        let server = try RawServer(illness.steps)
        defer { server.stop() }
        let unwell = try StormProvider.client(
            store,
            transport: SandboxBoundTransport(
                base: server.authority, transport: AsyncHTTPTransport(localAccess: .all)),
            limits: TransportLimits(deadline: .milliseconds(300)), clock: clock)
        let session = try #require(try await unwell.session(for: StormProvider.key.account))
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    let error = await #expect(throws: OAuthError.self) { try await session.tokens() }
                    #expect(error?.disposition == .tryLater, "\(error.map { "\($0)" } ?? "")")
                }
            }
        }
        var states = session.states.makeAsyncIterator()
        guard case .tryLater? = await states.next() else {
            Issue.record("the state is not that of a failure that passes")
            return
        }
        let well = try #require(try await storm.client(store, clock: clock).session(for: StormProvider.key.account))
        #expect(try await !well.tokens().isExpiring(within: 0, at: clock.now))
    }
}
