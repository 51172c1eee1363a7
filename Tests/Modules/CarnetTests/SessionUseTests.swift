import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let yaml =
    Fixture.openID + """
        api: { hosts: [api.acme.example] }
        resources:
          - { id: balance, scope: email, title: Balance, url: "https://bank.example/balance" }
          - { id: phone, scope: phone, title: Phone, url: "https://bank.example/phone" }
          - { id: transfer, scope: openid, title: Transfer, url: "https://bank.example/transfer", method: POST }

        """

@Suite("Resource call")
struct ResourceCallTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    private func signedIn() async throws -> Session { try await provider.session(yaml, store: store) }

    private func resource(_ id: String) throws -> Resource {
        try #require(ResourceMap(of: try Fixture.provider(yaml)).resource(named: id))
    }

    @Test("Resources follow the granted scopes")
    func resourcesFollowTheGrantedScopes() async throws {
        let access = try await signedIn().resources()
        #expect(access.map(\.resource.title) == ["Balance", "Phone", "Transfer"])
        #expect(access.map(\.missing) == [[], ["phone"], []])
    }

    @Test("Token goes to the resource")
    func tokenGoesToTheResource() async throws {
        provider.on("/balance", response: .json(#"{"balance":1}"#))
        let session = try await signedIn()
        let response = try await session.call(try resource("balance"))
        #expect(response.status == 200)
        let sent = try #require(provider.requests(to: "/balance").first)
        #expect(sent.head.authority == "bank.example")
        #expect(sent.head.headerFields[.authorization] == "Bearer access-token-1")
    }

    @Test("Method and body are sent")
    func methodAndBodyAreSent() async throws {
        provider.on("/transfer", response: .json("{}", status: 201))
        _ = try await signedIn().call(
            try resource("transfer"), body: Array("x".utf8), headers: [.contentType: "text/plain"])
        let sent = try #require(provider.requests(to: "/transfer").first)
        #expect(sent.head.method == .post)
        #expect(sent.body == Array("x".utf8))
        #expect(sent.head.headerFields[.contentType] == "text/plain")
    }

    @Test("Resource whose scope is missing is not called")
    func resourceWhoseScopeIsMissingIsNotCalled() async throws {
        let session = try await signedIn()
        let error = await expectError(.resource, .insufficientScope) { try await session.call(try resource("phone")) }
        #expect(error?.hint == "sign in with the scopes phone")
        #expect(provider.count("/phone") == 0)
    }

    @Test("Undeclared host gets nothing")
    func undeclaredHostGetsNothing() async throws {
        let session = try await signedIn()
        let before = provider.requests.count
        await expectError(.resource, .undeclaredHost) {
            try await session.send(HTTPRequest(url: "https://evil.example/x"))
        }
        #expect(provider.requests.count == before)
    }

    // Rule 6: one refresh, one more try.
    @Test("Refused token is refreshed and the call repeated once")
    func refusedTokenIsRefreshedAndTheCallRepeatedOnce() async throws {
        let session = try await signedIn()
        provider.on("/balance") { provider, _ in
            let isRefreshed =
                provider.requests(to: "/balance").last?.head.headerFields[.authorization] == "Bearer access-token-2"
            return isRefreshed ? .json("{}") : .json(#"{"error":"expired"}"#, status: 401)
        }
        let response = try await session.call(try resource("balance"))
        #expect(response.status == 200)
        #expect(provider.count("/balance") == 2)
        #expect(provider.count("/token") == 2)
        #expect(try await session.storedTokens().accessToken.reveal() == "access-token-2")
    }

    @Test("Endless refusal is bounded")
    func endlessRefusalIsBounded() async throws {
        let session = try await signedIn()
        provider.on("/balance", response: .json("{}", status: 401))
        let error = await expectError(.resource, .unauthorized) { try await session.call(try resource("balance")) }
        #expect(error?.disposition == .signInAgain)
        #expect(provider.count("/balance") == 2)
        #expect(provider.count("/token") == 2)
        #expect(await store.keys() == [session.key])
    }

    // 401 with a JSON body is no success, and without a refresh token it is said at once.
    @Test("Refused token without a refresh token is said")
    func refusedTokenWithoutARefreshTokenIsSaid() async throws {
        provider.on("/token") { provider, form in
            .json(try provider.tokens(for: form, members: ["refresh_token": nil as JSONValue?]).jsonText())
        }
        let session = try await signedIn()
        provider.on("/balance", response: .json(#"{"balance":100}"#, status: 401))
        await expectError(.resource, .unauthorized) { try await session.call(try resource("balance")) }
        #expect(provider.count("/balance") == 1)
        #expect(provider.count("/token") == 1)
    }

    // A refresh cannot help a missing scope.
    @Test("Forbidden is not refreshed")
    func forbiddenIsNotRefreshed() async throws {
        let session = try await signedIn()
        provider.on("/balance", response: .json("{}", status: 403))
        await expectError(.resource, .unexpectedStatus) { try await session.call(try resource("balance")) }
        #expect(provider.count("/balance") == 1)
        #expect(provider.count("/token") == 1)
    }

    // Many calls that are refused at once share one refresh.
    @Test("Many refused calls share one refresh")
    func manyRefusedCallsShareOneRefresh() async throws {
        let session = try await signedIn()
        let balance = try resource("balance")
        let gate = Gate()
        provider.on("/balance") { provider, _ in
            // All of the first round are refused; those with the new token are not.
            provider.count("/token") > 1 ? .json("{}") : .json("{}", status: 401)
        }
        provider.on("/token") { provider, form in
            await gate.pass()
            return try await provider.reply("/token", form)
        }
        async let outcomes = concurrently(30) { _ in try await session.call(balance).status }
        await gate.arrival()
        await settle()
        gate.open()
        #expect(await outcomes.allSatisfy { (try? $0.get()) == 200 })
        #expect(provider.count("/token") == 2)
    }

    // ARES-08 of the seeds' kind: what a failed refresh says is said, not the 401.
    @Test("Failed refresh after a refusal is said")
    func failedRefreshAfterARefusalIsSaid() async throws {
        let session = try await signedIn()
        provider.on("/balance", response: .json("{}", status: 401))
        provider.on("/token", fail: .connection)
        await expectError(.refresh, .transport) { try await session.call(try resource("balance")) }
        #expect(await store.keys() == [session.key])
        provider.on("/token", response: .json(#"{"error":"invalid_grant"}"#, status: 400))
        await expectError(.refresh, .sessionEnded) { try await session.call(try resource("balance")) }
        #expect(await store.keys().isEmpty)
    }

    @Test("Expired token is refreshed before the call")
    func expiredTokenIsRefreshedBeforeTheCall() async throws {
        let session = try await signedIn()
        provider.clock.advance(by: .seconds(3600))
        provider.on("/balance", response: .json("{}"))
        _ = try await session.call(try resource("balance"))
        #expect(
            provider.requests(to: "/balance").map { $0.head.headerFields[.authorization] } == ["Bearer access-token-2"])
    }
}

@Suite("Session profile")
struct SessionProfileTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    @Test("Profile is of the user who signed in")
    func profileIsOfTheUserWhoSignedIn() async throws {
        let session = try await provider.session(store: store)
        let profile = try await session.profile()
        #expect(profile.name == "Ada")
        #expect(provider.requests(to: "/userinfo").first?.head.headerFields[.authorization] == "Bearer access-token-1")
    }

    // UI-01, TOK-17.
    @Test("Profile of another user is thrown away")
    func profileOfAnotherUserIsThrownAway() async throws {
        let session = try await provider.session(store: store)
        provider.on("/userinfo", response: .json(#"{"sub":"user-2","name":"Eve"}"#))
        await expectError(.profile, .subjectMismatch) { try await session.profile() }
    }

    // UI-03.
    @Test("Refused token is refreshed once")
    func refusedTokenIsRefreshedOnce() async throws {
        let session = try await provider.session(store: store)
        provider.on("/userinfo") { provider, _ in
            provider.count("/userinfo") == 1
                ? .json(#"{"error":"invalid_token"}"#, status: 401) : .json(#"{"sub":"user-1"}"#)
        }
        #expect(try await session.profile().subject == "user-1")
        provider.on("/userinfo", response: .json("{}", status: 401))
        let before = provider.count("/userinfo")
        await expectError(.profile, .unauthorized) { try await session.profile() }
        #expect(provider.count("/userinfo") == before + 2)
    }

    // UI-10: what is held needs no request, and no access token that is still valid.
    @Test("Profile of the ID token needs no request")
    func profileOfTheIDTokenNeedsNoRequest() async throws {
        let noUserinfo = Fixture.openID.replacing("  userinfo: https://id.acme.example/userinfo\n", with: "")
        let session = try await provider.session(noUserinfo, store: store)
        provider.clock.advance(by: .seconds(7200))
        let before = provider.requests.count
        #expect(try await session.profile().subject == "user-1")
        #expect(provider.requests.count == before)
    }

    // GitHub's verified address: one request of several fails, is not there, or has another address.
    @Test("Further request takes nothing from the first")
    func furtherRequestTakesNothingFromTheFirst() async throws {
        let yaml =
            Fixture.openID + """
                profile:
                  requests:
                    - url: https://id.acme.example/emails
                      where: { primary: true, verified: true }
                      claims: { email: /email, email_verified: /verified }

                """
        let session = try await provider.session(yaml, store: store)
        provider.on("/userinfo", response: .json(#"{"sub":"user-1","name":"Ada","email":"public@example.com"}"#))
        provider.on("/emails", response: .json(#"{"message":"missing scope"}"#, status: 403))
        var profile = try await session.profile()
        #expect(profile.name == "Ada")
        #expect(profile.email == "public@example.com")
        #expect(profile.isEmailVerified == nil)
        #expect(profile.failures.map(\.kind) == [.unexpectedStatus])
        #expect("\(profile.failures)".contains("missing scope"))
        #expect(!"\(profile.failures)".contains("access-token"))
        provider.on("/emails", fail: .timeout)
        #expect(try await session.profile().failures.map(\.kind) == [.transport])
        provider.on("/emails", response: .json(#"[{"email":"new@example.com","primary":true,"verified":false}]"#))
        profile = try await session.profile()
        #expect(profile.email == "public@example.com")
        #expect(profile.isEmailVerified == nil)
        #expect(profile.failures.isEmpty)
        provider.on(
            "/emails",
            response: .json(
                #"[{"email":"old@example.com","verified":true},{"email":"a@example.com","primary":true,"verified":true}]"#
            ))
        profile = try await session.profile()
        #expect(profile.email == "a@example.com")
        #expect(profile.isEmailVerified == true)
        #expect(profile.subject == "user-1")
    }

    @Test("Token in the query is never shown")
    func tokenInTheQueryIsNeverShown() async throws {
        let yaml =
            Fixture.openID + "api: { hosts: [api.acme.example], token_in: { query: t, because: no headers } }\n"
        let tokens = TokenSet(
            accessToken: Secret("access+token-1"), tokenType: "Bearer", scopes: [], issuedAt: provider.clock.now)
        let acme = try Fixture.provider(yaml)
        let url = try WebURL("https://api.acme.example/x?a=b")
        for request in [
            try ResourceRequest.make(url, tokens: tokens, at: acme), try Profile.request(tokens, at: acme),
        ] {
            #expect(request.outgoing.head.path?.hasSuffix("t=access%2Btoken-1") == true)
            #expect(request.redacted.url.hasSuffix("t=[redacted]"))
            #expect(!"\(request) \(request.redacted) \(request.outgoing)".contains("token-1"))
        }
        await expectError(.resource, .undeclaredHost) {
            _ = try ResourceRequest.make(try WebURL("https://evil.example/"), tokens: tokens, at: acme)
        }
        await expectError(.resource, .reservedParameter) {
            _ = try ResourceRequest.make(
                try WebURL("https://api.acme.example/x?t=1"), tokens: tokens, at: acme)
        }
    }

    @Test("Header of the token is not set by anybody else", arguments: ["Authorization", "X-Acme-Token"])
    func headerOfTheTokenIsNotSetByAnybodyElse(name: String) async throws {
        let acme = try Fixture.provider(
            Fixture.openID + "api: { hosts: [api.acme.example], token_in: { header: x-acme-token } }\n")
        let tokens = TokenSet(
            accessToken: Secret("access-token-1"), tokenType: "Bearer", scopes: [], issuedAt: provider.clock.now)
        await expectError(.resource, .badHeader) {
            _ = try ResourceRequest.make(
                try WebURL("https://api.acme.example/x"), headers: [Named(name, "other")], tokens: tokens, at: acme)
        }
        let request = try ResourceRequest.make(try WebURL("https://api.acme.example/x"), tokens: tokens, at: acme)
        #expect(request.redacted.headers.contains(Named("x-acme-token", "[redacted]")))
    }

    @Test("Profile without any source is said")
    func profileWithoutAnySourceIsSaid() async throws {
        provider.on("/token", response: .json(#"{"access_token":"a","token_type":"Bearer"}"#))
        let noUserinfo = Fixture.plain.replacing("  userinfo: https://plain.example/me\n", with: "")
        let session = try await provider.session(noUserinfo, store: store)
        let error = await expectError(.profile, .missingField) { try await session.profile() }
        #expect(error?.descriptorKey == "profile.from")
    }
}
