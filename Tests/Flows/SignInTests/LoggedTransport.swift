import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTransport
import HTTPTypes

/// Keeps the responses that another transport got, and refuses what no network transport sends.
struct LoggedTransport: Transport {
    let transport: any Transport
    let responses: ResponseLog
    /// The status of the response to a URL, in place of the other transport's response.
    var statuses: [String: Int] = [:]

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let url = try RequestTarget(request).url
        if let status = statuses[url] {
            return IncomingResponse(head: HTTPResponse(status: HTTPResponse.Status(code: status)), body: [])
        }
        let response = try await transport.send(request, limits: limits)
        responses.append(response, from: url)
        return response
    }
}

/// The responses of a sandbox, oldest first.
final class ResponseLog: ExchangeObserver {
    private let responses = Lock<[(url: String, response: IncomingResponse)]>([])
    private let shown = Lock<[RedactedRequest]>([])

    /// The requests as they may be shown, oldest first.
    var requests: [RedactedRequest] { shown.withLock { $0 } }

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) { shown.withLock { $0.append(request) } }

    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) {}

    func append(_ response: IncomingResponse, from url: String) { responses.withLock { $0.append((url, response)) } }

    var all: [IncomingResponse] { responses.withLock { $0.map(\.response) } }

    /// The latest response to requests of a URL.
    func latest(from url: String) -> IncomingResponse? { responses.withLock { $0.last { $0.url == url }?.response } }
}
