import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Logout token")
struct LogoutTokenTests {
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// The claims of a good token, with some changed or taken out.
    static func claims(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
        let now = Int(Attempt.now.timeIntervalSince1970)
        var claims = JSONObject()
        claims["iss"] = "https://id.acme.example"
        claims["sub"] = "user-1"
        claims["sid"] = "session-1"
        claims["aud"] = "client"
        claims["iat"] = .number("\(now)")
        claims["exp"] = .number("\(now + 120)")
        claims["jti"] = "token-1"
        claims["events"] = [event: .object(JSONObject())]
        for (name, value) in changes { claims[name] = value }
        return .object(claims)
    }

    private func validate(
        _ changes: [String: JSONValue?] = [:],
        yaml: String = Fixture.openID,
        header: [String: JSONValue] = ["typ": "logout+jwt"],
        now: Date = Attempt.now
    ) throws -> LogoutToken {
        let token = try SigningKey.rsa.token(Self.claims(changes), algorithm: "RS256", keyID: "1", header: header)
        let registration = ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI)
        let expectations = try LogoutTokenExpectations(from: try Fixture.provider(yaml).discovered, as: registration)
        return try LogoutToken(
            validating: Secret(token), with: try Issuer().keySet, expecting: expectations, now: now)
    }

    @Test("Good token names the session")
    func goodTokenNamesTheSession() throws {
        let token = try validate()
        #expect(token.session.issuer == "https://id.acme.example")
        #expect(token.session.subject == "user-1")
        #expect(token.session.sessionID == "session-1")
        #expect(token.id == "token-1")
        #expect(token.expiresAt == Attempt.now.addingTimeInterval(120 + 60))
    }

    // BCL-02.
    @Test("Times are validated by the clock")
    func timesAreValidatedByTheClock() throws {
        let end = Attempt.now.addingTimeInterval(120 + 60)
        _ = try validate(now: end.addingTimeInterval(-1))
        expectError(.logout, .expiredToken) { try validate(now: end) }
        expectError(.logout, .issuedInFuture) { try validate(now: Attempt.now.addingTimeInterval(-61)) }
    }

    // BCL-03: glewlwyd sends no end.
    @Test("Token without an end is taken for five minutes where the descriptor says so")
    func tokenWithoutAnEndIsTakenForFiveMinutesWhereTheDescriptorSaysSo() throws {
        let lenient = Fixture.openID + "logout: { missing_exp: version 2.7.5 sends none }\n"
        let token = try validate(["exp": nil, "sid": nil], yaml: lenient, header: ["typ": "JWT"])
        #expect(token.expiresAt == Attempt.now.addingTimeInterval(300 + 60))
        expectError(.logout, .expiredToken) {
            try validate(["exp": nil], yaml: lenient, now: Attempt.now.addingTimeInterval(361))
        }
        expectError(.logout, .expiredToken) {
            try validate(yaml: lenient, now: Attempt.now.addingTimeInterval(181))
        }
    }

    @Test("Session ID of hundreds of bytes is taken")
    func sessionIDOfHundredsOfBytesIsTaken() throws {
        let long = String(repeating: "Z", count: 400)
        #expect(try validate(["sid": .string(long)]).session.sessionID == long)
        expectError(.logout, .wrongFieldType) { try validate(["sid": .string(String(repeating: "Z", count: 2049))]) }
    }

    @Test("Provider without issuer is not believed")
    func providerWithoutIssuerIsNotBelieved() throws {
        expectError(.logout, .badDescriptor) {
            try LogoutTokenExpectations(
                from: try Fixture.provider(Fixture.plain).discovered,
                as: ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback"))
        }
    }
}

@Suite("Logout request")
struct LogoutRequestTests {
    private static let form = "application/x-www-form-urlencoded"

    // BCL-01.
    @Test("Token is taken out of a form")
    func tokenIsTakenOutOfAForm() throws {
        let body = Array("a=b&logout_token=x.y.z".utf8)
        #expect(try BackChannelLogoutRequest.logoutToken(in: body, mediaType: Self.form).reveal() == "x.y.z")
        #expect(
            try BackChannelLogoutRequest.logoutToken(
                in: body, mediaType: "Application/x-www-form-urlencoded; charset=utf-8"
            )
            .reveal() == "x.y.z")
    }

    // BCL-01.
    @Test(
        "Other request is rejected",
        arguments: [
            ("logout_token=x.y.z", "application/json", OAuthError.Kind.unexpectedContentType),
            ("logout_token=x.y.z", nil, .unexpectedContentType), ("a=b", form, .missingField),
            ("", form, .missingField),
            ("logout_token=", form, .missingField), ("logout_token=a&logout_token=a", form, .duplicateParameter),
            ("logout_token=%FF", form, .malformedBody),
        ] as [(String, String?, OAuthError.Kind)])
    func otherRequestIsRefused(body: String, type: String?, kind: OAuthError.Kind) throws {
        expectError(.logout, kind) { try BackChannelLogoutRequest.logoutToken(in: Array(body.utf8), mediaType: type) }
    }

    // FCL-01.
    @Test("Front-channel names issuer and session")
    func frontChannelNamesIssuerAndSession() throws {
        let url = "https://app.example/front?iss=https%3A%2F%2Fid.acme.example&sid=session-1"
        let logout = try FrontChannelLogout(
            validating: AuthorizationCallback(url: url), from: try Self.frontChannelProvider)
        #expect(logout.session.sessionID == "session-1")
        #expect(logout.session.subject == nil)
    }

    // FCL-01.
    @Test(
        "Front-channel without both is rejected",
        arguments: [
            ("", OAuthError.Kind.missingField), ("?sid=s", .missingField),
            ("?iss=https%3A%2F%2Fid.acme.example", .missingField),
            ("?iss=https%3A%2F%2Fid.acme.example&sid=", .missingField),
            ("?iss=https%3A%2F%2Fid.other.example&sid=s", .issuerMismatch),
            ("?iss=https%3A%2F%2Fid.acme.example&sid=s&sid=t", .duplicateParameter),
            ("?sid=%FF", .malformedCallback),
        ])
    func frontChannelWithoutBothIsRefused(query: String, kind: OAuthError.Kind) throws {
        expectError(.logout, kind) {
            try FrontChannelLogout(
                validating: AuthorizationCallback(url: "https://app.example/front" + query),
                from: try Self.frontChannelProvider)
        }
    }

    private static var frontChannelProvider: FilledProvider {
        get throws { try Fixture.provider(Fixture.openID + "logout: { front_channel: true }\n") }
    }

    // FCL-02.
    @Test("Front-channel is off unless the descriptor says so")
    func frontChannelIsOffUnlessTheDescriptorSaysSo() throws {
        let url = "https://app.example/front?iss=https%3A%2F%2Fid.acme.example&sid=session-1"
        expectError(.logout, .unsupported) {
            try FrontChannelLogout(validating: AuthorizationCallback(url: url), from: try Fixture.provider())
        }
    }
}

@Suite("Ended session")
struct EndedSessionTests {
    private let issuer = "https://id.acme.example"

    // BCL-05.
    @Test("Session ID names one and the subject all")
    func sessionIDNamesOneAndTheSubjectAll() throws {
        let one = try EndedSession(issuer: issuer, subject: nil, sessionID: "s1")
        #expect(one.includes(issuer: issuer, subject: "u", sessionID: "s1"))
        #expect(!one.includes(issuer: issuer, subject: "u", sessionID: "s2"))
        #expect(!one.includes(issuer: issuer, subject: "u", sessionID: nil))
        let all = try EndedSession(issuer: issuer, subject: "u", sessionID: nil)
        #expect(all.includes(issuer: issuer, subject: "u", sessionID: "s1"))
        #expect(all.includes(issuer: issuer, subject: "u", sessionID: nil))
        #expect(!all.includes(issuer: issuer, subject: "other", sessionID: "s1"))
        #expect(!all.includes(issuer: issuer, subject: nil, sessionID: "s1"))
    }

    // BCL-05: both have to fit.
    @Test("Both together name one session of one user")
    func bothTogetherNameOneSessionOfOneUser() throws {
        let both = try EndedSession(issuer: issuer, subject: "u", sessionID: "s1")
        #expect(both.includes(issuer: issuer, subject: "u", sessionID: "s1"))
        #expect(!both.includes(issuer: issuer, subject: "other", sessionID: "s1"))
        #expect(!both.includes(issuer: issuer, subject: "u", sessionID: "s2"))
        // An ID token that named no session leaves the user to go by.
        #expect(both.includes(issuer: issuer, subject: "u", sessionID: nil))
    }

    // BCL-06.
    @Test("Other issuer's sessions are left alone")
    func otherIssuersSessionsAreLeftAlone() throws {
        let ended = try EndedSession(issuer: issuer, subject: "u", sessionID: "s1")
        #expect(!ended.includes(issuer: "https://id.other.example", subject: "u", sessionID: "s1"))
        #expect(!ended.includes(issuer: nil, subject: "u", sessionID: "s1"))
    }
}
