// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("RT: refreshing tokens", .searchedForSecrets)
struct RefreshAttackTests {
    private func refuseClaim(
        _ kind: OAuthError.Kind, _ claim: String, _ values: [JSONValue?], step: OAuthError.Step = .idToken,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await refuse(
            step, kind, in: .refresh, each: values, sourceLocation: sourceLocation
        ) { $0.idToken.claims[claim] = $1 }
    }

    @Test("RT-01: ID token of another")
    func RT_01_idTokenOfAnother() async throws {
        try await refuseClaim(.subjectMismatch, "sub", ["user-2", "User-1"])
        try await refuseClaim(.issuerMismatch, "iss", ["https://evil.example"])
        // The account is the same: see INT-40.
        try await refuseClaim(.audienceMismatch, "aud", ["other", ["client", "other"]], step: .refresh)
        try await refuseClaim(.authorizedPartyMismatch, "azp", ["other"], step: .refresh)
        try await refuseClaim(.nonceMismatch, "nonce", ["other"], step: .refresh)
    }

    @Test("RT-01: ID token that may be right later")
    func RT_01_idTokenThatMayBeRightLater() async throws {
        try await refuseClaim(.issuedInFuture, "iat", ["{now+3600}"], step: .refresh)
        try await refuseClaim(.expiredToken, "exp", ["{now-3600}"], step: .refresh)
        try await refuse(.refresh, .badSignature, in: .refresh, mayRequest: ["/jwks"]) { $0.idToken.key = .otherRSA }
    }

    @Test("RT-01: Nonce may be left out")
    func RT_01_nonceMayBeLeftOut() async throws {
        try await accept(in: .refresh) {
            $0.idToken.claims["nonce"] = nil
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("RT-02: Rotation")
    func RT_02_rotation() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let session = try await client.signIn(at: scenario)
        let first = try #require(try await session.storedTokens().refreshToken)
        let second = try #require(try await session.refresh().refreshToken)
        #expect(first != second)
        scenario.change { $0.refresh["refresh_token"] = nil }
        #expect(try await session.refresh().refreshToken == second)
        try await session.refresh()
        #expect(
            scenario.requests(to: "/token").compactMap { $0.form["refresh_token"] }
                == [first, second, second].map { $0.reveal() })
    }

    @Test("RT-03: Hundred at once ask once")
    func RT_03_hundredAtOnceAskOnce() async throws {
        let gate = Gate()
        let scenario = Scenario(gate: { _, request in
            if request.form["grant_type"] == "refresh_token" { await gate.pass() }
        })
        let client = try Flow.signIn.client(of: scenario)
        let session = try await client.signIn(at: scenario)
        scenario.clock.advance(by: .seconds(3590))
        let callers = (0..<100).map { _ in Task { try await session.tokens() } }
        await gate.arrival()
        callers[0].cancel()
        await settle()
        gate.open()
        var tokens: Set<String> = []
        for caller in callers.dropFirst() { tokens.insert(try await caller.value.accessToken.reveal()) }
        #expect(tokens.count == 1)
        #expect(scenario.requests(to: "/token").count == 2)
    }

    @Test("RT-04: Refresh token that is revoked")
    func RT_04_refreshTokenThatIsRevoked() async throws {
        try await control(.refresh)
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        scenario.change { $0.refresh = .error("invalid_grant") }
        for _ in 0..<3 {
            let error = await expectRefusal(.sessionEnded) { try await session.refresh() }
            #expect(error?.disposition == .signInAgain)
        }
        #expect(scenario.count("/token") == 2)
        #expect(try await scenario.isStoreEmpty())
    }

    @Test("RT-04: Server in trouble ends nothing")
    func RT_04_serverInTroubleEndsNothing() async throws {
        try await refuse(
            .refresh, .transport, in: .refresh,
            each: [.timeout, .connection, .interrupted] as [ServerResponse.TransportFailure]
        ) {
            $0.refresh = .fails($1)
        }
        try await refuse(.refresh, .serverUnavailable, in: .refresh, each: [500, 503]) { $0.refresh.status = $1 }
        try await refuse(.refresh, .tooManyRequests, in: .refresh) { $0.refresh.status = 429 }
        try await refuse(
            .refresh, .serverError, in: .refresh, each: ["invalid_client", "server_error", "unauthorized_client"]
        ) {
            $0.refresh = .error($1)
        }
        try await refuse(.refresh, .unexpectedContentType, in: .refresh) {
            $0.refresh = .text("<p>", type: "text/html")
        }
        try await refuse(.refresh, .missingField, in: .refresh) { $0.refresh["access_token"] = nil }
    }

    @Test("RT-05: No scope is requested")
    func RT_05_noScopeIsAskedFor() async throws {
        try await accept(in: .refresh) { scenario, _ in
            #expect(scenario.requests(to: "/token").last?.form["scope"] == nil)
            #expect(scenario.requests(to: "/token").last?.form["grant_type"] == "refresh_token")
        }
    }

    /// The server refreshed and its response is lost: the old tokens stay, nothing is sent by itself, and the next try is
    /// which the server names.
    @Test("RT-06: Response that is lost")
    func RT_06_answerThatIsLost() async throws {
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        let before = try await session.storedTokens()
        scenario.change { $0.refresh = .fails(.interrupted) }
        await expectRefusal(.transport) { try await session.refresh() }
        #expect(scenario.count("/token") == 2)
        #expect(try await session.storedTokens() == before)
        scenario.change { $0.refresh = .error("invalid_grant") }
        await expectRefusal(.sessionEnded) { try await session.refresh() }
    }

    @Test("RT-07: A thousand uses refresh once")
    func RT_07_aThousandUsesRefreshOnce() async throws {
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        for _ in 0..<1000 { _ = try await session.tokens() }
        #expect(scenario.count("/token") == 1)
        scenario.clock.advance(by: .seconds(3599))
        for _ in 0..<1000 { _ = try await session.tokens() }
        #expect(scenario.count("/token") == 2)
    }

    @Test("RT-07: Lifetime that is not known")
    func RT_07_lifetimeThatIsNotKnown() async throws {
        let scenario = Scenario()
        scenario.change { $0.token["expires_in"] = nil }
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        scenario.clock.advance(by: .seconds(1_000_000))
        _ = try await session.tokens()
        #expect(scenario.count("/token") == 1)
    }

    @Test("RT-07: Lifetime of no time")
    func RT_07_lifetimeOfNoTime() async throws {
        let scenario = Scenario()
        scenario.change { script in
            script.token["expires_in"] = 0
            script.refresh["expires_in"] = 0
        }
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        _ = try await session.tokens()
        #expect(scenario.count("/token") == 2)
    }

    @Test("RT-08: No ID token in the response")
    func RT_08_noIDTokenInTheResponse() async throws {
        try await accept(in: .refresh) {
            $0.refresh["id_token"] = nil
        } check: { _, outcome in
            #expect(outcome.tokens?.idToken != nil)
        }
    }

    @Test("RT-10: Token type or scope that changes")
    func RT_10_tokenTypeOrScopeThatChanges() async throws {
        try await refuse(.refresh, .unsupportedTokenType, in: .refresh, each: ["mac", "DPoP", "N_A"]) {
            $0.refresh["token_type"] = .string($1)
        }
        try await accept(
            in: .refresh,
            each: [(nil, ["openid", "profile", "email"]), ("openid", ["openid"])] as [(JSONValue?, [String])]
        ) {
            $0.refresh["scope"] = $1.0
        } check: {
            #expect($1.tokens?.scopes == $2.1)
        }
    }

    /// Refuses refreshes and asks to wait.
    private func makeBusy(_ scenario: Scenario, _ retryAfter: String) {
        scenario.change {
            $0.refresh = .error("temporarily_unavailable", status: 429)
            $0.refresh.headers.append(("Retry-After", retryAfter))
        }
    }

    @Test(
        "RT-11: Pause of a hundred years",
        arguments: ["3155760000", String(repeating: "9", count: 1000), "Wed, 21 Oct 2125 07:28:00 GMT"])
    func RT_11_pauseOfAHundredYears(retryAfter: String) async throws {
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        makeBusy(scenario, retryAfter)
        let error = await expectRefusal(.tooManyRequests) { try await session.refresh() }
        #expect(error?.retryAt == scenario.clock.now.addingTimeInterval(3600))
        scenario.change { $0.refresh = Script().refresh }
        scenario.clock.advance(by: .seconds(3599))
        await expectRefusal(.tooManyRequests) { try await session.refresh() }
        #expect(scenario.count("/token") == 2)
        scenario.clock.advance(by: .seconds(1))
        _ = try await session.refresh()
    }

    @Test("RT-12: Pause for one account does not stop the others")
    func RT_12_pauseForOneAccount() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let session = try await client.signIn(at: scenario)
        let request = try await client.beginSignIn()
        let other = try await client.completeSignIn(
            scenario.callback(request), for: request.pending, account: "somebody else")
        makeBusy(scenario, "3600")
        await expectRefusal(.tooManyRequests) { try await session.refresh() }
        scenario.change { $0.refresh = Script().refresh }
        scenario.clock.advance(by: .seconds(60))
        _ = try await other.refresh()
        await expectRefusal(.tooManyRequests) { try await session.refresh() }
    }
}
