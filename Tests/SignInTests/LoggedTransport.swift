import Carnet
import CarnetDescriptors

/// Keeps the responses that another transport got.
struct LoggedTransport: Transport {
    let transport: any Transport
    let answers: AnswerLog

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let response = try await transport.send(request, limits: limits)
        answers.append(response)
        return response
    }
}

/// The answers of a sandbox, oldest first.
final class AnswerLog: Sendable {
    private let answers = Lock<[IncomingResponse]>([])

    func append(_ answer: IncomingResponse) { answers.withLock { $0.append(answer) } }

    var all: [IncomingResponse] { answers.withLock { $0 } }
}
