import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

extension OAuthClient {
    /// Runs a call of a resource, and again while the server is busy.
    ///
    /// The pause is what the server asks for, else 1 second, which doubles up to 60. It is random by up to a half, or by
    /// up to a tenth of what the server asks for, so that many callers do not come back in the same moment.
    ///
    /// - Parameter limit: The time from the first attempt in which another may begin; `nil` for one attempt.
    func retrying<Result: Sendable>(
        _ method: HTTPRequest.Method, within limit: Duration?, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let limit else { return try await body() }
        let end = clock.now.addingTimeInterval(limit.timeInterval)
        var backoff: TimeInterval = 1
        while true {
            do {
                return try await body()
            } catch let error as OAuthError where error.allowsAnotherAttempt(method) {
                let now = clock.now
                let demanded = error.retryAt?.timeIntervalSince(now) ?? 0
                let shortest = max(demanded, backoff / 2)
                guard now.addingTimeInterval(shortest) <= end else { throw error }
                let longest = max(demanded * 1.1, backoff)
                let wait = shortest + (longest - shortest) * random.fraction
                Telemetry.count("carnet.exchange.retried", error.step, at: provider.id)
                try await clock.sleep(for: .seconds(min(wait, end.timeIntervalSince(now))))
                try Task.checkCancellation()
                backoff = min(backoff * 2, Self.longestBackoff)
            }
        }
    }

    private static let longestBackoff: TimeInterval = 60
}

extension RandomSource {
    fileprivate var fraction: Double { bytes(count: 4).reduce(0) { ($0 + Double($1)) / 256 } }
}

extension OAuthError {
    /// Whether a call may be repeated: the server did not act on it, or acting twice is as acting once (RFC 9110, section
    /// 9.2.2).
    fileprivate func allowsAnotherAttempt(_ method: HTTPRequest.Method) -> Bool {
        // An error of another step, such as a refresh, came before the call.
        guard step == .resource else { return disposition == .tryLater && retryAt != nil }
        switch kind {
        case .tooManyRequests: return true
        case .serverUnavailable:
            let idempotent: Set<HTTPRequest.Method> = [.get, .head, .options, .trace, .put, .delete]
            return idempotent.contains(method) && [408, 500, 502, 503, 504].contains(status)
        default: return false
        }
    }
}
