import CarnetDescriptors
import CarnetFoundation

/// Checks the claims that only a logout token has.
struct LogoutClaims {
    let claims: JWTClaims
    let expectations: LogoutTokenExpectations
    let now: Date

    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// How many seconds after its issue a token without `exp` is accepted.
    private static let lifetimeWithoutExpiry: TimeInterval = 300

    /// - Parameter anyIssuer: Whether to accept any issuer, because the metadata is not loaded yet.
    func check(
        anyIssuer: Bool = false
    ) throws(OAuthError) -> (session: EndedSession, id: String, expiresAt: Date) {
        let issuer = try claims.issuer(expected: expectations.issuer) { issuer in
            anyIssuer || expectations.provider.shared.acceptsIssuer(issuer, ofTokenWith: { claims.all[$0]?.string })
        }
        guard let issuer else { throw claims.missing("iss") }
        try claims.audience(naming: [expectations.clientID])
        let expiry = try claims.checkTimes(
            at: now, skew: expectations.clockSkew,
            expiry: expectations.provider.logout.missingEnd != nil
                ? { $0.addingTimeInterval(Self.lifetimeWithoutExpiry) } : nil)
        guard let expiry else { throw claims.missing("exp") }
        let id = try claims.string("jti", longest: ReceivedLimit.logoutTokenID)
        try checkEvents()
        // An ID token must not be accepted as a logout token, or the reverse (section 2.4).
        guard claims.all["nonce"] == nil else {
            throw OAuthError(.logout, .wrongTokenUse, "the logout token has a nonce, which only ID tokens have")
        }
        let subject = claims["sub"] == nil ? nil : try claims.string("sub", longest: ReceivedLimit.subject)
        let sessionID = claims["sid"] == nil ? nil : try claims.string("sid", longest: ReceivedLimit.sessionID)
        let session = try EndedSession(issuer: issuer, subject: subject, sessionID: sessionID)
        return (session, id, expiry.addingTimeInterval(expectations.clockSkew))
    }

    /// Section 2.4: an object whose member for the logout event is an object.
    private func checkEvents() throws(OAuthError) {
        guard let events = claims.all["events"] else {
            throw OAuthError(.logout, .wrongTokenUse, "the token has no claim events, so it is not a logout token")
        }
        guard let members = events.object else { throw claims.wrongType("events", "an object") }
        guard let event = members[Self.event] else {
            throw OAuthError(.logout, .wrongTokenUse, "the token reports another event than a logout")
        }
        guard event.object != nil else { throw claims.wrongType("events", "an object of objects") }
    }
}
