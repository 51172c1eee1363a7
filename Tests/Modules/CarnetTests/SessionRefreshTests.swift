import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Session refresh")
struct SessionRefreshTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    private func signedIn(_ yaml: String = Fixture.openID) async throws -> Session {
        try await provider.session(yaml, store: store)
    }

    /// The refresh requests so far.
    private var refreshes: [[String: String]] {
        provider.forms("/token").filter { $0["grant_type"] == "refresh_token" }
    }

    // RT-07.
    @Test("Valid tokens are given without a request")
    func validTokensAreGivenWithoutARequest() async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3539))
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        #expect(refreshes.isEmpty)
    }

    // RT-07.
    @Test("Tokens are refreshed within the margin")
    func tokensAreRefreshedWithinTheMargin() async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3540))
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
        #expect(refreshes.map { $0["refresh_token"] } == ["refresh-token-1"])
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
        #expect(refreshes.count == 1)
    }

    @Test("Margin is the descriptor's")
    func marginIsTheDescriptors() async throws {
        let session = try await signedIn(Fixture.openID + "refresh: { margin: 0 }\n")
        provider.clock.advance(by: .seconds(3599))
        _ = try await session.tokens()
        #expect(refreshes.isEmpty)
        provider.clock.advance(by: .seconds(1))
        _ = try await session.tokens()
        #expect(refreshes.count == 1)
    }

    // RT-03: with a provider that revokes everything when a refresh token comes twice.
    @Test("Hundred callers share one refresh")
    func hundredCallersShareOneRefresh() async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3600))
        let gate = Gate()
        provider.on("/token") { provider, form in
            await gate.pass()
            return .json(try provider.tokens(for: form, claims: ["nonce": nil as JSONValue?]).jsonText())
        }
        async let outcomes = concurrently(100) { _ in try await session.tokens().accessToken.reveal() }
        await gate.arrival()
        await settle()
        gate.open()
        #expect(await Set(outcomes.map { try? $0.get() }) == ["access-token-2"])
        #expect(refreshes.count == 1)
    }

    // RT-03: also through sessions of two clients on one store, as two processes have.
    @Test("Clients on one store share one refresh")
    func clientsOnOneStoreShareOneRefresh() async throws {
        let first = try await signedIn()
        let second = try #require(try await provider.client(store: store).session(for: "user-1"))
        #expect(first !== second)
        provider.clock.advance(by: .seconds(3600))
        let outcomes = await concurrently(20) { index in
            try await (index.isMultiple(of: 2) ? first : second).tokens().accessToken.reveal()
        }
        #expect(Set(outcomes.map { try? $0.get() }) == ["access-token-2"])
        #expect(refreshes.count == 1)
    }

    // RT-03, CONC-02: a caller that is cancelled fails no other, and what was refreshed is kept.
    @Test("Caller that is cancelled fails no other")
    func callerThatIsCancelledFailsNoOther() async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3600))
        let gate = Gate()
        provider.on("/token") { provider, form in
            await gate.pass()
            try Task.checkCancellation()
            return try await provider.reply("/token", form)
        }
        let first = Task { try await session.tokens() }
        await gate.arrival()
        let second = Task { try await session.tokens() }
        await settle()
        first.cancel()
        gate.open()
        #expect(try await second.value.accessToken.reveal() == "access-token-2")
        #expect(try await session.storedTokens().refreshToken?.reveal() == "refresh-token-2")
        #expect(refreshes.count == 1)
    }

    // RT-02.
    @Test("New refresh token replaces the old one")
    func newRefreshTokenReplacesTheOldOne() async throws {
        let session = try await signedIn()
        try await session.refresh()
        try await session.refresh()
        #expect(refreshes.map { $0["refresh_token"] } == ["refresh-token-1", "refresh-token-2"])
    }

    // RT-02, RT-08.
    @Test("What the response leaves out is kept")
    func whatTheResponseLeavesOutIsKept() async throws {
        let session = try await signedIn()
        let before = try await session.storedTokens()
        provider.on("/token", response: .json(#"{"access_token":"a2","token_type":"Bearer","expires_in":60}"#))
        let after = try await session.refresh()
        #expect(after.accessToken.reveal() == "a2")
        #expect(after.refreshToken == before.refreshToken)
        #expect(after.idToken == before.idToken)
        #expect(after.scopes == before.scopes)
    }

    // RT-04.
    @Test("Invalid grant ends the session")
    func invalidGrantEndsTheSession() async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3540))
        provider.on("/token", response: .json(#"{"error":"invalid_grant","error_description":"revoked"}"#, status: 400))
        let error = await expectError(.refresh, .sessionEnded) { try await session.tokens() }
        #expect(error?.disposition == .signInAgain)
        #expect(error?.server?.message == "revoked")
        #expect(await store.keys().isEmpty)
        await expectError(.storage, .sessionEnded) { try await session.tokens() }
        #expect(refreshes.count == 1)
    }

    // RT-04: nothing else ends it.
    @Test(
        "Other failure keeps the tokens for later",
        arguments: [
            IncomingResponse.json("{}", status: 500), .canned("<html>", status: 200, type: "text/html"),
            .canned("<html>", status: 403, type: "text/html"), .json("{", status: 200), .json("{}", status: 429),
            .json(#"{"error":"temporarily_unavailable"}"#, status: 400),
            .json(#"{"error":"invalid_grant"}"#, status: 503), .json("{}", status: 302),
        ])
    func otherFailureKeepsTheTokensForLater(_ response: IncomingResponse) async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3600))
        provider.on("/token", response: response)
        let error = await #expect(throws: OAuthError.self) { try await session.tokens() }
        #expect(error?.step == .refresh)
        #expect(error?.disposition == .tryLater)
        #expect(await store.keys() == [session.key])
        provider.restore("/token")
        #expect(try await session.tokens().accessToken.reveal().hasPrefix("access-token-"))
    }

    // RT-04, RT-06.
    @Test(
        "Broken connection keeps the tokens", arguments: [TransportError.Kind.connection, .timeout, .interrupted, .tls])
    func brokenConnectionKeepsTheTokens(_ kind: TransportError.Kind) async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3600))
        provider.on("/token", fail: kind)
        let error = await expectError(.refresh, .transport) { try await session.tokens() }
        #expect(error?.disposition == .tryLater)
        #expect(refreshes.count == 1)
        #expect(await store.keys() == [session.key])
    }

    // A misconfigured client gets an error, and loses nothing.
    @Test("Invalid client keeps the tokens")
    func invalidClientKeepsTheTokens() async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3600))
        provider.on("/token", response: .json(#"{"error":"invalid_client"}"#, status: 401))
        let error = await expectError(.refresh, .serverError) { try await session.tokens() }
        #expect(error?.disposition == .fixConfiguration)
        #expect(await store.keys() == [session.key])
    }

    // RT-07: inside the margin the token still serves.
    @Test(
        "Token that is still valid is used when it cannot be refreshed",
        arguments: [
            IncomingResponse.json("{}", status: 500), .canned("<html>", status: 200, type: "text/html"),
            .json(#"{"error":"invalid_client"}"#, status: 401),
        ])
    func tokenThatIsStillValidIsUsedWhenItCannotBeRefreshed(_ response: IncomingResponse) async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3550))
        provider.on("/token", response: response)
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        #expect(refreshes.count == 1)
        provider.clock.advance(by: .seconds(50))
        await #expect(throws: OAuthError.self) { try await session.tokens() }
    }

    // RT-07: the time that the failed refresh took counts.
    @Test("Token that ended during a failed refresh is not given")
    func tokenThatEndedDuringAFailedRefreshIsNotGiven() async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3590))
        provider.on("/token") { provider, _ in
            provider.clock.advance(by: .seconds(30))
            throw TransportError(.timeout, "scripted")
        }
        await expectError(.refresh, .transport) { try await session.tokens() }
    }

    @Test("Expired token without a refresh token asks for a sign-in")
    func expiredTokenWithoutARefreshTokenAsksForASignIn() async throws {
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: ["refresh_token": nil as JSONValue?]).jsonText())
        }
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3550))
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        provider.clock.advance(by: .seconds(50))
        let error = await expectError(.refresh, .noRefreshToken) { try await session.tokens() }
        #expect(error?.disposition == .signInAgain)
        #expect(provider.count("/token") == 1)
    }

    /// A session whose refresh token ends after ten hours.
    private func signedInForTenHours() async throws -> Session {
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: ["refresh_token_expires_in": 36_000]).jsonText())
        }
        defer { provider.restore("/token") }
        return try await signedIn()
    }

    @Test("A host sees when the refresh token expires")
    func expiryOfTheRefreshToken() async throws {
        let session = try await signedInForTenHours()
        #expect(try await session.tokens().refreshTokenExpiresAt == provider.clock.now + 36_000)
    }

    // The clock may be wrong, and the server may prolong a token that is used.
    @Test("The server decides about a refresh token that may have expired")
    func serverDecidesAboutTheRefreshToken() async throws {
        let session = try await signedInForTenHours()
        provider.clock.advance(by: .seconds(36_000 + 2_592_000))
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
        #expect(try await session.storedTokens().refreshTokenExpiresAt == nil)
    }

    @Test("If the server refuses an expired refresh token, the error says when it expired")
    func refusedExpiredRefreshToken() async throws {
        let session = try await signedInForTenHours()
        let end = try #require(try await session.storedTokens().refreshTokenExpiresAt)
        provider.on("/token", response: .json(#"{"error":"invalid_grant"}"#, status: 400))
        provider.clock.advance(by: .seconds(36_000))
        let error = await expectError(.refresh, .sessionEnded) { try await session.tokens() }
        #expect(
            error?.message
                == "the provider ended the session: the refresh token expired at \(end.formatted(.iso8601))")
    }

    // RT-01.
    @Test("Refreshed ID token of somebody else is rejected")
    func refreshedIDTokenOfSomebodyElseIsRefused() async throws {
        let wrong: [([String: JSONValue?], OAuthError.Kind)] = [
            (["sub": "user-2"], .subjectMismatch), (["iss": "https://evil.example"], .issuerMismatch),
        ]
        for (claims, kind) in wrong {
            let session = try await signedIn()
            let before = try await session.storedTokens()
            provider.clock.advance(by: .seconds(3550))
            provider.on("/token") { provider, form in
                .json(try provider.tokens(for: form, claims: claims).jsonText())
            }
            let error = await expectError(.idToken, kind) { try await session.tokens() }
            #expect(error?.disposition == .refused)
            #expect(try await session.storedTokens() == before)
            provider.restore("/token")
        }
    }

    // RT-01: the nonce may be repeated, and may be left out.
    @Test("Refreshed ID token may repeat the nonce")
    func refreshedIDTokenMayRepeatTheNonce() async throws {
        let session = try await signedIn()
        let idToken = try #require(try await session.storedTokens().idToken)
        let nonce = try #require(try IDToken(storedAfterValidation: idToken).claims["nonce"])
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, claims: ["nonce": nonce]).jsonText())
        }
        try await session.refresh()
        provider.restore("/token")
        try await session.refresh()
        #expect(refreshes.count == 2)
    }

    // SESS-08: a record that another client wrote over is not sent with this one's credentials.
    @Test("Tokens of another client are not used")
    func tokensOfAnotherClientAreNotUsed() async throws {
        let session = try await signedIn()
        var stored = try #require(await store.load(session.key))
        stored.connection.clientID = "other"
        _ = try await store.save(stored.connection, replacing: nil)
        provider.clock.advance(by: .seconds(3600))
        let before = provider.requests.count
        await expectError(.storage, .badRegistration) { try await session.tokens() }
        await expectError(.storage, .badRegistration) { try await session.refresh() }
        let outcome = try await session.signOut(.revoke)
        #expect(outcome.failures.map(\.kind) == [.badRegistration])
        #expect(provider.requests.count == before)
    }

    // A sign-in that comes while old tokens are refreshed is neither overwritten nor removed.
    @Test("New sign-in wins over a refresh under way", arguments: [true, false])
    func newSignInWinsOverARefreshUnderWay(_ isRefused: Bool) async throws {
        let client = try provider.client(store: store)
        let session = try await provider.signIn(client)
        provider.clock.advance(by: .seconds(3600))
        let gate = Gate()
        provider.on("/token") { provider, form in
            guard form["grant_type"] == "refresh_token" else { return try await provider.reply("/token", form) }
            await gate.pass()
            return isRefused
                ? .json(#"{"error":"invalid_grant"}"#, status: 400)
                : .json(#"{"access_token":"refreshed-late","token_type":"Bearer","expires_in":3600}"#)
        }
        let refresh = Task { try? await session.tokens() }
        await gate.arrival()
        let signIn = Task { [provider] in try await provider.signIn(client) }
        await settle()
        gate.open()
        _ = try await signIn.value
        _ = await refresh.value
        #expect(try await session.storedTokens().accessToken.reveal() == "access-token-2")
    }
}
