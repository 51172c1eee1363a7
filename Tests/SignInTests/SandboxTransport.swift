import Carnet
import CarnetSandbox
import HTTPTypes
import Synchronization

/// Hands the engine's requests to a sandbox in this process, and keeps its answers.
struct SandboxTransport: Transport {
    let sandbox: Sandbox
    var answers = AnswerLog()

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        guard await sandbox.isReachable(request.head) else {
            throw TransportError(.connection, "connection refused")
        }
        var request = request
        // As a proxy tells it that ends TLS (RFC 9440).
        if let certificate = request.certificate?.chain.first, let field = Sandbox.certificateField(certificate) {
            request.head.headerFields.append(field)
        }
        let (head, body) = await sandbox.respond(to: request.head, body: request.body)
        let response = IncomingResponse(head: head, body: body)
        answers.append(response)
        return response
    }
}

/// The answers of a sandbox, oldest first.
final class AnswerLog: Sendable {
    private let answers = Mutex<[IncomingResponse]>([])

    func append(_ answer: IncomingResponse) { answers.withLock { $0.append(answer) } }

    var all: [IncomingResponse] { answers.withLock { $0 } }
}
