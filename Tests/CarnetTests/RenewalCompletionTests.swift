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

    /// ID tokens that cannot be believed, none of which says that the tokens are another account's.
    private static let refused: [(claims: [String: JSONValue?], member: JSONValue?, keyID: String, OAuthError.Kind)] = [
        (["exp": .number("1")], nil, "1", .expiredToken),
        (["iat": .number("99999999999")], nil, "1", .issuedInFuture),
        (["nbf": .number("99999999999")], nil, "1", .notYetValid),
        (["at_hash": "wrong"], nil, "1", .accessTokenHashMismatch),
        ([:], nil, "2", .keyNotFound),
        ([:], "a.b.c.d.e", "1", .unsupportedAlgorithm),
        ([:], "no token", "1", .malformedToken),
    ]

    @Test(arguments: 0..<7) func refusedIDTokenCostsNoRefreshToken(_ index: Int) async throws {
        let (claims, member, keyID, kind) = Self.refused[index]
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3600))
        provider.on("/token") { provider, form in
            let members: [String: JSONValue?] = member.map { ["id_token": $0] } ?? [:]
            return .json(try provider.tokens(for: form, claims: claims, members: members, keyID: keyID).jsonText())
        }
        let error = await expectError(.refresh, kind) { try await session.tokens() }
        #expect(error?.disposition == .tryLater)
        #expect(error?.hint?.contains("the session is kept") == true)
        #expect(try await session.storedTokens().accessToken.reveal() == "access-token-1")
        provider.restore("/token")
        #expect(try await session.tokens().accessToken.reveal() == "access-token-3")
        #expect(refreshTokens == ["refresh-token-1", "refresh-token-2"])
    }

    @Test func refusedIDTokenLeavesAValidTokenInUse() async throws {
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3550))
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, claims: ["exp": .number("1")]).jsonText())
        }
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        #expect(try await session.storedTokens().refreshToken?.reveal() == "refresh-token-2")
    }

    // Whose signature cannot be checked is not believed; that it names somebody else is enough to keep nothing.
    @Test func refreshTokenIsNotKeptBesideAnIDTokenThatNamesAnother() async throws {
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3600))
        for claims in [["sub": "user-2"], ["iss": "https://evil.example"]] as [[String: JSONValue?]] {
            provider.on("/token") { provider, form in
                .json(try provider.tokens(for: form, claims: claims, keyID: "2").jsonText())
            }
            await #expect(throws: OAuthError.self) { try await session.tokens() }
            #expect(try await session.storedTokens().refreshToken?.reveal() == "refresh-token-1")
        }
    }

    @Test(arguments: ["access_token", "token_type", "expires_in", "scope"])
    func answerOfNoOtherUseLeavesItsRefreshToken(wrong name: String) async throws {
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3600))
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: [name: ["what is": "this"]]).jsonText())
        }
        let error = await expectError(.refresh, .wrongFieldType) { try await session.tokens() }
        #expect(error?.disposition == .tryLater)
        provider.restore("/token")
        #expect(try await session.tokens().accessToken.reveal() == "access-token-3")
        #expect(refreshTokens == ["refresh-token-1", "refresh-token-2"])
    }

    @Test func refreshTokenThatCouldNotBeSavedIsTheNextToBeUsed() async throws {
        let store = FailingStore()
        let session = try await provider.session(store: store)
        provider.clock.advance(by: .seconds(3600))
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, claims: ["exp": .number("1")]).jsonText())
        }
        store.fail(.save)
        await expectError(.storage, .storage) { try await session.tokens() }
        store.work()
        provider.restore("/token")
        #expect(try await session.refresh().accessToken.reveal() == "access-token-3")
        #expect(refreshTokens == ["refresh-token-1", "refresh-token-2"])
    }
}
