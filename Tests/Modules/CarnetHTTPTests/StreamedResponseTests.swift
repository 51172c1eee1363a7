import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import CarnetTransport
import HTTPTypes
import Testing

@Suite("A response that is streamed")
struct StreamedResponseTests {
    /// What came of a stream so far.
    private final class Reader: Sendable {
        let heads = Lock<[Int]>([])
        let text = Lock("")

        /// - Parameter last: After it, nothing more is wanted.
        func stream(until last: String? = nil, within deadline: Duration = .seconds(60)) -> ResponseStream {
            ResponseStream(deadline: deadline) { head in
                self.heads.withLock { $0.append(head.status.code) }
            } take: { bytes in
                self.text.withLock { text in
                    text += String(decoding: bytes, as: UTF8.self)
                    return last.map { !text.hasSuffix($0) } ?? true
                }
            }
        }
    }

    private func send(
        _ kind: NetworkTransport, _ server: RawServer, _ stream: ResponseStream, deadline: Duration = .seconds(60)
    ) async throws -> IncomingResponse {
        var request = OutgoingRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/"))
        request.stream = stream
        let transport = kind.make(localAccess: .all)
        let limits = TransportLimits(maximumBodyBytes: 4, deadline: deadline)
        do {
            let response = try await transport.send(request, limits: limits)
            await transport.shutdown()
            return response
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

    @Test(
        "is passed on while it arrives, and ends when its reader wants no more", .timeLimit(.minutes(2)),
        arguments: NetworkTransport.allCases)
    func arrives(_ kind: NetworkTransport) async throws {
        let server = try RawServer([.send(Self.head), .send("data: 1\n\n"), .waitForHangUp])
        let reader = Reader()
        let error = await #expect(throws: TransportError.self) {
            try await send(kind, server, reader.stream(until: "data: 1\n\n"))
        }
        #expect(error?.kind == .interrupted)
        #expect(reader.heads.withLock { $0 } == [200] && reader.text.withLock { $0 } == "data: 1\n\n")
    }

    @Test(
        "may be larger and take longer than a whole body", .timeLimit(.minutes(2)), arguments: NetworkTransport.allCases
    )
    func limits(_ kind: NetworkTransport) async throws {
        let body = String(repeating: "x", count: 250)
        // 20 ms for each byte.
        let server = try RawServer([.send(Self.head), .drip(Array(body.utf8)), .endSending])
        let reader = Reader()
        let started = ContinuousClock.now
        let response = try await send(kind, server, reader.stream(within: .seconds(4)), deadline: .seconds(4))
        #expect(ContinuousClock.now - started > .seconds(4))
        #expect(response.status == 200 && response.body.isEmpty && reader.text.withLock { $0 } == body)
    }

    @Test("is whole if it is an error, or has a content coding", arguments: NetworkTransport.allCases)
    func others(_ kind: NetworkTransport) async throws {
        for head in ["404 Not Found\r\n", "200 OK\r\nContent-Encoding: identity\r\n"] {
            let server = try RawServer([.send("HTTP/1.1 \(head)Content-Length: 2\r\n\r\nno")])
            let reader = Reader()
            let response = try await send(kind, server, reader.stream())
            #expect(response.body == Array("no".utf8) && reader.heads.withLock { $0 }.isEmpty)
        }
    }
}
