// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("BCL, FCL: the provider ends sessions", .searchedForSecrets)
struct LogoutAttackTests {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// A provider that may end sessions by a frame.
    private static let framed = Flow.openID + "logout: { front_channel: true }\n"

    /// Somebody who is signed in, in the session that a good logout token ends.
    private struct SignedIn {
        let scenario: Scenario
        let client: OAuthClient

        init(_ flow: Flow = .signIn, _ change: (inout Script) -> Void = { _ in }) async throws {
            scenario = Scenario()
            scenario.change { $0.idToken.claims["sid"] = "session-1" }
            scenario.change(change)
            client = try flow.client(of: scenario)
            _ = try await client.signIn(at: scenario)
        }

        func end(_ change: (inout Token) -> Void = { _ in }) async throws -> Int {
            var token = LogoutAttackTests.token
            change(&token)
            let text = try scenario.compact(token, nonce: "", accessToken: "")
            scenario.remember([text])
            return try await client.endSessions(namedBy: Secret(text)).count
        }
    }

    /// A good one.
    static let token: Token = {
        var token = Token()
        token.header["typ"] = "logout+jwt"
        for name in ["nonce", "at_hash", "email"] { token.claims[name] = nil }
        token.claims["sid"] = "session-1"
        token.claims["jti"] = "logout-1"
        token.claims["events"] = [event: [:]]
        return token
    }()

    /// Expects that a changed token ends nothing, after a good one ended what it should.
    private func refuse(
        _ kind: OAuthError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout Token) -> Void
    ) async throws {
        #expect(try await SignedIn().end() == 1, sourceLocation: sourceLocation)
        let hostile = try await SignedIn()
        let requests = hostile.scenario.log.count
        await expectRefusal(kind, at: .logout, sourceLocation: sourceLocation) { try await hostile.end(change) }
        let keys = try await hostile.scenario.store.keys().count
        #expect(keys == 1, "the session was touched", sourceLocation: sourceLocation)
        #expect(hostile.scenario.log.count - requests <= 1, sourceLocation: sourceLocation)
    }

    private func refuse(
        _ kind: OAuthError.Kind, _ claim: String, _ values: [JSONValue?],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for value in values { try await refuse(kind, sourceLocation: sourceLocation) { $0.claims[claim] = value } }
    }

    @Test(
        "BCL-01: Logout that comes in another way",
        arguments: [
            (HTTPRequest.Method.get, "", "logout_token={token}"),
            (.post, "application/json", "{\"logout_token\":\"{token}\"}"),
            (.post, "", "logout_token={token}"),
        ])
    func BCL_01_logoutThatComesInAnotherWay(method: HTTPRequest.Method, type: String, body: String) async throws {
        let site = try Site()
        site.scenario.change { $0.idToken.claims["sid"] = "session-1" }
        var browser = Browser(site)
        _ = try await browser.signIn()
        let token = try site.scenario.compact(Self.token, nonce: "", accessToken: "")
        let path = "/sign-in/acme/back-channel-logout"
        let form = body.replacingOccurrences(of: "{token}", with: token)
        let refused = try await browser.send(
            method, path + (method == .get ? "?\(form)" : ""), form: form,
            fields: type.isEmpty ? [:] : ["Content-Type": type])
        #expect(refused.head.status == .badRequest)
        #expect(try await site.web.liveSession(of: browser.request()) != nil)
        let taken = try await browser.send(
            .post, path, form: "logout_token=\(token)", fields: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(taken.head.status == .ok)
        #expect(try await site.web.liveSession(of: browser.request()) == nil)
    }

    @Test("BCL-02: Claims that are wrong")
    func BCL_02_claimsThatAreWrong() async throws {
        try await refuse(.issuerMismatch, "iss", ["https://evil.example", "https://id.acme.example/"])
        try await refuse(.audienceMismatch, "aud", ["other", ["other"], ["other", "another"], []])
        try await refuse(.wrongFieldType, "aud", [1])
        try await refuse(.wrongTokenUse, "nonce", ["x"])
        try await refuse(.issuedInFuture, "iat", ["{now+3600}"])
        try await refuse(.expiredToken, "exp", ["{now-3600}"])
        for name in ["iss", "aud", "iat", "exp", "jti"] { try await refuse(.missingField, name, [nil, ""]) }
        try await refuse(.wrongFieldType, "iat", ["yesterday", true])
        try await refuse(.wrongFieldType, "jti", [true, 5])
        try await refuse(.wrongTokenUse, "events", [nil, [:], ["other": [:]]])
        try await refuse(.wrongFieldType, "events", ["logout", [], [.string(Self.event)], [Self.event: true]])
        try await refuse(.wrongFieldType, "sub", [7])
        try await refuse(.wrongFieldType, "sid", [true])
    }

    @Test("BCL-02: Signature that is wrong")
    func BCL_02_signatureThatIsWrong() async throws {
        try await refuse(.badSignature) { $0.key = .otherRSA }
        try await refuse(.unsupportedAlgorithm) { token in
            token.header["alg"] = "none"
            token.algorithm = nil
        }
        try await refuse(.unsupportedAlgorithm) { token in
            token.header["alg"] = "PS256"
            token.algorithm = "PS256"
        }
    }

    /// The server announces both algorithms, and this client's ID tokens have one (section 2.6).
    @Test("BCL-12: Algorithm of another client")
    func BCL_12_algorithmOfAnotherClient() async throws {
        let other = try SigningKey.p256.jwk(["kid": "2"])
        func signedIn(_ flow: Flow = .signIn) async throws -> SignedIn {
            try await SignedIn(flow) { script in
                script.metadata["id_token_signing_alg_values_supported"] = ["RS256", "ES256"]
                script.keys = ServerResponse(["keys": .array(Script.goodKeys + [other])])
            }
        }
        func sign(_ token: inout Token) {
            token.header["alg"] = "ES256"
            token.header["kid"] = "2"
            token.algorithm = "ES256"
            token.key = .p256
        }
        #expect(try await signedIn().end() == 1)
        let hostile = try await signedIn()
        await expectRefusal(.unsupportedAlgorithm, at: .logout) { try await hostile.end(sign) }
        #expect(try await hostile.scenario.store.keys().count == 1)
        // The refused token has not used up the id of the right one.
        #expect(try await hostile.end() == 1)
        // A descriptor that names both accepts both, as while a provider changes its algorithm.
        let named = Flow.signIn.adding("id_token: { algorithms: [RS256, ES256] }")
        #expect(try await signedIn(named).end(sign) == 1)
    }

    @Test("BCL-03: Token of another kind")
    func BCL_03_tokenOfAnotherKind() async throws {
        try await refuse(.wrongTokenUse) { token in
            token = Token()
            token.claims["jti"] = "an-id-token"
        }
        for type in ["at+jwt", "dpop+jwt", "secevent+jwt", "token-introspection+jwt", ""] {
            try await refuse(.wrongTokenUse) { $0.header["typ"] = .string(type) }
        }
        for type in ["JWT", "LOGOUT+JWT", "application/logout+jwt", nil] as [JSONValue?] {
            #expect(try await SignedIn().end { $0.header["typ"] = type } == 1)
        }
    }

    @Test("BCL-04: Logout that is played again")
    func BCL_04_logoutThatIsPlayedAgain() async throws {
        let signedIn = try await SignedIn()
        #expect(try await signedIn.end() == 1)
        _ = try await signedIn.client.signIn(at: signedIn.scenario)
        await expectRefusal(.alreadyUsed) { try await signedIn.end() }
        let accounts = try await signedIn.scenario.store.keys().count
        #expect(accounts == 1)
    }

    @Test("BCL-05: Session or subject or neither")
    func BCL_05_sessionOrSubjectOrNeither() async throws {
        #expect(try await SignedIn().end { $0.claims["sub"] = nil } == 1)
        #expect(try await SignedIn().end { $0.claims["sid"] = nil } == 1)
        #expect(try await SignedIn().end { $0.claims["sid"] = "session-2" } == 0)
        for session in ["session-1", nil] as [JSONValue?] {
            #expect(
                try await SignedIn().end { token in
                    token.claims["sid"] = session
                    token.claims["sub"] = "user-2"
                } == 0)
        }
        try await refuse(.missingField) { token in
            token.claims["sid"] = nil
            token.claims["sub"] = nil
        }
    }

    /// Two providers with the same client id, subject, session id and keys are two.
    @Test("BCL-06: Subject of another issuer")
    func BCL_06_subjectOfAnotherIssuer() async throws {
        let signedIn = try await SignedIn()
        let globex = "https://id.globex.example"
        signedIn.scenario.change { script in
            script.elsewhere["\(globex)/.well-known/openid-configuration"] = script.metadata
            script.elsewhere["\(globex)/.well-known/openid-configuration"]?["issuer"] = .string(globex)
        }
        let other = try Flow.signIn.of(
            WebSiteAttackTests.globex.replacingOccurrences(of: Scenario.issuer, with: globex)
        ).client(of: signedIn.scenario)
        var token = Self.token
        token.claims["iss"] = .string(globex)
        let ofGlobex = Secret(try signedIn.scenario.compact(token, nonce: "", accessToken: ""))
        #expect(try await other.endSessions(namedBy: ofGlobex).isEmpty)
        await expectRefusal(.issuerMismatch) { try await signedIn.client.endSessions(namedBy: ofGlobex) }
        let accounts = try await signedIn.scenario.store.keys().count
        #expect(accounts == 1)
        #expect(try await signedIn.end() == 1)
    }

    @Test("BCL-07: Response is not kept")
    func BCL_07_answerIsNotKept() async throws {
        let site = try Site()
        var browser = Browser(site)
        for body in ["", "logout_token=a.b.c"] {
            let reply = try await browser.send(
                .post, "/sign-in/acme/back-channel-logout", form: body,
                fields: ["Content-Type": "application/x-www-form-urlencoded"])
            #expect(reply.head.status == .badRequest)
            #expect(reply.head.headerFields[.cacheControl] == "no-store")
        }
    }

    /// Anybody may post tokens: a flood of bad ones asks the provider for keys once.
    @Test("BCL-08: Flood of bad tokens")
    func BCL_08_floodOfBadTokens() async throws {
        let signedIn = try await SignedIn()
        let before = signedIn.scenario.log.count
        for number in 0..<500 {
            await expectRefusal(.keyNotFound) {
                try await signedIn.end { token in
                    token.key = .otherRSA
                    token.header["kid"] = .string("key-\(number)")
                }
            }
        }
        #expect(signedIn.scenario.log.count - before <= 1)
        #expect(try await signedIn.end() == 1)
    }

    @Test("BCL-09: Refresh tokens are forgotten")
    func BCL_09_refreshTokensAreForgotten() async throws {
        let signedIn = try await SignedIn()
        let key = try #require(try await signedIn.scenario.store.keys().first)
        let session = try #require(try await signedIn.client.session(for: key.account))
        #expect(try await signedIn.end() == 1)
        await expectRefusal(.sessionEnded) { try await session.refresh() }
        #expect(signedIn.scenario.requests(to: "/token").count == 1)
    }

    @Test("FCL-01: Frame that ends a session")
    func FCL_01_frameThatEndsASession() async throws {
        let site = try Site([Self.framed])
        site.scenario.change { $0.idToken.claims["sid"] = "session-1" }
        var browser = Browser(site)
        _ = try await browser.signIn()
        let path = "/sign-in/acme/front-channel-logout"
        let issuer = "iss=https%3A%2F%2Fid.acme.example"
        for query in ["", "?sid=session-1", "?iss=https%3A%2F%2Fevil.example&sid=session-1"] {
            var stranger = Browser(site)
            let reply = try await stranger.get(path + query)
            #expect(reply.head.status == .badRequest, "\(query)")
            #expect(reply.head.headerFields[.cacheControl] == "no-store")
        }
        #expect(try await browser.get("\(path)?\(issuer)&sid=session-2").head.status == .ok)
        #expect(try await site.web.liveSession(of: browser.request()) != nil)
        let reply = try await browser.get("\(path)?\(issuer)&sid=session-1")
        #expect(reply.head.status == .ok)
        #expect(reply.head.headerFields[.cacheControl] == "no-store")
        #expect(try await site.web.liveSession(of: browser.request()) == nil)
        #expect(site.scenario.count("/revoke") == 0)
    }

    /// Off unless wanted, and only where it is cheap.
    @Test("FCL-02: Frames of a stranger")
    func FCL_02_framesOfAStranger() async throws {
        let path = "/sign-in/acme/front-channel-logout?iss=https%3A%2F%2Fid.acme.example&sid="
        let plain = Browser(try Site())
        #expect(await plain.site.web.respond(to: plain.request(.get, path + "session-1")) == nil)
        #expect(throws: OAuthError.self) { try Site([Self.framed], scenario: Scenario(store: UnindexedStore())) }
        let store = FailingStore()
        let site = try Site([Self.framed], scenario: Scenario(store: store))
        site.scenario.change { $0.idToken.claims["sid"] = "session-1" }
        var browsers = (0..<5).map { _ in Browser(site) }
        for index in browsers.indices { _ = try await browsers[index].signIn() }
        let before = store.loads
        var stranger = Browser(site)
        for number in 0..<100 { #expect(try await stranger.get("\(path)other-\(number)").head.status == .ok) }
        #expect(store.loads == before)
    }

    /// Garbage costs the provider nothing, and a token that might be one costs it one request in ten seconds.
    @Test("BCL-10: Garbage that makes the site ask")
    func BCL_10_garbageThatMakesTheSiteAsk() async throws {
        let site = try Site()
        var stranger = Browser(site)
        func post(_ text: String) async throws -> WebReply {
            site.scenario.remember([text])
            return try await stranger.send(
                .post, "/sign-in/acme/back-channel-logout", form: "logout_token=\(PercentEncoding.encode(text))",
                fields: ["Content-Type": "application/x-www-form-urlencoded"])
        }
        let good = try site.scenario.compact(Self.token, nonce: "", accessToken: "")
        let changes: [(String, JSONValue?)] = [
            ("iss", "https://evil.example"), ("aud", "other"), ("exp", 1), ("iat", 9_999_999_999), ("events", nil),
            ("events", [:]), ("jti", nil), ("nonce", "x"), ("sid", 7),
        ]
        let wrong = try changes.map { name, value in
            var token = Self.token
            token.claims[name] = value
            return try site.scenario.compact(token, nonce: "", accessToken: "")
        }
        var none = Self.token
        none.header["alg"] = "none"
        none.algorithm = nil
        let unsigned = try site.scenario.compact(none, nonce: "", accessToken: "")
        let garbage = ["x", "a.b.c", "....", String(repeating: "A", count: 60_000), unsigned] + wrong
        for text in garbage {
            #expect(try await post(text).head.status == .badRequest, "\(text.prefix(80))")
        }
        #expect(site.scenario.log.isEmpty)
        site.scenario.change { $0.metadata = .text("down", status: 503, type: "text/plain") }
        for _ in 0..<100 { #expect(try await post(good).head.status == .serviceUnavailable) }
        // One request to each place of the metadata.
        #expect(site.scenario.log.count == 2)
        site.scenario.clock.advance(by: .seconds(10))
        site.scenario.change { $0.metadata = Script().metadata }
        #expect(try await post(good).head.status == .ok)
    }

    @Test("BCL-11: Ended session that goes on from memory", arguments: [false, true])
    func BCL_11_endedSessionThatGoesOnFromMemory(isSignedOutHere: Bool) async throws {
        let store = FailingStore()
        let scenario = Scenario(store: store)
        scenario.change { $0.idToken.claims["sid"] = "session-1" }
        let client = try Flow.signIn.client(of: scenario)
        _ = try await client.signIn(at: scenario)
        let key = try #require(try await store.keys().first)
        let session = try #require(try await client.session(for: key.account))
        _ = try await session.tokens()
        store.fail()
        // The control: while nothing ended, the tokens serve.
        _ = try await session.tokens()
        store.work()
        if isSignedOutHere {
            _ = try await session.signOut()
        } else {
            let token = try scenario.compact(Self.token, nonce: "", accessToken: "")
            #expect(try await client.endSessions(namedBy: Secret(token)).count == 1)
        }
        store.fail()
        await expectThrown(TokenStoreError.self) { try await session.tokens() }
    }
}
