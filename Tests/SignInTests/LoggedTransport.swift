import Carnet
import CarnetDescriptors
import CarnetProtocol
import HTTPTypes

/// Keeps the responses that another transport got.
struct LoggedTransport: Transport {
    let transport: any Transport
    let answers: AnswerLog
    /// The status of the response to a URL, in place of the other transport's response.
    var statuses: [String: Int] = [:]

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let head = request.head
        let url = "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")"
        if let status = statuses[url] {
            return IncomingResponse(head: HTTPResponse(status: HTTPResponse.Status(code: status)), body: [])
        }
        let response = try await transport.send(request, limits: limits)
        answers.append(response)
        return response
    }
}

/// The answers of a sandbox, oldest first.
final class AnswerLog: ExchangeObserver {
    private let answers = Lock<[IncomingResponse]>([])
    private let shown = Lock<[RedactedRequest]>([])

    /// The requests as they may be shown, oldest first.
    var requests: [RedactedRequest] { shown.withLock { $0 } }

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) { shown.withLock { $0.append(request) } }

    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) {}

    func append(_ answer: IncomingResponse) { answers.withLock { $0.append(answer) } }

    var all: [IncomingResponse] { answers.withLock { $0 } }
}
