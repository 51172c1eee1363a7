import Carnet
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Sends the requests of a probe: each names the program, and a pause precedes all but the first.
final class ProbeTransport: Transport {
    private let base: any Transport
    private let pause: Duration
    private let hasSent: Lock<Bool>
    private let failure = Lock<TransportError?>(nil)

    /// Why the last request got no response; `nil` if it got one.
    var lastFailure: TransportError? { failure.withLock(\.self) }

    /// A server's operator can see who asks, and that no person does.
    static let userAgent =
        "carnet-probe/\(Version.text.prefix { $0 != " " }) (checks public OAuth endpoints; no account)"

    /// - Parameter isFirst: Whether no other provider was asked before.
    init(_ base: any Transport, pause: Duration, isFirst: Bool = true) {
        (self.base, self.pause) = (base, pause)
        hasSent = Lock(!isFirst)
    }

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let isFirst = hasSent.withLock { hasSent in
            defer { hasSent = true }
            return !hasSent
        }
        if !isFirst, pause > .zero { try await Task.sleep(for: pause) }
        var request = request
        request.head.headerFields[.userAgent] = Self.userAgent
        do {
            let response = try await base.send(request, limits: limits)
            failure.withLock { $0 = nil }
            return response
        } catch let error as TransportError {
            failure.withLock { $0 = error }
            throw error
        }
    }
}
