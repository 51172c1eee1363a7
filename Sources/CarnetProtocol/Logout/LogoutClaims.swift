import CarnetDescriptors
import Foundation

/// Checks the claims of a logout token whose signature is good.
struct LogoutClaims {
    let claims: JSONObject
    let expectations: LogoutTokenExpectations
    let now: Date

    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// The longest session id that is looked at, in bytes; real ones are seals of several hundred.
    private static let longestSessionID = 2048
    /// How many seconds after it was issued a token without an end is taken.
    private static let lifetimeWithoutEnd: TimeInterval = 300

    func check() throws(OAuthError) -> (session: EndedSession, id: String, expiresAt: Date) {
        let issuer = try text("iss", longest: 2048)
        guard expectations.provider.acceptsIssuer(issuer, ofTokenWith: { claims[$0]?.string }) else {
            throw OAuthError(
                .logout,
                .issuerMismatch,
                "the logout token is from \"\(issuer.quotable())\", not from \(expectations.issuer)",
                descriptorKey: "issuer"
            )
        }
        try checkAudience()
        let end = try checkTimes()
        let id = try text("jti", longest: 1024)
        try checkEvents()
        // An ID token must not pass for one, nor the other way round (section 2.4).
        guard claims["nonce"] == nil else {
            throw OAuthError(.logout, .wrongTokenUse, "the logout token has a nonce, as an ID token has")
        }
        let subject = claims["sub"] == nil ? nil : try text("sub", longest: 255)
        let sessionID = claims["sid"] == nil ? nil : try text("sid", longest: Self.longestSessionID)
        return (try EndedSession(issuer: issuer, subject: subject, sessionID: sessionID), id, end)
    }

    private func checkAudience() throws(OAuthError) {
        let audience: [String]?
        switch claims["aud"] {
        case .string(let single): audience = [single]
        case .array(let many):
            let texts = many.compactMap(\.string)
            audience = texts.count == many.count ? texts : nil
        case nil: throw missing("aud")
        default: audience = nil
        }
        guard let audience else { throw wrongType("aud", "a text or a list of texts") }
        guard audience.contains(where: { $0.isSameBytes(as: expectations.clientID) }) else {
            throw OAuthError(.logout, .audienceMismatch, "the logout token is for another client")
        }
    }

    /// - Returns: When the token ends, the difference of the clocks included.
    private func checkTimes() throws(OAuthError) -> Date {
        let skew = expectations.clockSkew
        let issued = try time("iat")
        guard issued <= now.addingTimeInterval(skew) else {
            throw OAuthError(
                .logout, .issuedInFuture, "the logout token was issued in the future",
                descriptorKey: "id_token.clock_skew",
                hint: "is the clock of this machine right?")
        }
        let end: Date
        if claims["exp"] == nil, expectations.provider.acceptsMissingLogoutEnd {
            end = issued.addingTimeInterval(Self.lifetimeWithoutEnd)
        } else {
            end = try time("exp")
        }
        guard now < end.addingTimeInterval(skew) else {
            throw OAuthError(
                .logout, .expiredToken, "the logout token ended \(Int(now.timeIntervalSince(end))) s ago",
                descriptorKey: "id_token.clock_skew")
        }
        return end.addingTimeInterval(skew)
    }

    /// Section 2.4: an object with the member that makes it a logout, whose value is an object.
    private func checkEvents() throws(OAuthError) {
        guard let events = claims["events"] else {
            throw OAuthError(.logout, .wrongTokenUse, "the token has no events, so it is no logout token")
        }
        guard let members = events.object else { throw wrongType("events", "an object") }
        guard let event = members[Self.event] else {
            throw OAuthError(.logout, .wrongTokenUse, "the token tells of something else than a logout")
        }
        guard event.object != nil else { throw wrongType("events", "an object of objects") }
    }

    private func text(_ name: String, longest: Int) throws(OAuthError) -> String {
        guard let value = claims[name] else { throw missing(name) }
        guard let text = value.string, (1...longest).contains(text.utf8.count) else {
            throw wrongType(name, "a text of 1 to \(longest) bytes")
        }
        return text
    }

    private func time(_ name: String) throws(OAuthError) -> Date {
        guard let value = claims[name] else { throw missing(name) }
        guard let seconds = value.double, (0...253_402_300_799).contains(seconds) else {
            throw wrongType(name, "a time in seconds")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    private func missing(_ name: String) -> OAuthError {
        OAuthError(
            .logout, .missingField, "the logout token has no claim \(name)",
            descriptorKey: name == "exp" ? "logout.missing_exp" : nil)
    }

    private func wrongType(_ name: String, _ expected: String) -> OAuthError {
        OAuthError(.logout, .wrongFieldType, "the logout token's claim \(name) is not \(expected)")
    }
}
