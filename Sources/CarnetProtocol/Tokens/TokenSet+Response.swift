package import CarnetDescriptors
package import CarnetFoundation

extension TokenSet {
    /// The tokens of a new sign-in.
    ///
    /// - Parameter requested: The requested scopes; they are granted if the server names none (RFC 6749, section
    /// 5.1).
    package init(_ response: TokenResponse, requested: [String], now: Date) {
        let end = response.refreshTokenExpiresAt(now) ?? response.documentedRefreshTokenLifetime.map { now + $0 }
        self.init(
            accessToken: response.accessToken, tokenType: response.tokenType, refreshToken: response.refreshToken,
            refreshTokenExpiresAt: response.refreshToken == nil ? nil : end,
            idToken: response.idToken, scopes: response.scopes ?? requested, issuedAt: now,
            expiresAt: response.expiry?.date(from: now),
            authorizationDetails: response.authorizationDetails.map { JSONValue.array($0).jsonText() })
    }

    /// The tokens of a grant without a user. The grant can be repeated, so the refresh token is dropped (RFC 6749,
    /// section 4.4.3; RFC 7521, section 4.1), and so is an ID token.
    package init(ofGrantWithoutUser response: TokenResponse, requested: [String], now: Date) {
        self.init(response, requested: requested, now: now)
        (refreshToken, refreshTokenExpiresAt, idToken) = (nil, nil, nil)
    }

    /// The tokens after a refresh. Values that the response omits are kept (RFC 6749, section 6).
    ///
    /// - Parameter rotation: What the server does with the old refresh token.
    package func merging(_ response: TokenResponse, rotation: RefreshRotation = .unknown, now: Date) -> TokenSet {
        let kept: Secret? =
            switch rotation {
            case .keepOld, .unknown: response.refreshToken ?? refreshToken
            case .alwaysNew: response.refreshToken
            case .none: refreshToken
            }
        var merged = TokenSet(response, requested: scopes, now: now)
        merged.refreshToken = kept
        if kept != nil {
            // A response without a refresh token may state the expiry of the one that was sent.
            merged.refreshTokenExpiresAt =
                response.refreshTokenExpiresAt(now)
                ?? (kept == refreshToken ? refreshTokenExpiresAt : merged.refreshTokenExpiresAt)
        }
        merged.idToken = merged.idToken ?? idToken
        merged.authorizationDetails = merged.authorizationDetails ?? authorizationDetails
        return merged
    }

    /// The refresh token of other tokens, with its expiry.
    package mutating func takeRefreshToken(of other: TokenSet) {
        refreshToken = other.refreshToken
        refreshTokenExpiresAt = other.refreshTokenExpiresAt
    }

    /// How far the clock may be behind the time of issue, in seconds: more than a wrong time zone explains.
    private static let latestIssue: TimeInterval = 86_400

    /// Whether the access token ends within a margin in seconds. One without a stated end does not. Nobody can say it of
    /// one that was issued in the future: the clock was set back, and the token may have ended long ago.
    package func isExpiring(within margin: TimeInterval, at now: Date) -> Bool {
        guard let expiresAt else { return false }
        guard issuedAt.timeIntervalSince(now) <= Self.latestIssue else { return true }
        // A short-lived token (less than twice the margin) is refreshed in the second half of its life.
        let margin = min(margin, expiresAt.timeIntervalSince(issuedAt) / 2)
        return now >= expiresAt.addingTimeInterval(-margin)
    }
}

extension TokenResponse {
    /// The expiry of the refresh token if the response arrived now. One that is not in the future says nothing: some
    /// servers send zero for a token that never expires.
    fileprivate func refreshTokenExpiresAt(_ now: Date) -> Date? {
        refreshTokenExpiry?.date(from: now).flatMap { $0 > now ? $0 : nil }
    }
}

extension TokenExpiry {
    /// The time, if the response arrived now; `nil` if there is none.
    fileprivate func date(from now: Date) -> Date? {
        switch self {
        case .after(let seconds): now.addingTimeInterval(seconds)
        case .at(let date): date
        case .never: nil
        }
    }
}
