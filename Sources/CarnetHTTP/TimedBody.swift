import Carnet
import NIOCore

/// A request's body that is sent only if the connection is ready before a deadline.
struct TimedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let bytes: ByteBuffer
    private let moment: ContinuousClock.Instant
    private let origin: String

    init(_ bytes: [UInt8], before moment: ContinuousClock.Instant, origin: String) {
        self.bytes = ByteBuffer(bytes: bytes)
        self.moment = moment
        self.origin = origin
    }

    /// - Throws: `TransportError`, `tooLate`.
    func check() throws {
        guard .now < moment else {
            throw TransportError(.tooLate, "the connection to \(origin) took too long; the request was not sent")
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: TimedBody
        private var isGiven = false

        fileprivate init(body: TimedBody) {
            self.body = body
        }

        mutating func next() async throws -> ByteBuffer? {
            guard !isGiven else { return nil }
            try body.check()
            isGiven = true
            return body.bytes
        }
    }
}
