package import CarnetDescriptors
package import CarnetFoundation

/// The result of one token request of the device flow (RFC 8628, section 3.5).
package enum DevicePoll: Sendable {
    case granted(TokenResponse)
    /// The user has not decided yet.
    case pending
    /// As `pending`, and the interval grows by five seconds.
    case slowDown
}

extension DevicePoll {
    /// Asks whether the user has decided (RFC 8628, section 3.4).
    package static func request(
        _ device: DeviceAuthorization, in context: RequestContext<FilledProvider>
    ) throws(OAuthError) -> PreparedRequest {
        let provider = context.provider
        let grant = provider.device.token
        var parameters = RequestParameters(.deviceAuthorization, .deviceToken, grant.request)
        try parameters.addGrantType(grant.grantType)
        try parameters.add(.deviceCode, device.deviceCode)
        try parameters.addResources(device.resources, besideThoseOf: grant.request)
        return try TokenRequest.send(
            parameters, to: provider.endpoints[.deviceToken] == nil ? nil : .deviceToken, in: context,
            rules: grant.request)
    }

    /// Validates the response.
    ///
    /// - Throws: `OAuthError` at step `deviceAuthorization`: of kind `serverError` if the user denied access, of kind
    ///   `expiredAttempt` if the codes expired, of kind `serverUnavailable` or `tooManyRequests` if only this request
    ///   failed.
    package init(
        validating response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider
    ) throws(OAuthError) {
        // Some servers say so with an empty body, which grants nothing.
        if response.isSuccess, response.body.isEmpty {
            self = .pending
            return
        }
        do {
            self = .granted(try TokenResponse(validating: response, to: request, from: provider))
        } catch {
            // Some servers send these errors with any status.
            switch error.server?.code {
            case "authorization_pending": self = .pending
            case "slow_down": self = .slowDown
            case "expired_token":
                throw error.meaning(.expiredAttempt, "nobody entered the code in time")
            case "access_denied":
                throw error.meaning(.serverError, "the user or the provider denied access")
            default: throw error
            }
        }
    }
}

/// The schedule of the token requests (RFC 8628, section 3.5). It has no clock: it returns seconds to wait.
package struct DevicePollSchedule: Sendable {
    /// The interval between two requests, in seconds.
    package private(set) var interval: TimeInterval
    /// Failed requests in a row.
    private var failures = 0

    static let slowDownStep: TimeInterval = 5
    static let longestWait: TimeInterval = 300

    package init(interval: TimeInterval) { self.interval = interval }

    /// The wait before the first request.
    package var firstWait: TimeInterval { interval }

    /// The wait after a `pending` response.
    ///
    /// - Parameter demanded: The seconds of a `Retry-After` header.
    package mutating func wait(after poll: DevicePoll, demanded: TimeInterval? = nil) -> TimeInterval {
        failures = 0
        if case .slowDown = poll { interval = min(interval + Self.slowDownStep, Self.longestWait) }
        return min(max(interval, demanded ?? 0), Self.longestWait)
    }

    /// The wait after a failed request or a server error: it doubles each time.
    package mutating func waitAfterFailure(demanded: TimeInterval? = nil) -> TimeInterval {
        failures = min(failures + 1, 16)
        let backedOff = interval * Double(1 << failures)
        return min(max(backedOff, demanded ?? 0), Self.longestWait)
    }
}
