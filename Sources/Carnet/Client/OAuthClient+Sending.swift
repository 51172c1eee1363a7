import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

extension OAuthClient {
    typealias Exchange = (response: IncomingResponse, request: PreparedRequest)

    /// Sends a request, with a proof if there is a key.
    ///
    /// It is sent again in two cases, in which the server has used nothing of it. It is built again then, because values
    /// for one use must not be sent twice.
    ///
    /// - The server requires its nonce in the proof (RFC 9449, sections 8 and 9).
    /// - The server refuses a client whose id and secret it may accept in another form (RFC 6749, section 2.3.1): without
    ///   percent-encoding, or in the body. Each form is tried once, and the one that it accepts is remembered.
    ///
    /// - Parameters:
    ///   - bounds: The servers that may receive the request's credentials.
    ///   - first: The request of the first attempt, if it exists already.
    ///   - moment: The latest time to send it; `nil` for no limit.
    /// - Returns: The response, and its request.
    func send(
        within bounds: CredentialBounds, provedBy key: Secret? = nil, accessToken: Secret? = nil,
        first: PreparedRequest? = nil, before moment: ContinuousClock.Instant? = nil,
        _ make: @Sendable () throws -> PreparedRequest
    ) async throws -> Exchange {
        let dpopKey = try key.map { try DPoPKey(encoded: $0) }
        // Without the token, there is nothing to prove.
        func isProved(_ made: PreparedRequest) -> Bool { accessToken == nil || made.hasToken }
        func attempt(_ made: PreparedRequest, in form: Int) async throws -> Exchange {
            var request = bounds.hiding(in: try made.inForm(form))
            if let dpopKey, isProved(made) {
                request = try request.proving(
                    dpopKey, accessToken: accessToken, nonce: nonces[DPoPNonces.Place(of: request)], random: random,
                    now: providerClock.now)
            }
            let response = try await exchanger.send(request, within: bounds, before: moment)
            if dpopKey != nil { nonces.learn(from: response, at: DPoPNonces.Place(of: request)) }
            return (response, request)
        }
        func attempts(_ made: PreparedRequest, in form: Int) async throws -> Exchange {
            let result = try await attempt(made, in: form)
            guard dpopKey != nil, isProved(made), result.response.demandsDPoPNonce else { return result }
            return try await attempt(try make(), in: form)
        }
        let accepted = acceptedForm.withLock { $0 }
        let made = try first ?? make()
        let result = try await attempts(made, in: accepted)
        guard result.response.refusesClient else { return result }
        for form in 0..<made.formCount where form != accepted {
            let other = try await attempts(try make(), in: form)
            guard other.response.refusesClient else {
                acceptedForm.withLock { $0 = form }
                return other
            }
        }
        return result
    }
}
