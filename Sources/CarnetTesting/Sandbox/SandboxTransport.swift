public import Carnet
import CarnetProtocol
public import CarnetSandbox
import HTTPTypes

/// Sends every request to a sandbox in this process: the provider's real URLs, and no network.
public struct SandboxTransport: Transport {
    private let sandbox: Sandbox

    public init(_ sandbox: Sandbox) { self.sandbox = sandbox }

    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        guard await sandbox.isReachable(request.head, body: request.body) else {
            throw TransportError(.connection, "connection refused by \(request.head.authority ?? "the server")")
        }
        let (head, body) = await sandbox.respond(to: request.withCertificateField().head, body: request.body)
        guard body.count <= limits.maximumBodyBytes else {
            throw TransportError(.responseTooLarge, "the response is larger than \(limits.maximumBodyBytes) bytes")
        }
        return IncomingResponse(head: head, body: body)
    }
}

extension OutgoingRequest {
    /// The request with its certificate in a header, as a proxy forwards it (RFC 9440): a sandbox speaks no TLS.
    func withCertificateField() -> OutgoingRequest {
        guard let certificate = certificate?.chain.first, let field = Sandbox.certificateField(certificate) else {
            return self
        }
        var request = self
        request.certificate = nil
        request.head.headerFields.append(field)
        return request
    }
}
