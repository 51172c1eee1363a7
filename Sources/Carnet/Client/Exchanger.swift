import CarnetProtocol
import HTTPTypes
import Logging

/// Sends prepared requests, shows them to the observer and the log, and says failures in the engine's words. Every request
/// of the engine leaves here, and no other way.
struct Exchanger: Sendable {
    let transport: any Transport
    var limits: TransportLimits
    let observer: (any ExchangeObserver)?
    let logger: Logger
    /// Learns the time from those who give tokens.
    var clock: ProviderClock?
    /// What the client presents, and to whom.
    var certificate: PresentedCertificate?

    /// - Parameter bounds: Where the credentials that the request carries may go.
    /// - Throws: `OAuthError` of kind `bindingMismatch` before anything is sent, of kind `transport`;
    ///   `CancellationError`; `TransportError` of kind `tooLate`.
    func send(_ request: PreparedRequest, within bounds: CredentialBounds) async throws -> IncomingResponse {
        try bounds.check(request)
        return try await Telemetry.exchange(request) { try await sendObserved(request) }
    }

    private func sendObserved(_ request: PreparedRequest) async throws -> IncomingResponse {
        observer?.willSend(request.redacted, step: request.step)
        let sent = clock?.localNow
        let response: IncomingResponse
        do {
            var outgoing = request.outgoing
            outgoing.certificate = certificate?.certificate(for: request.step)
            response = try await transport.send(outgoing, limits: limits)
        } catch let error as TransportError where error.kind == .tooLate {
            throw error
        } catch let error as TransportError {
            logger.warning("No response", metadata: ["step": "\(request.step.rawValue)", "reason": "\(error)"])
            guard error.kind != .localAddress else {
                throw OAuthError(
                    request.step,
                    .undeclaredHost,
                    "\(error)",
                    descriptorKey: request.descriptorKey,
                    hint: "if the provider is on this machine or network, allow its host in the transport's LocalAccess"
                )
            }
            throw OAuthError(
                request.step,
                .transport,
                "no answer from the server: \(error)",
                descriptorKey: request.descriptorKey,
                hint: error.kind == .responseTooLarge || error.kind == .tls ? nil : "try again later"
            )
        }
        if let sent, [.tokenRequest, .refresh].contains(request.step) {
            clock?.learn(from: response, sentAt: sent)
        }
        observer?.didReceive(RedactedResponse(response, to: request), step: request.step)
        logger.debug(
            "Exchange",
            metadata: [
                "step": "\(request.step.rawValue)",
                "host": "\(request.outgoing.head.authority ?? "")",
                "status": "\(response.status)",
            ]
        )
        return response
    }
}
