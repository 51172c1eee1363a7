import Carnet
import CarnetProtocol
import CarnetSandbox
import HTTPTypes

/// Hands every request to a sandbox in this process: no network, and the provider's real URLs.
struct SandboxTransport: Transport {
    let sandbox: Sandbox

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        guard await sandbox.isReachable(request.head, body: request.body) else {
            throw TransportError(.connection, "connection refused by \(request.head.authority ?? "the server")")
        }
        let (head, body) = await sandbox.respond(to: request.tellingCertificate().head, body: request.body)
        guard body.count <= limits.maximumBodyBytes else {
            throw TransportError(.responseTooLarge, "the answer is larger than \(limits.maximumBodyBytes) bytes")
        }
        return IncomingResponse(head: head, body: body)
    }
}

extension OutgoingRequest {
    /// The request with its certificate told in a header: no TLS is spoken with a sandbox.
    func tellingCertificate() -> OutgoingRequest {
        guard let certificate = certificate?.chain.first, let field = Sandbox.certificateField(certificate) else {
            return self
        }
        var request = self
        request.certificate = nil
        request.head.headerFields.append(field)
        return request
    }
}
