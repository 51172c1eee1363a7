import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol

extension OAuthClient {
    /// Begins a sign-in on another device: the page and the code to show (RFC 8628, section 3.1).
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request; `nil` for the registration's, else the descriptor's default.
    ///   - requestsRefreshToken: Whether to request a refresh token.
    ///   - resource: The resource servers that the tokens are for (RFC 8707). Each refresh names them again.
    /// - Throws: `OAuthError` at step `deviceAuthorization`.
    public func beginDeviceSignIn(
        scopes: [String]? = nil,
        requestsRefreshToken: Bool = true,
        resource: [String] = []
    ) async throws -> DeviceAuthorization {
        try await Telemetry.beginningSignIn(at: provider.id) {
            let provider = try await providerWithoutAccount()
            let (request, wanted, resources) = try DeviceAuthorization.request(
                scopes: scopes, isOffline: requestsRefreshToken, resources: resource, in: context(at: provider))
            let (response, sent) = try await send(within: bounds) { request }
            return try DeviceAuthorization(
                validating: response, to: sent, scopes: wanted, resources: resources, from: provider, now: clock.now)
        }
    }

    /// Waits until the user has decided at the other device, and saves the tokens.
    ///
    /// It polls at the provider's interval, waits longer while the provider is unavailable, and stops when the codes
    /// expire or the task is cancelled.
    ///
    /// - Parameter choosing: Called if a lookup of the descriptor finds several candidates.
    /// - Throws: `OAuthError` at step `deviceAuthorization`; `TokenStoreError`; `CancellationError`.
    public func completeDeviceSignIn(
        _ device: DeviceAuthorization,
        account: String? = nil,
        choosing: ConnectionChooser? = nil
    ) async throws -> Session {
        try await Telemetry.measuring("carnet.sign_in", at: provider.id.rawValue) {
            try await poll(device, account: account, choosing: choosing)
        }
    }

    /// The number of responses in a row without an OAuth error code after which the URL is wrong rather than a firewall in
    /// between.
    private static let mostStrangers = 5

    private func poll(
        _ device: DeviceAuthorization, account: String?, choosing: ConnectionChooser?
    ) async throws -> Session {
        let provider = try await providerWithoutAccount()
        let dpopKey = try registration.keyForTokens(at: provider, random: random)?.encoded
        var schedule = DevicePollSchedule(interval: device.interval)
        var wait = schedule.firstWait
        var lastFailure: OAuthError?
        var strangers = 0
        var hasAsked = false
        while true {
            let rest = device.expiresAt.timeIntervalSince(clock.now)
            guard rest > 0, wait < rest || !hasAsked else {
                let reason = lastFailure.map { "; the last response: \($0.message)" } ?? ""
                throw OAuthError(
                    .deviceAuthorization, .expiredAttempt, "nobody entered the code in time\(reason)",
                    status: lastFailure?.status, server: lastFailure?.server)
            }
            // A wait longer than the codes live would end without a question.
            try await clock.sleep(for: .seconds(hasAsked ? wait : min(wait, rest * 0.9)))
            hasAsked = true
            try Task.checkCancellation()
            let incoming: IncomingResponse
            let request: PreparedRequest
            do {
                (incoming, request) = try await send(within: bounds, provedBy: dpopKey) {
                    try DevicePoll.request(device, in: context(at: provider))
                }
            } catch let error as OAuthError where error.kind == .transport {
                wait = schedule.waitAfterFailure()
                continue
            }
            do {
                let poll = try DevicePoll(validating: incoming, to: request, from: provider)
                guard case .granted(var response) = poll else {
                    (lastFailure, strangers) = (nil, 0)
                    wait = schedule.wait(after: poll, demanded: incoming.retryAfter?.seconds)
                    continue
                }
                try response.decryptIDToken(for: registration, from: provider, requested: device.scopes)
                let accessToken = response.accessToken
                // RFC 8628 has no ID token, and servers on oauthlib send none. No browser brings anything back here that it
                // would have to be compared with.
                let idToken = try await validateIDToken(of: response, requested: device.scopes, isOptional: true) {
                    () throws(OAuthError) in
                    // There was no authorization request, so there is no nonce.
                    try IDTokenExpectations(
                        from: provider.discovered, as: registration, nonce: .exactly(nil), accessToken: accessToken)
                }
                let result = SignInResult(
                    response: response, idToken: idToken, scopes: device.scopes, resources: device.resources,
                    values: ConnectionValues(values: response.values), dpopKey: dpopKey)
                return try await establishSession(with: result, from: provider, as: account, choosing: choosing)
            } catch let error as OAuthError where error.step == .deviceAuthorization && error.leavesDecisionOpen {
                let isStrange = [.unexpectedStatus, .unexpectedContentType].contains(error.kind)
                strangers = isStrange ? strangers + 1 : 0
                guard strangers < Self.mostStrangers else { throw error }
                lastFailure = error
                wait = schedule.waitAfterFailure(demanded: incoming.retryAfter?.seconds)
            }
        }
    }
}

extension OAuthError {
    /// Whether the next poll may succeed. RFC 8628, section 3.5 ends the polling by an error code: a response without one is
    /// that of a firewall or a proxy.
    fileprivate var leavesDecisionOpen: Bool {
        [.serverUnavailable, .tooManyRequests, .unexpectedStatus, .unexpectedContentType].contains(kind)
    }
}
