import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

extension OAuthClient {
    /// Sends a request, with a proof if there is a key.
    ///
    /// If the server requires its nonce in the proof, the request is sent once more (RFC 9449, sections 8 and 9). It
    /// is built again, because values for one use must not be sent twice.
    ///
    /// - Parameters:
    ///   - bounds: The servers that may receive the request's credentials.
    ///   - first: The request of the first attempt, if it exists already.
    ///   - moment: The latest time to send it; `nil` for no limit.
    /// - Returns: The response, and its request.
    func send(
        within bounds: CredentialBounds,
        provedBy key: Secret?,
        accessToken: Secret? = nil,
        first: PreparedRequest? = nil,
        before moment: ContinuousClock.Instant? = nil,
        _ make: @Sendable () throws -> PreparedRequest
    ) async throws -> (response: IncomingResponse, request: PreparedRequest) {
        guard let key else {
            let request = bounds.hiding(in: try first ?? make())
            return (try await exchanger.send(request, within: bounds, before: moment), request)
        }
        let dpopKey = try DPoPKey(encoded: key)
        var attempt = try prove(bounds.hiding(in: try first ?? make()), dpopKey, accessToken)
        var response = try await exchanger.send(attempt, within: bounds, before: moment)
        nonces.learn(from: response, at: DPoPNonces.Place(of: attempt))
        if response.demandsDPoPNonce {
            attempt = try prove(bounds.hiding(in: try make()), dpopKey, accessToken)
            response = try await exchanger.send(attempt, within: bounds, before: moment)
            nonces.learn(from: response, at: DPoPNonces.Place(of: attempt))
        }
        return (response, attempt)
    }

    private func prove(
        _ request: PreparedRequest,
        _ key: DPoPKey,
        _ accessToken: Secret?
    ) throws -> PreparedRequest {
        try request.proving(
            key,
            accessToken: accessToken,
            nonce: nonces[DPoPNonces.Place(of: request)],
            random: random,
            now: providerClock.now
        )
    }
}
