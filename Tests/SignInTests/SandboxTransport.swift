import Carnet
import CarnetSandbox

/// Hands the engine's requests to a sandbox in this process.
struct SandboxTransport: Transport {
    let sandbox: Sandbox

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        guard await sandbox.isReachable(request.head) else {
            throw TransportError(.connection, "connection refused")
        }
        let (head, body) = await sandbox.respond(to: request.head, body: request.body)
        return IncomingResponse(head: head, body: body)
    }
}
