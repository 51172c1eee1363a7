import Carnet
import CarnetTransport
import NIOCore

/// A request's body that is sent only if the connection is ready before a deadline.
struct TimedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let bytes: ByteBuffer
    let limits: TransportLimits
    let origin: String

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: TimedBody
        fileprivate var isGiven = false

        mutating func next() async throws -> ByteBuffer? {
            guard !isGiven else { return nil }
            try body.limits.checkMoment(body.origin)
            isGiven = true
            return body.bytes
        }
    }
}
