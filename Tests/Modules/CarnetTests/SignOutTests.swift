import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite("Sign-out")
struct SignOutTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    @Test("Local sign-out forgets without a request")
    func localSignOutForgetsWithoutARequest() async throws {
        let session = try await provider.session(store: store)
        let before = provider.requests.count
        let outcome = try await session.signOut()
        #expect(!outcome.isRevoked)
        #expect(outcome.failures.isEmpty)
        #expect(outcome.endSessionURL == nil)
        #expect(await store.keys().isEmpty)
        #expect(provider.requests.count == before)
        await expectError(.storage, .sessionEnded) { try await session.tokens() }
    }

    // REV-01, REV-05.
    @Test("Refresh token is revoked before the access token")
    func refreshTokenIsRevokedBeforeTheAccessToken() async throws {
        let outcome = try await provider.session(store: store).signOut(.revoke)
        #expect(outcome.isRevoked)
        #expect(provider.forms("/revoke").map { $0["token_type_hint"] } == ["refresh_token", "access_token"])
        #expect(provider.forms("/revoke").map { $0["token"] } == ["refresh-token-1", "access-token-1"])
        #expect(await store.keys().isEmpty)
    }

    // REV-02: whatever the body.
    @Test("Body of the response does not matter")
    func bodyOfTheResponseDoesNotMatter() async throws {
        provider.on("/revoke", response: .canned("OK", type: "text/plain"))
        #expect(try await provider.session(store: store).signOut(.revoke).isRevoked)
    }

    // REV-03, REV-04, LO-03: one failure keeps neither the other token nor the record.
    @Test("Failure is reported and the tokens are forgotten")
    func failureIsReportedAndTheTokensAreForgotten() async throws {
        let session = try await provider.session(store: store)
        provider.on("/revoke") { _, form in
            form["token_type_hint"] == "refresh_token"
                ? .json(#"{"error":"unsupported_token_type"}"#, status: 400) : .json("{}")
        }
        let outcome = try await session.signOut(.revoke)
        #expect(!outcome.isRevoked)
        #expect(outcome.failures.map(\.server?.code) == ["unsupported_token_type"])
        #expect(outcome.failures.map(\.step) == [.revocation])
        #expect(provider.count("/revoke") == 2)
        #expect(await store.keys().isEmpty)
    }

    @Test(
        "The access token may be void once the refresh token is revoked",
        arguments: ["invalid_token", "invalid_request"])
    func voidAccessToken(code: String) async throws {
        let session = try await provider.session(store: store)
        provider.on("/revoke") { _, form in
            form["token_type_hint"] == "refresh_token" ? .json("") : .json(#"{"error":"\#(code)"}"#, status: 400)
        }
        let outcome = try await session.signOut(.revoke)
        #expect(outcome.isRevoked)
        #expect(outcome.failures.isEmpty)
    }

    @Test("A refusal of the access token counts where the refresh token was not revoked, or the client is unknown")
    func refusedAccessToken() async throws {
        for (first, code) in [(503, "invalid_token"), (200, "invalid_client"), (200, "unsupported_token_type")] {
            let session = try await provider.session(store: store)
            provider.on("/revoke") { _, form in
                form["token_type_hint"] == "refresh_token"
                    ? .json("{}", status: first) : .json(#"{"error":"\#(code)"}"#, status: 400)
            }
            #expect(!(try await session.signOut(.revoke).isRevoked), "\(first) \(code)")
        }
    }

    // REV-04.
    @Test("Broken connection forgets the tokens too")
    func brokenConnectionForgetsTheTokensToo() async throws {
        let session = try await provider.session(store: store)
        provider.on("/revoke", fail: .connection)
        let outcome = try await session.signOut(.revoke)
        #expect(!outcome.isRevoked)
        #expect(outcome.failures.map(\.kind) == [.transport])
        #expect(await store.keys().isEmpty)
    }

    @Test("A busy server is no reason to try again: the tokens are gone, which is said once")
    func busyServer() async throws {
        let session = try await provider.session(store: store)
        provider.on("/revoke") { _, _ in
            var response = IncomingResponse.json("{}", status: 503)
            response.head.headerFields[.retryAfter] = "20"
            return response
        }
        let outcome = try await session.signOut(.revoke)
        #expect(outcome.failures.map(\.kind) == [.serverUnavailable])
        #expect(outcome.failures.first?.retryAt == nil)
        #expect(
            outcome.failures.first?.hint == "the tokens are removed here and may stay valid; end them at the provider")
        #expect(await store.keys().isEmpty)
    }

    // REV-04: a provider without the endpoint.
    @Test("Missing endpoint is no failure")
    func missingEndpointIsNoFailure() async throws {
        let without = Fixture.openID.replacing("  revocation: https://id.acme.example/revoke\n", with: "")
        let outcome = try await provider.session(without, store: store).signOut(.revoke)
        #expect(outcome.failures.isEmpty)
        #expect(!outcome.isRevoked)
        #expect(await store.keys().isEmpty)
    }

    // CONC-02: a sign-out that is cancelled while it revokes still forgets.
    @Test("Cancelled revocation forgets the tokens")
    func cancelledRevocationForgetsTheTokens() async throws {
        let session = try await provider.session(store: store)
        let gate = Gate()
        provider.on("/revoke") { _, _ in
            await gate.pass()
            try Task.checkCancellation()
            return .json("{}")
        }
        let signOut = Task { try await session.signOut(.revoke) }
        await gate.arrival()
        signOut.cancel()
        gate.open()
        let outcome = try await signOut.value
        #expect(!outcome.isRevoked)
        #expect(outcome.failures.map(\.kind) == [.cancelled])
        #expect(await store.keys().isEmpty)
    }

    // LO-01.
    @Test("Everywhere gives the page that ends the provider's session")
    func everywhereGivesThePageThatEndsTheProvidersSession() async throws {
        let outcome = try await provider.session(store: store).signOut(.everywhere)
        let url = try #require(outcome.endSessionURL?.reveal())
        #expect(url.hasPrefix("https://id.acme.example/logout?id_token_hint="))
        #expect(url.hasSuffix("&client_id=client"))
        #expect(outcome.isRevoked)
    }

    // LO-01.
    @Test("Page leads back where the registration says")
    func pageLeadsBackWhereTheRegistrationSays() async throws {
        var registration = try provider.client().registration
        registration.postLogoutRedirectURI = "https://app.example/signed-out"
        let client = try OAuthClient(
            try Fixture.descriptor(Fixture.openID), registration: registration, transport: provider, store: store,
            clock: provider.clock)
        let outcome = try await provider.signIn(client).signOut(.everywhere)
        let state = try #require(outcome.endSessionState).reveal()
        let url = try #require(outcome.endSessionURL?.reveal())
        #expect(
            url.hasSuffix("&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fsigned-out&state=\(state)"))
    }

    // LO-03: the page is only made once nothing is left here, whatever the provider responses.
    @Test("Provider that is down does not keep the session")
    func providerThatIsDownDoesNotKeepTheSession() async throws {
        let session = try await provider.session(store: store)
        provider.on("/revoke", response: .canned("", status: 500, type: "text/plain"))
        let outcome = try await session.signOut(.everywhere)
        #expect(!outcome.isRevoked)
        #expect(outcome.endSessionURL != nil)
        #expect(await store.keys().isEmpty)
        await expectError(.storage, .sessionEnded) { try await session.tokens() }
    }

    @Test("Page that is missing is reported and the rest is done")
    func pageThatIsMissingIsReportedAndTheRestIsDone() async throws {
        let without = Fixture.openID.replacing("  end_session: https://id.acme.example/logout\n", with: "")
        let outcome = try await provider.session(without, store: store).signOut(.everywhere)
        #expect(outcome.failures.map(\.descriptorKey) == ["endpoints.end_session"])
        #expect(outcome.isRevoked)
        #expect(await store.keys().isEmpty)
    }

    @Test("Store that cannot forget is an error")
    func storeThatCannotForgetIsAnError() async throws {
        let failing = FailingStore()
        let session = try await provider.session(store: failing)
        failing.fail(.remove)
        await #expect(throws: TokenStoreError.self) { try await session.signOut() }
    }

    @Test("Second sign-out has nothing to do")
    func secondSignOutHasNothingToDo() async throws {
        let session = try await provider.session(store: store)
        _ = try await session.signOut()
        #expect(try await session.signOut(.revoke).failures.isEmpty)
        #expect(provider.count("/revoke") == 0)
    }

    // CONC-01: a refresh that is under way does not bring the tokens back, and what it brought is revoked.
    @Test("Sign-out during a refresh revokes the new tokens")
    func signOutDuringARefreshRevokesTheNewTokens() async throws {
        let session = try await provider.session(store: store)
        provider.clock.advance(by: .seconds(3600))
        let gate = Gate()
        provider.on("/token") { provider, form in
            await gate.pass()
            return try await provider.reply("/token", form)
        }
        let refresh = Task { try? await session.tokens() }
        await gate.arrival()
        let signOut = Task { try await session.signOut(.revoke) }
        await settle()
        gate.open()
        #expect(try await signOut.value.isRevoked)
        _ = await refresh.value
        #expect(provider.forms("/revoke").first?["token"] == "refresh-token-2")
        #expect(await store.keys().isEmpty)
    }
}

@Suite("Restore")
struct RestoreTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    @Test("Session is restored by another process")
    func sessionIsRestoredByAnotherProcess() async throws {
        _ = try await provider.session(store: store)
        let restored = try #require(try await provider.client(store: store).session(for: "user-1"))
        #expect(try await restored.tokens().accessToken.reveal() == "access-token-1")
    }

    @Test("Account that never signed in has no session")
    func accountThatNeverSignedInHasNoSession() async throws {
        #expect(try await provider.client(store: store).session(for: "nobody") == nil)
    }

    @Test("Session of an account is one object")
    func sessionOfAnAccountIsOneObject() async throws {
        let client = try provider.client(store: store)
        let session = try await provider.signIn(client)
        #expect(try await client.session(for: "user-1") === session)
    }

    @Test("Tokens of another client are rejected")
    func tokensOfAnotherClientAreRefused() async throws {
        _ = try await provider.session(store: store)
        let other = try provider.client(clientID: "other", store: store)
        let error = await expectError(.storage, .badRegistration) { try await other.session(for: "user-1") }
        #expect(error?.disposition == .fixConfiguration)
        #expect(await store.keys().count == 1)
    }

    @Test("Tokens of other inputs are rejected")
    func tokensOfOtherInputsAreRefused() async throws {
        let yaml =
            Fixture.openID.replacing("https://id.acme.example/token", with: "https://{host}/token")
            + "inputs: { host: { type: hostname, default: id.acme.example } }\n"
        _ = try await provider.session(yaml, store: store)
        let elsewhere = try OAuthClient(
            try Fixture.descriptor(yaml),
            registration: ClientRegistration(
                clientID: "client",
                redirectURI: "com.example.app:/callback",
                inputs: ["host": "evil.example"]
            ),
            transport: provider,
            store: store,
            clock: provider.clock
        )
        await expectError(.storage, .badRegistration) { try await elsewhere.session(for: "user-1") }
    }

    // One record for each provider and account.
    @Test("Accounts are apart")
    func accountsAreApart() async throws {
        let client = try provider.client(store: store)
        let first = try await provider.signIn(client, account: "first")
        let second = try await provider.signIn(client, account: "second")
        #expect(try await client.accounts() == ["first", "second"])
        _ = try await first.signOut()
        #expect(try await client.accounts() == ["second"])
        #expect(try await second.tokens().accessToken.reveal() == "access-token-2")
        #expect(try await client.session(for: "first") == nil)
    }

    @Test("Store that cannot be read is said")
    func storeThatCannotBeReadIsSaid() async throws {
        let failing = FailingStore()
        let session = try await provider.session(store: failing)
        failing.fail(.load)
        await #expect(throws: TokenStoreError.self) { try await session.tokens() }
    }
}
