import CarnetDescriptors
import CarnetProtocol
import Foundation
import HTTPTypes

extension OAuthClient {
    /// Sends a request, with a proof of the key if there is one.
    ///
    /// A server that first wants its nonce in the proof is asked once more (RFC 9449, sections 8 and 9); the request is
    /// made anew for it, because nothing that is good for one use may go out twice.
    ///
    /// - Parameters:
    ///   - bounds: Where the credentials that the request carries may go.
    ///   - first: The request of the first attempt, where it was made before.
    ///   - moment: When it is too late to send it; `nil` for never.
    /// - Returns: The response, and the request that it answers.
    nonisolated func send(
        within bounds: CredentialBounds,
        provedBy key: Secret?,
        accessToken: Secret? = nil,
        first: PreparedRequest? = nil,
        before moment: ContinuousClock.Instant? = nil,
        _ make: @Sendable () throws -> PreparedRequest
    ) async throws -> (response: IncomingResponse, request: PreparedRequest) {
        var exchanger = exchanger
        exchanger.limits.sendBefore = moment
        guard let key else {
            let request = try first ?? make()
            return (try await exchanger.send(request, within: bounds), request)
        }
        let dpopKey = try DPoPKey(sealed: key)
        var attempt = try prove(try first ?? make(), dpopKey, accessToken)
        var response = try await exchanger.send(attempt, within: bounds)
        nonces.learn(from: response, at: DPoPNonces.Place(of: attempt))
        if response.demandsDPoPNonce {
            attempt = try prove(try make(), dpopKey, accessToken)
            response = try await exchanger.send(attempt, within: bounds)
            nonces.learn(from: response, at: DPoPNonces.Place(of: attempt))
        }
        return (response, attempt)
    }

    nonisolated private func prove(
        _ request: PreparedRequest,
        _ key: DPoPKey,
        _ accessToken: Secret?
    ) throws -> PreparedRequest {
        try request.proving(
            key,
            accessToken: accessToken,
            nonce: nonces[DPoPNonces.Place(of: request)],
            random: random,
            now: clock.now
        )
    }
}
