import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// The provider has responded to a refresh, and what has to follow fails: the new refresh token is kept.
@Suite("Refresh completion")
struct RefreshCompletionTests {
    private let provider = ScriptedProvider()

    private var refreshTokens: [String?] {
        provider.forms("/token").filter { $0["grant_type"] == "refresh_token" }.map { $0["refresh_token"] }
    }

    @Test("Keys that cannot be fetched cost no refresh token")
    func keysThatCannotBeFetchedCostNoRefreshToken() async throws {
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

    @Test("a refresh token is saved before the keys are requested that its ID token needs")
    func refreshTokenIsSavedFirst() async throws {
        let store = MemoryTokenStore()
        _ = try await provider.session(store: store)
        let session = try #require(try await provider.client(store: store).session(for: "user-1"))
        provider.clock.advance(by: .seconds(3600))
        let saved = Lock<Secret?>(nil)
        provider.on("/jwks") { [key = session.key] provider, form in
            let stored = await store.load(key)?.connection.tokens.refreshToken
            saved.withLock { $0 = stored }
            return try await provider.reply("/jwks", form)
        }
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
        #expect(saved.withLock { $0 }?.reveal() == "refresh-token-2")
    }

    @Test("a refresh token that was saved first goes with an ID token that is for somebody else")
    func refreshTokenThatWasSavedFirstIsRemoved() async throws {
        let store = MemoryTokenStore()
        _ = try await provider.session(store: store)
        let session = try #require(try await provider.client(store: store).session(for: "user-1"))
        provider.clock.advance(by: .seconds(3600))
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, claims: ["sub": "another"]).jsonText())
        }
        await #expect(throws: OAuthError.self) { try await session.tokens() }
        #expect(try await session.storedTokens().refreshToken?.reveal() == "refresh-token-1")
    }

    @Test("a server that is overloaded is named with the time that it asks for")
    func retryAfter() async throws {
        let session = try await provider.session()
        let kept = "the session is kept, and the next refresh tries again"
        for (fields, hint) in [
            (["Retry-After": "7"], "try again in 7 seconds, as the server asks; \(kept)"), ([:], kept),
            (["Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"], kept),
        ] {
            for status in [429, 503] {
                let headers = HTTPFields(try fields.map { HTTPField(name: try #require(.init($0)), value: $1) })
                provider.on(
                    "/token",
                    response: IncomingResponse(head: HTTPResponse(status: .init(code: status), headerFields: headers)))
                let kind = status == 429 ? OAuthError.Kind.tooManyRequests : .serverUnavailable
                let error = await expectError(.refresh, kind) { try await session.refresh() }
                #expect(error?.hint == hint)
                provider.clock.advance(by: .seconds(7))
            }
        }
    }

    @Test("Refresh token of a foreign account is not kept")
    func refreshTokenOfAForeignAccountIsNotKept() async throws {
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

    @Test("Refused ID token costs no refresh token", arguments: 0..<7)
    func refusedIDTokenCostsNoRefreshToken(_ index: Int) async throws {
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

    @Test("Refused ID token leaves a valid token in use")
    func refusedIDTokenLeavesAValidTokenInUse() async throws {
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3550))
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, claims: ["exp": .number("1")]).jsonText())
        }
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        #expect(try await session.storedTokens().refreshToken?.reveal() == "refresh-token-2")
    }

    // Whose signature cannot be checked is not believed; that it names somebody else is enough to keep nothing.
    @Test("Refresh token is not kept beside an ID token that names another")
    func refreshTokenIsNotKeptBesideAnIDTokenThatNamesAnother() async throws {
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

    @Test(
        "Response of no other use leaves its refresh token",
        arguments: ["access_token", "token_type", "expires_in", "scope"])
    func responseOfNoOtherUseLeavesItsRefreshToken(wrong name: String) async throws {
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

    @Test("Refresh token that could not be saved is the next to be used")
    func refreshTokenThatCouldNotBeSavedIsTheNextToBeUsed() async throws {
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
