package import CarnetDescriptors
package import Foundation

extension TokenSet {
    /// The tokens of a fresh sign-in.
    ///
    /// - Parameter requested: The scopes that were asked for; granted if the server names none (RFC 6749, section 5.1).
    package init(_ response: TokenResponse, requested: [String], now: Date) {
        self.init(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            refreshToken: response.refreshToken,
            idToken: response.idToken,
            scopes: response.scopes ?? requested,
            issuedAt: now,
            expiresAt: response.expiresAt(now),
            authorizationDetails: response.authorizationDetails.map { JSONValue.array($0).jsonText() }
        )
    }

    /// Judges the answer to a grant in which nobody signs in. Such a grant can be repeated, so that a refresh token is for
    /// nothing (RFC 6749, section 4.4.3; RFC 7521, section 4.1), and an ID token would be about nobody.
    ///
    /// - Throws: `OAuthError` at the request's step.
    package init(
        judgingGrantWithoutUser response: IncomingResponse,
        to request: PreparedRequest,
        from provider: Provider,
        requested: [String],
        now: Date
    ) throws(OAuthError) {
        let answer = try TokenResponse(judging: response, to: request, from: provider)
        self.init(answer, requested: requested, now: now)
        (refreshToken, idToken) = (nil, nil)
    }

    /// The tokens after a refresh: what the answer leaves out stays as it was (RFC 6749, section 6).
    ///
    /// - Parameter rotation: What the refresh did to the refresh token.
    package func merging(
        _ response: TokenResponse, rotation: RefreshRotation = .keepOld, now: Date
    ) -> TokenSet {
        let kept: Secret? =
            switch rotation {
            case .keepOld: response.refreshToken ?? refreshToken
            case .alwaysNew: response.refreshToken
            case .none: refreshToken
            }
        return TokenSet(
            accessToken: response.accessToken,
            tokenType: response.tokenType,
            refreshToken: kept,
            idToken: response.idToken ?? idToken,
            scopes: response.scopes ?? scopes,
            issuedAt: now,
            expiresAt: response.expiresAt(now),
            authorizationDetails: response.authorizationDetails.map { JSONValue.array($0).jsonText() }
                ?? authorizationDetails
        )
    }

    /// Whether the access token ends within a margin in seconds. One without a stated end does not.
    package func isExpiring(within margin: TimeInterval, at now: Date) -> Bool {
        guard let expiresAt else { return false }
        // A token that lives shorter than twice the margin is renewed in the second half of its life, not at once.
        let margin = min(margin, expiresAt.timeIntervalSince(issuedAt) / 2)
        return now >= expiresAt.addingTimeInterval(-margin)
    }
}

extension TokenResponse {
    /// When the access token ends, if the response arrived now; `nil` if it never does or the server did not say.
    fileprivate func expiresAt(_ now: Date) -> Date? {
        switch end {
        case .after(let seconds): now.addingTimeInterval(seconds)
        case .at(let date): date
        case .never, nil: nil
        }
    }
}
