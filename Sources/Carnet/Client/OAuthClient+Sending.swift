import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

extension OAuthClient {
    /// Sends a request, with a proof if there is a key.
    ///
    /// It is sent once more in two cases, in which the server has used nothing of it. It is built again then, because values
    /// for one use must not be sent twice.
    ///
    /// - The server requires its nonce in the proof (RFC 9449, sections 8 and 9).
    /// - The server refuses a client whose id or secret has another form without percent-encoding (RFC 6749, section 2.3.1).
    ///   The form that it accepts is remembered.
    ///
    /// - Parameters:
    ///   - bounds: The servers that may receive the request's credentials.
    ///   - first: The request of the first attempt, if it exists already.
    ///   - moment: The latest time to send it; `nil` for no limit.
    /// - Returns: The response, and its request.
    func send(
        within bounds: CredentialBounds,
        provedBy key: Secret? = nil,
        accessToken: Secret? = nil,
        first: PreparedRequest? = nil,
        before moment: ContinuousClock.Instant? = nil,
        _ make: @Sendable () throws -> PreparedRequest
    ) async throws -> (response: IncomingResponse, request: PreparedRequest) {
        let dpopKey = try key.map { try DPoPKey(encoded: $0) }
        func attempt(
            _ made: PreparedRequest, inOtherEncoding: Bool
        ) async throws -> (response: IncomingResponse, request: PreparedRequest) {
            var request = bounds.hiding(in: made)
            if inOtherEncoding { request = request.withOtherCredentials ?? request }
            if let dpopKey { request = try prove(request, dpopKey, accessToken) }
            let response = try await exchanger.send(request, within: bounds, before: moment)
            if dpopKey != nil { nonces.learn(from: response, at: DPoPNonces.Place(of: request)) }
            return (response, request)
        }
        func attempts(
            _ made: PreparedRequest, inOtherEncoding: Bool
        ) async throws -> (response: IncomingResponse, request: PreparedRequest) {
            let result = try await attempt(made, inOtherEncoding: inOtherEncoding)
            guard dpopKey != nil, result.response.demandsDPoPNonce else { return result }
            return try await attempt(try make(), inOtherEncoding: inOtherEncoding)
        }
        let isOther = usesOtherBasicEncoding.withLock { $0 }
        let result = try await attempts(try first ?? make(), inOtherEncoding: isOther)
        guard result.response.refusesClient, result.request.withOtherCredentials != nil else { return result }
        let second = try await attempts(try make(), inOtherEncoding: !isOther)
        if !second.response.refusesClient { usesOtherBasicEncoding.withLock { $0 = !isOther } }
        return second
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
