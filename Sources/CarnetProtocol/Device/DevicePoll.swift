package import CarnetDescriptors
package import Foundation
import HTTPTypes

/// What one request for the tokens of a device brought (RFC 8628, section 3.5).
package enum DevicePoll: Sendable {
    case granted(TokenResponse)
    /// The person has not answered yet.
    case pending
    /// As `pending`, and from now on five seconds more are to be between two requests.
    case slowDown
}

extension DevicePoll {
    /// Asks whether the person has answered (RFC 8628, section 3.4).
    package static func request(
        _ device: DeviceAuthorization,
        at provider: Provider,
        as registration: ClientRegistration,
        random: any RandomSource,
        now: Date
    ) throws(OAuthError) -> PreparedRequest {
        let grant = provider.device.token
        var parameters = RequestParameters(.deviceAuthorization, .deviceToken, grant.request)
        try parameters.addGrantType(grant.grantType)
        try parameters.add(.deviceCode, device.deviceCode)
        return try TokenRequest.send(
            &parameters, at: provider, rules: grant.request, registration: registration, random: random,
            now: now)
    }

    /// Judges the answer.
    ///
    /// - Throws: `OAuthError` at step `deviceAuthorization`: of kind `serverError` when the person declined, of kind
    ///   `expiredAttempt` when the codes have ended, of kind `serverUnavailable` when only this request failed.
    package init(
        judging response: IncomingResponse,
        to request: PreparedRequest,
        from provider: Provider
    ) throws(OAuthError) {
        do {
            self = .granted(try TokenResponse(judging: response, to: request, from: provider))
        } catch {
            // Real servers say these with any status.
            switch error.server?.code {
            case "authorization_pending": self = .pending
            case "slow_down": self = .slowDown
            case "expired_token":
                throw error.meaning(.expiredAttempt, "nobody confirmed the code in time", hint: "begin again")
            case "access_denied":
                throw error.meaning(
                    .serverError, "the person or the provider declined", hint: "begin again to give consent")
            default: throw error
            }
        }
    }
}

/// When to ask next (RFC 8628, section 3.5). It knows no clock: it gives seconds to wait.
package struct DevicePollSchedule: Sendable {
    /// How many seconds are between two requests.
    package private(set) var interval: TimeInterval
    /// Requests in a row that nothing came of.
    private var failures = 0

    static let slowDownStep: TimeInterval = 5
    static let longestWait: TimeInterval = 300

    package init(interval: TimeInterval) {
        self.interval = interval
    }

    /// The wait before the first request.
    package var firstWait: TimeInterval { interval }

    /// The wait after an answer that the person has not given.
    ///
    /// - Parameter demanded: What a `Retry-After` header asks for.
    package mutating func wait(after poll: DevicePoll, demanded: TimeInterval? = nil) -> TimeInterval {
        failures = 0
        if case .slowDown = poll { interval = min(interval + Self.slowDownStep, Self.longestWait) }
        return min(max(interval, demanded ?? 0), Self.longestWait)
    }

    /// The wait after a request that was not answered, or by a server in trouble: it doubles each time.
    package mutating func waitAfterFailure(demanded: TimeInterval? = nil) -> TimeInterval {
        failures = min(failures + 1, 16)
        let backedOff = interval * Double(1 << failures)
        return min(max(backedOff, demanded ?? 0), Self.longestWait)
    }
}

extension IncomingResponse {
    /// The seconds of a `Retry-After` header (RFC 9110, section 10.2.3). A date would need a clock that is trusted.
    package var retryAfter: TimeInterval? {
        HTTPField.Name("Retry-After").flatMap { head.headerFields[$0] }.flatMap { Int($0) }
            .flatMap { $0 >= 0 ? TimeInterval($0) : nil }
    }
}
