import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Grant")
struct GrantTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    private func response(_ members: [String: JSONValue?] = [:], subject: String = "user-1") {
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, claims: ["sub": .string(subject)], members: members).jsonText())
        }
    }

    private func grant(_ session: Session) async throws -> TokenSet {
        let request = try await session.beginRequestingScopes(["calendar", "email"])
        return try await session.completeRequestingScopes(provider.callback(request), for: request.pending)
    }

    @Test("Granted scopes are asked for again")
    func grantedScopesAreAskedForAgain() async throws {
        let session = try await provider.session(store: store)
        let request = try await session.beginRequestingScopes(["calendar", "email"])
        let query = PercentEncoding.decodeForm(String(request.url.drop { $0 != "?" }.dropFirst())) ?? []
        #expect(query.first { $0.name == "scope" }?.value == "openid profile email calendar offline_access")
    }

    // RFC 8707, section 2.
    @Test("The tokens stay those of the same resource, and another resource gets no refresh token of this one")
    func theTokensStayThoseOfTheSameResource() async throws {
        let client = try provider.client(store: store)
        let options = AuthorizationOptions(access: .init(resource: ["https://api.example/a"]))
        let first = try await client.beginSignIn(options)
        let session = try await client.completeSignIn(provider.callback(first), for: first.pending)
        let request = try await session.beginRequestingScopes(["calendar"])
        let query = PercentEncoding.decodeForm(String(request.url.drop { $0 != "?" }.dropFirst())) ?? []
        #expect(query.filter { $0.name == "resource" }.map(\.value) == ["https://api.example/a"])
        _ = try await session.completeRequestingScopes(provider.callback(request), for: request.pending)
        try await session.refresh()
        #expect(provider.forms("/token").map { $0["resource"] } == Array(repeating: "https://api.example/a", count: 3))
        response(["refresh_token": nil as JSONValue?])
        let other = try await session.beginRequestingScopes(
            ["calendar"], options: AuthorizationOptions(access: .init(resource: ["https://api.example/b"])))
        let tokens = try await session.completeRequestingScopes(provider.callback(other), for: other.pending)
        #expect(tokens.refreshToken == nil)
    }

    @Test("More scopes are kept")
    func moreScopesAreKept() async throws {
        let session = try await provider.session(store: store)
        response(["scope": "openid profile email calendar"])
        let tokens = try await grant(session)
        #expect(tokens.scopes == ["openid", "profile", "email", "calendar"])
        #expect(await store.keys() == [session.key])
        #expect(try await session.storedTokens() == tokens)
    }

    @Test("Response without a refresh token keeps the old one")
    func responseWithoutARefreshTokenKeepsTheOldOne() async throws {
        response(["refresh_token_expires_in": 7200])
        let session = try await provider.session(store: store)
        let end = provider.clock.now + 7200
        response(["refresh_token": nil as JSONValue?])
        let tokens = try await grant(session)
        #expect(tokens.refreshToken?.reveal() == "refresh-token-1")
        #expect(tokens.refreshTokenExpiresAt == end)
    }

    // The refresh token that counts is the one of now, not the one of when the grant began.
    @Test("Refresh during a grant is not undone")
    func refreshDuringAGrantIsNotUndone() async throws {
        let session = try await provider.session(store: store)
        provider.on("/token") { provider, form in
            guard form["grant_type"] == "authorization_code" else { return try await provider.reply("/token", form) }
            try await session.refresh()
            return .json(try provider.tokens(for: form, members: ["refresh_token": nil as JSONValue?]).jsonText())
        }
        let tokens = try await grant(session)
        #expect(tokens.accessToken.reveal() == "access-token-3")
        #expect(tokens.refreshToken?.reveal() == "refresh-token-2")
    }

    @Test("Another account changes nothing")
    func anotherAccountChangesNothing() async throws {
        let session = try await provider.session(store: store)
        let before = try await session.storedTokens()
        response(subject: "user-2")
        await expectError(.idToken, .subjectMismatch) { try await grant(session) }
        #expect(try await session.storedTokens() == before)
    }

    @Test("Granted scopes need no page")
    func grantedScopesNeedNoPage() async throws {
        let session = try await provider.session(store: store)
        let tokens = try await session.requestScopes(["email"], with: NoAgent())
        #expect(tokens.accessToken.reveal() == "access-token-1")
        await #expect(throws: OAuthError.self) {
            try await session.requestScopes(["calendar"], with: NoAgent())
        }
    }
}

/// Shows nothing.
private struct NoAgent: UserAgent {
    func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
        throw UserAgentError(.cannotPresent, "there is no browser")
    }
}
