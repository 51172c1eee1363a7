import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// The provider has answered a refresh, and what has to follow fails: the new refresh token is kept.
@Suite struct RenewalCompletionTests {
    private let provider = ScriptedProvider()

    private var refreshTokens: [String?] {
        provider.forms("/token").filter { $0["grant_type"] == "refresh_token" }.map { $0["refresh_token"] }
    }

    @Test func keysThatCannotBeFetchedCostNoRefreshToken() async throws {
        // Another run of the program, which has no keys yet.
        let store = MemoryTokenStore()
        _ = try await provider.session(store: store)
        let session = try #require(try await provider.client(store: store).session(for: "user-1"))
        provider.clock.advance(by: .seconds(3600))
        provider.on("/jwks", fail: .timeout)
        let error = await #expect(throws: OAuthError.self) { try await session.tokens() }
        #expect(error?.disposition == .tryLater)
        #expect(try await session.storedTokens().accessToken.reveal() == "access-token-1")
        provider.restore("/jwks")
        provider.clock.advance(by: .seconds(60))
        #expect(try await session.tokens().accessToken.reveal() == "access-token-3")
        #expect(refreshTokens == ["refresh-token-1", "refresh-token-2"])
    }

    @Test func refreshTokenOfAForeignAccountIsNotKept() async throws {
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3600))
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, claims: ["sub": "user-2"]).jsonText())
        }
        await #expect(throws: OAuthError.self) { try await session.tokens() }
        #expect(try await session.storedTokens().refreshToken?.reveal() == "refresh-token-1")
    }
}
