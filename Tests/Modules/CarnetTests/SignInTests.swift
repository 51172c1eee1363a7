import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Sign-in")
struct SignInTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    @Test("Saves the tokens and the identity")
    func savesTheTokensAndTheIdentity() async throws {
        let session = try await provider.signIn(try provider.client(store: store))
        #expect(session.key == ConnectionKey(provider: "acme", account: "user-1"))
        let connection = try #require(await store.load(session.key)).connection
        #expect(connection.clientID == "client")
        #expect(connection.issuer == "https://id.acme.example")
        #expect(connection.subject == "user-1")
        #expect(connection.tokens.accessToken.reveal() == "access-token-1")
        #expect(connection.tokens.refreshToken?.reveal() == "refresh-token-1")
        #expect(connection.tokens.expiresAt == provider.clock.now + 3600)
        #expect(connection.tokens.scopes == ["openid", "profile", "email"])
    }

    @Test("Account is the host's name else the address else the subject")
    func accountIsTheHostsNameElseTheAddressElseTheSubject() async throws {
        provider.on("/token") { provider, form in
            let claims: [String: JSONValue?] = ["email": "ada@example.com", "email_verified": true]
            return .json(try provider.tokens(for: form, claims: claims).jsonText())
        }
        let client = try provider.client(store: store)
        #expect(try await provider.signIn(client).key.account == "ada@example.com")
        #expect(try await provider.signIn(client, account: "work").key.account == "work")
    }

    // IDT-28: an address that nobody verified may be anybody's.
    @Test(
        "Address that is not verified names no account",
        arguments: [nil, false, "false", "yes", 1, .null] as [JSONValue?])
    func addressThatIsNotVerifiedNamesNoAccount(verified: JSONValue?) async throws {
        provider.on("/token") { provider, form in
            let claims: [String: JSONValue?] = ["email": "ada@example.com", "email_verified": verified]
            return .json(try provider.tokens(for: form, claims: claims).jsonText())
        }
        #expect(try await provider.signIn(try provider.client(store: store)).key.account == "user-1")
    }

    // SESS-14: subjects are bytes, where `String` compares by canonical equivalence.
    @Test("Users whose subjects are canonically equivalent are two")
    func usersWhoseSubjectsAreCanonicallyEquivalentAreTwo() async throws {
        let client = try provider.client(store: store)
        for (subject, refreshToken) in [("jos\u{E9}", "first"), ("jose\u{301}", nil)] as [(String, String?)] {
            provider.on("/token") { provider, form in
                let members: [String: JSONValue?] = ["refresh_token": refreshToken.map { .string($0) }]
                return .json(
                    try provider.tokens(for: form, claims: ["sub": .string(subject)], members: members).jsonText())
            }
            _ = try await provider.signIn(client)
        }
        let keys = await store.keys()
        #expect(keys.count == 2)
        let second = try #require(await store.load(ConnectionKey(provider: "acme", account: "jose\u{301}")))
        #expect(second.connection.tokens.refreshToken == nil)
        // Under a name of the host's, too: the tokens of the one are not continued with those of the other.
        for (subject, refreshToken) in [("jos\u{E9}", "third"), ("jose\u{301}", nil)] as [(String, String?)] {
            provider.on("/token") { provider, form in
                let members: [String: JSONValue?] = ["refresh_token": refreshToken.map { .string($0) }]
                return .json(
                    try provider.tokens(for: form, claims: ["sub": .string(subject)], members: members).jsonText())
            }
            _ = try await provider.signIn(client, account: "shared")
        }
        let shared = try #require(await store.load(ConnectionKey(provider: "acme", account: "shared")))
        #expect(shared.connection.tokens.refreshToken == nil)
    }

    // IDT-19: the same address can be another user's one day.
    @Test("Another user with the same address is another account")
    func anotherUserWithTheSameAddressIsAnotherAccount() async throws {
        for subject in ["user-1", "user-2"] {
            provider.on("/token") { provider, form in
                let claims: [String: JSONValue?] = [
                    "email": "ada@example.com", "email_verified": true, "sub": .string(subject),
                ]
                return .json(try provider.tokens(for: form, claims: claims).jsonText())
            }
            _ = try await provider.signIn(try provider.client(store: store))
        }
        #expect(await store.keys().map(\.account) == ["ada@example.com", "user-2"])
    }

    // Some providers give a refresh token at the first consent only.
    @Test("Sign-in again without a refresh token keeps the old one")
    func signInAgainWithoutARefreshTokenKeepsTheOldOne() async throws {
        let client = try provider.client(store: store)
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: ["refresh_token_expires_in": 7200]).jsonText())
        }
        let session = try await provider.signIn(client, account: "ada")
        let end = provider.clock.now + 7200
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: ["refresh_token": nil as JSONValue?]).jsonText())
        }
        provider.clock.advance(by: .seconds(60))
        _ = try await provider.signIn(client, account: "ada")
        let tokens = try await session.storedTokens()
        #expect(tokens.accessToken.reveal() == "access-token-2")
        #expect(tokens.refreshToken?.reveal() == "refresh-token-1")
        #expect(tokens.refreshTokenExpiresAt == end)
    }

    @Test("Another user does not get the old refresh token")
    func anotherUserDoesNotGetTheOldRefreshToken() async throws {
        let client = try provider.client(store: store)
        let session = try await provider.signIn(client, account: "ada")
        provider.on("/token") { provider, form in
            let members: [String: JSONValue?] = ["refresh_token": nil]
            return .json(try provider.tokens(for: form, claims: ["sub": "user-2"], members: members).jsonText())
        }
        _ = try await provider.signIn(client, account: "ada")
        #expect(try await session.storedTokens().refreshToken == nil)
    }

    // ARES-01, ARES-12: nothing is sent, nothing is stored, and the right callback still works.
    @Test(
        "Forged callback changes nothing",
        arguments: ["code=c&state=wrong", "code=c", "error=access_denied&state=wrong"])
    func forgedCallbackChangesNothing(_ query: String) async throws {
        let client = try provider.client(store: store)
        let request = try await client.beginSignIn()
        let error = await #expect(throws: OAuthError.self) {
            try await client.completeSignIn(
                AuthorizationCallback(url: "com.example.app:/callback?\(query)"), for: request.pending)
        }
        #expect(error?.kind == .stateMismatch || error?.kind == .missingState)
        #expect(provider.requests.isEmpty)
        #expect(await store.keys().isEmpty)
        _ = try await client.completeSignIn(provider.callback(request), for: request.pending)
    }

    // ARES-02.
    @Test("Callback works once")
    func callbackWorksOnce() async throws {
        let client = try provider.client(store: store)
        let request = try await client.beginSignIn()
        let callback = provider.callback(request)
        _ = try await client.completeSignIn(callback, for: request.pending)
        let error = await expectError(.callback, .alreadyUsed) {
            try await client.completeSignIn(callback, for: request.pending)
        }
        #expect(error?.disposition == .signInAgain)
        #expect(provider.count("/token") == 1)
    }

    // ARES-02, CONC-01.
    @Test("Fifty callbacks at once make one token request")
    func fiftyCallbacksAtOnceMakeOneTokenRequest() async throws {
        let client = try provider.client(Fixture.discovered, store: store)
        let request = try await client.beginSignIn()
        let callback = provider.callback(request)
        let outcomes = await concurrently(50) { _ in
            try await client.completeSignIn(callback, for: request.pending)
        }
        #expect(outcomes.count { (try? $0.get()) != nil } == 1)
        #expect(
            outcomes.count { outcome in
                if case .failure(let error as OAuthError) = outcome { error.kind == .alreadyUsed } else { false }
            } == 49)
        #expect(provider.count("/token") == 1)
    }

    // TOK-18, HTTP-07: a code is never sent again, whatever became of it.
    @Test("Code is not sent again after a failure")
    func codeIsNotSentAgainAfterAFailure() async throws {
        let client = try provider.client(store: store)
        for failure in ["status", "connection"] {
            if failure == "status" {
                provider.on("/token", response: .canned("<html>", status: 500, type: "text/html"))
            } else {
                provider.on("/token", fail: .interrupted)
            }
            let before = provider.count("/token")
            let request = try await client.beginSignIn()
            let callback = provider.callback(request)
            let error = await #expect(throws: OAuthError.self) {
                try await client.completeSignIn(callback, for: request.pending)
            }
            #expect(error?.disposition == .tryLater)
            await expectError(.callback, .alreadyUsed) {
                try await client.completeSignIn(callback, for: request.pending)
            }
            #expect(provider.count("/token") == before + 1)
        }
        #expect(await store.keys().isEmpty)
    }

    // ARES-08, IDT-11.
    @Test("Code of another sign-in is found out by the nonce")
    func codeOfAnotherSignInIsFoundOutByTheNonce() async throws {
        let client = try provider.client(store: store)
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, claims: ["nonce": "of-another-sign-in"]).jsonText())
        }
        await expectError(.idToken, .nonceMismatch) { try await provider.signIn(client) }
        #expect(await store.keys().isEmpty)
        #expect(provider.count("/userinfo") == 0)
    }

    // IDT-12.
    @Test("ID token of an earlier sign-in is rejected")
    func idTokenOfAnEarlierSignInIsRefused() async throws {
        let client = try provider.client(store: store)
        let first = try await provider.signIn(client)
        let idToken = try #require(try await first.storedTokens().idToken?.reveal())
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: ["id_token": .string(idToken)]).jsonText())
        }
        await expectError(.idToken, .nonceMismatch) { try await provider.signIn(client, account: "second") }
        #expect(await store.keys() == [first.key])
    }

    // TOK-07.
    @Test("Missing ID token is rejected where OpenID was asked")
    func missingIDTokenIsRefusedWhereOpenIDWasAsked() async throws {
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: ["id_token": nil as JSONValue?]).jsonText())
        }
        await expectError(.tokenRequest, .missingField) { try await provider.signIn(try provider.client(store: store)) }
        #expect(await store.keys().isEmpty)
    }

    // TOK-08: an ID token that nobody asked for is not ignored.
    @Test("Unexpected ID token is validated too")
    func unexpectedIDTokenIsValidatedToo() async throws {
        await expectError(.idToken, .badDescriptor) {
            try await provider.signIn(try provider.client(Fixture.plain, store: store))
        }
        let noOpenID = Fixture.openID.replacing("[openid, profile, email]", with: "[email]")
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, key: .otherRSA).jsonText())
        }
        await expectError(.idToken, .badSignature) {
            try await provider.signIn(try provider.client(noOpenID, store: store))
        }
        #expect(await store.keys().isEmpty)
        provider.restore("/token")
        _ = try await provider.signIn(try provider.client(noOpenID, store: store))
    }

    // IDT-27, TOK-17: whatever is wrong with the ID token, nothing is stored and nothing more is asked.
    @Test("Bad ID token stores nothing")
    func badIDTokenStoresNothing() async throws {
        let wrong: [([String: JSONValue?], OAuthError.Kind)] = [
            (["iss": "https://evil.example"], .issuerMismatch), (["aud": "other"], .audienceMismatch),
            (["exp": 1], .expiredToken), (["at_hash": "AAAA"], .accessTokenHashMismatch),
            (["sub": nil as JSONValue?], .missingField),
        ]
        for (claims, kind) in wrong {
            provider.on("/token") { provider, form in
                .json(try provider.tokens(for: form, claims: claims).jsonText())
            }
            await expectError(.idToken, kind) { try await provider.signIn(try provider.client(store: store)) }
        }
        #expect(await store.keys().isEmpty)
        #expect(provider.count("/userinfo") == 0)
    }

    // A failed sign-in leaves what is stored alone.
    @Test("Failure leaves the stored tokens alone")
    func failureLeavesTheStoredTokensAlone() async throws {
        let client = try provider.client(store: store)
        let session = try await provider.signIn(client)
        let before = try #require(await store.load(session.key))
        provider.on("/token", response: .json(#"{"error":"invalid_grant"}"#, status: 400))
        await expectError(.tokenRequest, .serverError) { try await provider.signIn(client) }
        let after = try #require(await store.load(session.key))
        #expect(after.connection == before.connection)
        #expect(after.revision == before.revision)
    }

    @Test("Store that cannot save fails the sign-in")
    func storeThatCannotSaveFailsTheSignIn() async throws {
        let failing = FailingStore()
        failing.fail(.save)
        let client = try provider.client(store: failing)
        await #expect(throws: TokenStoreError.self) { try await provider.signIn(client) }
        #expect(try await client.session(for: "user-1") == nil)
    }

    @Test("Store that could not save is reported before anyone signs in")
    func storeThatCouldNotSaveIsReportedBeforeAnyoneSignsIn() async throws {
        let failing = FailingStore()
        failing.fail(.prepareToSave)
        let agent = ScriptedUserAgent { _, _ in throw CancellationError() }
        let client = try provider.client(store: failing)
        await #expect(throws: TokenStoreError.self) { try await client.signIn(with: agent) }
        #expect(agent.shownURLs.isEmpty && agent.openPresenters == 0)
    }

    // SESS-08.
    @Test("Attempt of another client sends nothing")
    func attemptOfAnotherClientSendsNothing() async throws {
        let mine = try provider.client(store: store)
        let other = try provider.client(clientID: "other", secret: "s3cret", store: store)
        let request = try await mine.beginSignIn()
        let callback = provider.callback(request)
        await expectError(.tokenRequest, .badRegistration) {
            try await other.completeSignIn(callback, for: request.pending)
        }
        #expect(provider.requests.isEmpty)
        _ = try await mine.completeSignIn(callback, for: request.pending)
    }

    // ARES-18.
    @Test("Late callback sends nothing")
    func lateCallbackSendsNothing() async throws {
        let client = try provider.client(store: store)
        let request = try await client.beginSignIn()
        provider.clock.advance(by: .seconds(600))
        await expectError(.callback, .expiredAttempt) {
            try await client.completeSignIn(provider.callback(request), for: request.pending)
        }
        #expect(provider.requests.isEmpty)
    }

    // A sign-in survives a restart of the host: the attempt is restored, the client is new.
    @Test("Attempt is completed by another process")
    func attemptIsCompletedByAnotherProcess() async throws {
        let request = try await provider.client(store: store).beginSignIn()
        let sealed = try JSONEncoder().encode(request.pending)
        let restored = try JSONDecoder().decode(PendingAuthorization.self, from: sealed)
        _ = try await provider.client(store: store).completeSignIn(provider.callback(request), for: restored)
        #expect(await store.keys().count == 1)
    }

    @Test("a profile that fails for now makes no account of another name", arguments: [nil, 503, 429])
    func profileThatFails(status: Int?) async throws {
        provider.on("/token", response: .json(#"{"access_token":"at-s3cret","token_type":"bearer"}"#))
        if let status {
            provider.on("/me", response: IncomingResponse(head: HTTPResponse(status: .init(code: status))))
        } else {
            provider.on("/me", fail: .timeout)
        }
        let client = try provider.client(Fixture.plain)
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(client) }
        #expect(error?.step == .profile)
        #expect(error?.disposition == .tryLater)
        #expect(error?.hint == "sign in again later, or choose a name for the account")
        #expect(try await client.accounts().isEmpty)
        _ = try await provider.signIn(client, account: "ada")
        #expect(try await client.accounts() == ["ada"])
    }

    @Test("a profile that cannot be read is an error with its status", arguments: [400, 401, 404])
    func profileThatCannotBeRead(status: Int) async throws {
        provider.on("/token", response: .json(#"{"access_token":"at-s3cret","token_type":"bearer"}"#))
        provider.on("/me", response: .json(#"{"error":"bad_version"}"#, status: status))
        let client = try provider.client(Fixture.plain)
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(client) }
        #expect(error?.step == .profile && error?.status == status && error?.server?.code == "bad_version")
        #expect(error?.hint?.hasSuffix("or choose a name for the account") == true)
        #expect(try await client.accounts().isEmpty)
        _ = try await provider.signIn(client, account: "ada")
        #expect(try await client.accounts() == ["ada"])
    }

    @Test("a profile that is not granted leaves an account without a subject")
    func profileThatIsRefused() async throws {
        provider.on("/token", response: .json(#"{"access_token":"at-s3cret","token_type":"bearer"}"#))
        provider.on("/me", response: IncomingResponse(head: HTTPResponse(status: 403)))
        let client = try provider.client(Fixture.plain)
        _ = try await provider.signIn(client)
        #expect(try await client.accounts() == ["default"])
    }

    @Test("Profile that came with the tokens is kept without them")
    func profileThatCameWithTheTokensIsKeptWithoutThem() async throws {
        let yaml =
            Fixture.plain + "profile: { from: token, claims: { subject: /user/id, name: /user/name } }\n"
        provider.on(
            "/token",
            response: .json(
                #"{"access_token":"at-s3cret","token_type":"bearer","user":{"id":7,"name":"Ada","access_token":"x-s3cret"}}"#
            ))
        let session = try await provider.session(yaml, store: store)
        #expect(session.key.account == "7")
        let connection = try #require(await store.load(session.key)).connection
        #expect(connection.profile?.contains("s3cret") == false)
        let profile = try await session.profile()
        #expect(profile.name == "Ada")
        #expect(profile.subject == "7")
    }

    @Test("A list of objects that came with the tokens is not kept, because they may contain more tokens")
    func objectsThatCameWithTheTokensAreNotKept() async throws {
        let yaml =
            Fixture.plain
            + "profile: { from: token, claims: { subject: /id, one: { root: /teams, first: '' }, "
            + "teams: { root: /teams, each: '' } } }\n"
        provider.on(
            "/token",
            response: .json(
                #"{"access_token":"at-s3cret","token_type":"bearer","id":7,"teams":[{"id":1,"key":"x-s3cret"}]}"#))
        let session = try await provider.session(yaml, store: store)
        let connection = try #require(await store.load(session.key)).connection
        #expect(connection.profile?.contains("s3cret") == false)
        let profile = try await session.profile()
        #expect(profile.subject == "7" && profile["teams"] == nil && profile["one"] == nil)
    }

    @Test("Missing input is said when the client is made")
    func missingInputIsSaidWhenTheClientIsMade() throws {
        let yaml = Fixture.openID + "inputs: { tenant: { example: acme } }\n"
        #expect(throws: ResolutionError.self) { try provider.client(yaml) }
    }

    @Test("Client is freed with its sessions")
    func clientIsFreedWithItsSessions() async throws {
        weak var freed: OAuthClient?
        do {
            let client = try provider.client(store: store)
            freed = client
            let session = try await provider.signIn(client)
            #expect(try await client.session(for: "user-1") === session)
        }
        #expect(freed == nil)
    }
}

@Suite("User agent")
struct UserAgentTests {
    private let provider = ScriptedProvider()

    // ARES-03: a forged callback does not end a login that waits.
    @Test("Forged callback is passed over and the wait goes on")
    func forgedCallbackIsPassedOverAndTheWaitGoesOn() async throws {
        let client = try provider.client()
        let agent = ScriptedUserAgent { [provider] url, redirectURI in
            let query = PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())) ?? []
            let values = Dictionary(query.map { ($0.name, $0.value) }) { first, _ in first }
            provider.on("/token") { provider, form in
                .json(try provider.tokens(for: form, claims: ["nonce": values["nonce"].map { .string($0) }]).jsonText())
            }
            return [
                "\(redirectURI)?code=evil&state=guess", "\(redirectURI)?error=access_denied",
                "\(redirectURI)?code=good&state=\(values["state"] ?? "")",
            ]
        }
        let session = try await client.signIn(with: agent)
        #expect(session.key.account == "user-1")
        #expect(agent.refusedCallbacks == 2)
        #expect(agent.openPresenters == 0)
        #expect(provider.forms("/token").map { $0["code"] } == ["good"])
    }

    // Cancelled, too late and impossible are distinguished, and the port is freed.
    @Test(
        "Reasons for no callback are reported apart",
        arguments: zip(
            [UserAgentError.Kind.cancelled, .timeout, .cannotListen, .cannotPresent],
            [OAuthError.Kind.cancelled, .expiredAttempt, .unsupported, .unsupported]
        ))
    func reasonsForNoCallbackAreDistinguished(_ kind: UserAgentError.Kind, _ expected: OAuthError.Kind) async throws {
        let agent = ScriptedUserAgent { _, _ in throw UserAgentError(kind, "scripted") }
        let client = try provider.client()
        let error = await #expect(throws: OAuthError.self) { try await client.signIn(with: agent) }
        #expect(error?.kind == expected)
        #expect(agent.openPresenters == 0)
        #expect(provider.requests.isEmpty)
    }

    @Test("Refusal of the user is reported")
    func refusalOfTheUserIsReported() async throws {
        let agent = ScriptedUserAgent { url, redirectURI in
            let query = PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())) ?? []
            let state = query.first { $0.name == "state" }?.value ?? ""
            return ["\(redirectURI)?error=access_denied&state=\(state)"]
        }
        let client = try provider.client()
        let error = await expectError(.callback, .serverError) { try await client.signIn(with: agent) }
        #expect(error?.server?.code == "access_denied")
        #expect(error?.disposition == .signInAgain)
        #expect(provider.requests.isEmpty)
    }

    @Test("Loopback port is in the request")
    func loopbackPortIsInTheRequest() async throws {
        let client = try OAuthClient(
            try Fixture.descriptor(Fixture.openID),
            registration: ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback"),
            transport: provider,
            clock: provider.clock
        )
        let agent = ScriptedUserAgent(port: 50_123) { url, _ in
            #expect(url.contains("redirect_uri=http%3A%2F%2F127.0.0.1%3A50123%2Fcallback&"))
            throw UserAgentError(.cancelled, "scripted")
        }
        await expectError(.authorization, .cancelled) { try await client.signIn(with: agent) }
    }
}
