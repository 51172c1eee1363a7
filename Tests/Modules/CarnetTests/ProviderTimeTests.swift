import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// This machine's clock is wrong, and the provider's responses tell.
@Suite("Provider time")
struct ProviderTimeTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    /// A client whose clock goes wrong by some hours, and responses that have the right date.
    private func session(hours: Double) async throws -> (session: Session, wrong: ManualClock) {
        let wrong = ManualClock(now: provider.clock.now.addingTimeInterval(hours * 3600))
        provider.on("/token") { provider, form in
            var response = IncomingResponse.json(
                try provider.tokens(for: form, members: ["id_token": nil as JSONValue?]).jsonText())
            response.head.headerFields[.date] = httpDate(provider.clock.now)
            return response
        }
        let client = try OAuthClient(
            try Fixture.descriptor(Fixture.plain),
            registration: ClientRegistration(clientID: "client", redirectURI: "com.example.app:/callback"),
            transport: provider,
            store: store,
            clock: wrong
        )
        return (try await provider.signIn(client, account: "ada"), wrong)
    }

    @Test("Tokens end when the provider says so", arguments: [-5.0, 0, 0.0001, 5, 100_000])
    func tokensEndWhenTheProviderSaysSo(hours: Double) async throws {
        let (session, wrong) = try await session(hours: hours)
        let expiresAt = try #require(try await session.storedTokens().expiresAt)
        #expect(abs(expiresAt.timeIntervalSince(provider.clock.now) - 3600) < 3)
        for clock in [provider.clock, wrong] { clock.advance(by: .seconds(3500)) }
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        for clock in [provider.clock, wrong] { clock.advance(by: .seconds(60)) }
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
    }

    @Test(
        "A wrong clock blocks neither sign-in nor refresh once a response has shown the right time",
        arguments: [-7200, -120, 400, 7200])
    func wrongClockSignsIn(seconds: Int) async throws {
        let wrong = ManualClock(now: provider.clock.now.addingTimeInterval(TimeInterval(seconds)))
        responseWithDate(lifetime: 300)
        let session = try await provider.signIn(try client(clock: wrong))
        #expect(try await session.refresh().accessToken.reveal() == "access-token-2")
        #expect(provider.forms("/token").last?["refresh_token"] == "refresh-token-1")
    }

    @Test(
        "An ID token that is wrong by both clocks is refused, and the error shows the local time",
        arguments: [-7200, 7200])
    func wrongByBothClocks(seconds: Int) async throws {
        let wrong = ManualClock(now: provider.clock.now.addingTimeInterval(60))
        let client = try client(clock: wrong)
        let now = Int(provider.clock.now.timeIntervalSince1970)
        responseWithDate(
            lifetime: 300, claims: ["iat": .number("\(now + seconds)"), "exp": .number("\(now + seconds + 300)")])
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(client) }
        #expect(error?.kind == (seconds < 0 ? .expiredToken : .issuedInFuture))
        #expect(error?.message.contains(wrong.now.formatted(.iso8601)) == true)
    }

    @Test("The provider's time excuses nothing but times: a wrong nonce is reported as that")
    func otherClaimsAreCheckedByEitherClock() async throws {
        let client = try client(clock: ManualClock(now: provider.clock.now.addingTimeInterval(-7200)))
        responseWithDate(lifetime: 300, claims: ["nonce": "another"])
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(client) }
        #expect(error?.kind == .nonceMismatch)
    }

    private func client(clock: ManualClock) throws -> OAuthClient {
        try OAuthClient(
            try Fixture.descriptor(Fixture.openID),
            registration: ClientRegistration(clientID: "client", redirectURI: "com.example.app:/callback"),
            transport: provider,
            store: store,
            clock: clock
        )
    }

    /// Responses with the provider's date, and ID tokens that end soon.
    private func responseWithDate(lifetime: Int, claims: [String: JSONValue?] = [:]) {
        provider.on("/token") { provider, form in
            let end = Int(provider.clock.now.timeIntervalSince1970) + lifetime
            var claims = claims
            if claims["exp"] == nil { claims["exp"] = JSONValue.number("\(end)") }
            var response = IncomingResponse.json(try provider.tokens(for: form, claims: claims).jsonText())
            response.head.headerFields[.date] = httpDate(provider.clock.now)
            return response
        }
    }

    /// Without a date in the response, ID tokens are validated by this machine's clock: a refresh fails while that is
    /// wrong, and loses nothing.
    @Test("Wrong clock costs no session", arguments: [-5, 5])
    func wrongClockCostsNoSession(hours: Int) async throws {
        let wrong = ManualClock(now: provider.clock.now)
        let client = try OAuthClient(
            try Fixture.descriptor(Fixture.openID),
            registration: ClientRegistration(clientID: "client", redirectURI: "com.example.app:/callback"),
            transport: provider,
            store: store,
            clock: wrong
        )
        let session = try await provider.signIn(client)
        wrong.advance(by: .seconds(hours * 3600))
        for _ in 1...3 {
            let error = await #expect(throws: OAuthError.self) { try await session.refresh() }
            #expect(error?.disposition == .tryLater)
            #expect(error?.message.contains("this machine's clock shows") == true)
        }
        wrong.advance(by: .seconds(-hours * 3600))
        #expect(try await session.refresh().accessToken.reveal() == "access-token-5")
        let sent = provider.forms("/token").compactMap { $0["refresh_token"] }
        #expect(sent == (1...4).map { "refresh-token-\($0)" })
    }

    @Test(
        "Unreadable date teaches nothing",
        arguments: [
            "", "tomorrow", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Xyz 1994 08:49:37 GMT", "1 1 1 1 1 1 1 GMT",
            "Sun, 06 Nov 1994 08:49:3x GMT", "Sun, 06 Nov 0994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        ])
    func unreadableDateTeachesNothing(text: String) async throws {
        let session = try await provider.session()
        provider.on("/token") { provider, form in
            var response = IncomingResponse.json(
                try provider.tokens(for: form, claims: ["nonce": nil as JSONValue?]).jsonText())
            response.head.headerFields[.date] = text
            return response
        }
        try await session.refresh()
        #expect(try await session.storedTokens().expiresAt == provider.clock.now.addingTimeInterval(3600))
    }
}

private func httpDate(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
}
