import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Testing

@Suite("End session")
struct EndSessionTests {
    private static let target = "https://app.example/signed-out"

    private func page(
        _ yaml: String = Fixture.openID, returningTo target: String? = nil, idToken: String? = "x.y.z"
    ) throws -> EndSessionRequest {
        let tokens = TokenSet(
            accessToken: Secret("a"), tokenType: "Bearer", idToken: idToken.map { Secret($0) }, scopes: [],
            issuedAt: Attempt.now)
        var registration = try Attempt().registration
        registration.postLogoutRedirectURI = target
        return try EndSessionRequest(
            for: tokens, at: try Fixture.provider(yaml), as: registration, random: SeededRandomSource(seed: 1))
    }

    // LO-01.
    @Test("Page gets the client and the ID token")
    func pageGetsTheClientAndTheIDToken() throws {
        let page = try page()
        #expect(page.url.reveal() == "https://id.acme.example/logout?id_token_hint=x.y.z&client_id=client")
        #expect("\(page)".contains("x.y.z") == false)
        #expect(page.state == nil)
    }

    // LO-01.
    @Test("Registered URI is sent with a state of its own")
    func registeredURIIsSentWithAStateOfItsOwn() throws {
        let page = try page(returningTo: Self.target)
        let state = try #require(page.state?.reveal())
        #expect(state.utf8.count == 43)
        #expect(
            page.url.reveal() == "https://id.acme.example/logout?id_token_hint=x.y.z&client_id=client"
                + "&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fsigned-out&state=\(state)")
    }

    @Test("an ID token that makes the URL too long is left out, and nothing else")
    func longHintIsLeftOut() throws {
        let longest = String(repeating: "x", count: 7900)
        #expect(try page(returningTo: nil, idToken: longest).url.reveal().contains(longest))
        let page = try page(returningTo: Self.target, idToken: longest + longest)
        let state = try #require(page.state?.reveal())
        #expect(
            page.url.reveal() == "https://id.acme.example/logout?client_id=client"
                + "&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fsigned-out&state=\(state)")
    }

    @Test("a descriptor cannot give the page what a browser does not send", arguments: ["method: POST", "body: json"])
    func pageIsOpenedByABrowser(entry: String) throws {
        #expect(throws: (any Error).self) { try Fixture.provider(Fixture.openID + "logout: { \(entry) }\n") }
    }

    @Test("Descriptor renames and leaves out")
    func descriptorRenamesAndLeavesOut() throws {
        let odd =
            Fixture.openID
            + "logout: { rename: { post_logout_redirect_uri: returnTo }, omit: [id_token_hint, state] }\n"
        let page = try page(odd, returningTo: Self.target)
        #expect(
            page.url.reveal()
                == "https://id.acme.example/logout?client_id=client&returnTo=https%3A%2F%2Fapp.example%2Fsigned-out")
    }

    @Test(
        "Place that is no URI is rejected",
        arguments: ["", "signed-out", "https://app.example/#out", "https://app.example/ out"])
    func placeThatIsNoURIIsRefused(target: String) throws {
        expectError(.signOut, .badRegistration) { try page(returningTo: target) }
    }

    // LO-02: any other state, none, and two of them.
    @Test("Return is known by its state")
    func returnIsKnownByItsState() throws {
        let page = try page(returningTo: Self.target)
        let provider = try Fixture.provider()
        let state = try #require(page.state)
        func isReturn(_ query: String, _ state: Secret?) -> Bool {
            EndSessionRequest.isReturn(AuthorizationCallback(url: Self.target + query), state: state, at: provider)
        }
        #expect(isReturn("?state=\(state.reveal())", state))
        #expect(isReturn("?a=b&state=\(state.reveal())", state))
        #expect(!isReturn("?state=other", state))
        #expect(!isReturn("", state))
        #expect(!isReturn("?state=\(state.reveal())&state=\(state.reveal())", state))
        #expect(!isReturn("?state=%FF", state))
        #expect(!isReturn("?state=x", nil))
    }
}
