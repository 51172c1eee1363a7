import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// This machine's clock is wrong, and the provider's answers tell.
@Suite struct ProviderTimeTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    /// A client whose clock goes wrong by some hours, and answers that have the right date.
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

    @Test(arguments: [-5.0, 0, 0.0001, 5, 100_000])
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

    /// ID tokens are judged by this machine's clock: a renewal fails while that is wrong, and loses nothing.
    @Test(arguments: [-5, 5]) func wrongClockCostsNoSession(hours: Int) async throws {
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
            #expect(error?.message.contains("the clock here says") == true)
        }
        wrong.advance(by: .seconds(-hours * 3600))
        #expect(try await session.refresh().accessToken.reveal() == "access-token-5")
        let sent = provider.forms("/token").compactMap { $0["refresh_token"] }
        #expect(sent == (1...4).map { "refresh-token-\($0)" })
    }

    @Test(arguments: [
        "", "tomorrow", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Xyz 1994 08:49:37 GMT", "1 1 1 1 1 1 1 GMT",
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
