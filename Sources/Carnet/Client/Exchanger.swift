import CarnetProtocol
import HTTPTypes
import Logging

/// Sends all requests of the engine, reports them to the observer and the log, and turns failures into `OAuthError`s.
struct Exchanger: Sendable {
    let transport: any Transport
    var limits: TransportLimits
    let observer: (any ExchangeObserver)?
    let logger: Logger
    /// Learns the time from the authorization server: from responses that no cache keeps.
    var clock: ProviderClock?
    /// The client certificate, and the requests that it is for.
    var certificate: PresentedCertificate?
    /// The provider of the requests, whose descriptor says what of a response is secret; `nil` before there is one.
    var provider: Provider?

    /// - Parameters:
    ///   - bounds: The servers that may receive the request's credentials.
    ///   - moment: The latest time to send it; `nil` for no limit.
    /// - Throws: `OAuthError` of kind `bindingMismatch` before anything is sent, of kind `transport`;
    ///   `CancellationError`; `TransportError` of kind `tooLate`.
    func send(
        _ request: PreparedRequest, within bounds: CredentialBounds, before moment: ContinuousClock.Instant? = nil
    ) async throws -> IncomingResponse {
        try bounds.check(request)
        return try await Telemetry.exchange(request) { try await sendObserved(request, before: moment) }
    }

    private func sendObserved(
        _ request: PreparedRequest, before moment: ContinuousClock.Instant?
    ) async throws -> IncomingResponse {
        observer?.willSend(request.redacted, step: request.step)
        let sent = clock?.localNow
        var response: IncomingResponse
        do {
            var outgoing = request.outgoing
            outgoing.certificate = certificate?.certificate(for: request.step)
            outgoing.takesNewConnection = request.step.isForOneUse
            var limits = limits
            limits.sendBefore = moment
            if let stream = outgoing.stream { limits.deadline = stream.deadline }
            do {
                response = try await transport.send(outgoing, limits: limits)
            } catch let error as TransportError where error.receivedNothing && request.mayBeRepeated {
                logger.debug("Sent again", metadata: ["step": "\(request.step.rawValue)", "reason": "\(error)"])
                response = try await transport.send(outgoing, limits: limits)
            }
            response.request = request
        } catch let error as TransportError where error.kind != .tooLate {
            logger.warning("No response", metadata: ["step": "\(request.step.rawValue)", "reason": "\(error)"])
            guard error.kind != .localAddress else {
                throw OAuthError(
                    request.step, .undeclaredHost, "\(error)", descriptorKey: request.descriptorKey,
                    hint: Advice.localHost.next)
            }
            throw OAuthError(
                request.step, .transport, "\(Self.lead(error.kind)): \(error)", descriptorKey: request.descriptorKey,
                // No advice to try again where the same request fails again.
                hint: error.hint
                    ?? ([.responseTooLarge, .tls, .unsupportedRequest].contains(error.kind) ? "" : nil))
        }
        if let sent, request.step.teachesTime { clock?.learn(from: response, sentAt: sent) }
        if response.status >= 400,
            let retryAfter = RetryAfter(of: response, at: clock?.localNow ?? SystemWallClock().now)
        {
            response.retryAfter = retryAfter
            logger.notice(
                "A server asked to wait",
                metadata: [
                    "step": "\(request.step.rawValue)", "host": "\(request.outgoing.head.authority ?? "")",
                    "status": "\(response.status)", "seconds": "\(Int(retryAfter.seconds.rounded(.up)))",
                ])
        }
        observer?.didReceive(RedactedResponse(response, to: request, at: provider), step: request.step)
        logger.debug(
            "Exchange",
            metadata: [
                "step": "\(request.step.rawValue)", "host": "\(request.outgoing.head.authority ?? "")",
                "status": "\(response.status)",
            ])
        return response
    }

    private static func lead(_ kind: TransportError.Kind) -> String {
        switch kind {
        case .responseTooLarge: "the response is not read"
        case .unsupportedRequest: "nothing was sent"
        default: "no response from the server"
        }
    }
}

extension PreparedRequest {
    /// Whether the request may be sent again if its connection closed before a response (RFC 9110, section 9.2.2). A code or
    /// a refresh token is sent once, also in a GET.
    fileprivate var mayBeRepeated: Bool {
        let steps: [OAuthError.Step] = [.discovery, .keys, .profile, .resource, .registration, .connection]
        return [.get, .head].contains(outgoing.head.method) && outgoing.body.isEmpty && steps.contains(step)
    }
}

extension OAuthError.Step {
    /// Whether the request has something that is used once.
    fileprivate var isForOneUse: Bool {
        [.tokenRequest, .refresh, .pushedAuthorization, .registration, .revocation].contains(self)
    }

    /// Whether the authorization server itself responds, afresh each time.
    fileprivate var teachesTime: Bool {
        [.tokenRequest, .refresh, .pushedAuthorization, .deviceAuthorization].contains(self)
    }
}
