import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import HTTPTypes
import Testing

@Suite("Signing out of a web site")
struct WebSignOutTests {
    @Test("The tokens are forgotten, and an old cookie opens nothing")
    func signOut() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        let stolen = browser.request
        let reply = try await browser.post("/sign-out", [(name: "return_to", value: "/bye")])
        #expect(reply.head.headerFields[.location] == "/bye")
        #expect(browser.cookies.isEmpty)
        #expect(await browser.site.store.keys().isEmpty)
        #expect(try await browser.site.web.liveSession(of: stolen) == nil)
    }

    @Test("A store that fails is reported with a reference that the log has, and keeps the session")
    func storeFails() async throws {
        let log = RecordedLog()
        var browser = Browser(try Site(logger: log.logger))
        _ = try await browser.signIn()
        browser.site.records.fail()
        #expect(try await browser.post("/sign-out").head.status == .serviceUnavailable)
        #expect(log.entries.contains { $0.contains("the disk is full") })
        #expect(browser.session != nil)
    }

    @Test("A form of another site signs nobody out")
    func crossSite() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        #expect(try await browser.post("/sign-out", from: "cross-site").head.status == .forbidden)
        #expect(browser.session != nil)
    }

    @Test("One of several accounts can leave")
    func oneAccount() async throws {
        var browser = Browser(try Site([Site.acme, Site.globex]))
        _ = try await browser.signIn("acme")
        _ = try await browser.signIn("globex")
        let leaving = try #require(browser.session?.account(of: "globex"))
        _ = try await browser.post("/sign-out", [(name: "connection", value: leaving.storeName)])
        #expect(browser.session?.accounts.map(\.provider) == ["acme"])
    }

    @Test("Tokens are revoked where the provider can")
    func revoke() async throws {
        var browser = Browser(try Site([Site.revoking]))
        _ = try await browser.signIn()
        _ = try await browser.post("/sign-out", [(name: "extent", value: "revoke")])
        #expect(await browser.site.sandbox.requests.contains { $0.endpoint == .revocation })
    }

    @Test("Another browser of the same person stays signed in")
    func otherBrowser() async throws {
        let site = try Site()
        var desk = Browser(site)
        var phone = Browser(site)
        _ = try await desk.signIn()
        _ = try await phone.signIn()
        _ = try await desk.post("/sign-out")
        #expect(try await site.web.liveSession(of: phone.request) != nil)
    }

    @Test("A sign-out shows its result, and a link to continue")
    func report() async throws {
        var browser = Browser(try Site([Site.revoking]))
        _ = try await browser.signIn()
        let reply = try await browser.post("/sign-out", [(name: "extent", value: "revoke")])
        #expect(reply.head.headerFields[.location] == "/signed-out")
        let page = try await browser.get("/signed-out")
        #expect(page.head.status == .ok)
        #expect(page.body.contains("This site has deleted the tokens of Acme."))
        #expect(page.body.contains("Acme has revoked them."))
        #expect(!page.body.contains("Reference"))
        #expect(try await Browser(browser.site).peek("/signed-out").body.contains("Nobody is signed in"))
    }

    @Test("Without a revocation endpoint, the sign-out succeeds and continues at the form's return path")
    func noRevocationEndpoint() async throws {
        let log = RecordedLog()
        let without =
            Site.acme + "endpoints: { authorization: https://id.acme.example/authorize, "
            + "token: https://id.acme.example/token, jwks: https://id.acme.example/jwks }\ndiscovery: none\n"
        var browser = Browser(try Site([without], logger: log.logger))
        for returnTo in ["/bye", nil] {
            _ = try await browser.signIn()
            let wanted = returnTo.map { [(name: "return_to", value: $0)] } ?? []
            let reply = try await browser.post("/sign-out", [(name: "extent", value: "revoke")] + wanted)
            #expect(reply.head.headerFields[.location] == returnTo ?? "/signed-out")
            #expect(browser.session == nil)
        }
        let page = try await browser.get("/signed-out")
        #expect(page.body.contains("Acme did not revoke them; they stay valid until they expire."))
        #expect(!page.body.contains("Reference"))
        #expect(!log.entries.contains { $0.contains("Sign-out at the provider failed") })
    }

    @Test("A failure of the provider is shown with a reference that is also in the log")
    func failedRevocation() async throws {
        let log = RecordedLog()
        let site = try Site(logger: log.logger)
        var browser = Browser(site)
        _ = try await browser.signIn()
        // Nothing responses there.
        let elsewhere = Site.acme + "endpoints: { revocation: https://nowhere.example/revoke }\n"
        site.clients.replace(
            try OAuthClient(
                Site.descriptor(elsewhere),
                registration: try #require(site.clients["acme"]).registration,
                transport: SandboxTransport(site.sandbox), store: site.store, clock: site.clock))
        let fields = [(name: "extent", value: "revoke"), ("return_to", "/bye")]
        let reply = try await browser.post("/sign-out", fields)
        #expect(reply.head.headerFields[.location] == "/signed-out")
        let page = try await browser.get("/signed-out")
        #expect(page.body.contains("did not revoke them") && page.body.contains("href=\"/bye\""))
        let id = try #require(page.body.firstMatch(of: /Reference: ([0-9a-f]+)/)?.output.1)
        #expect(log.entries.contains { $0.contains("id=\(id)") && $0.contains("provider=acme") })
    }

    @Test("After the provider's page, the site continues at the form's return path")
    func everywhere() async throws {
        for returnTo in [nil, "/bye"] {
            var browser = Browser(try Site([Site.ending], postLogoutRedirectURI: Site.origin + "/signed-out"))
            _ = try await browser.signIn()
            let wanted = returnTo.map { [(name: "return_to", value: $0)] } ?? []
            let leaving = try await browser.post("/sign-out", [(name: "extent", value: "everywhere")] + wanted)
            let url = try WebURL(try #require(leaving.head.headerFields[.location]))
            let sent = PercentEncoding.decodeForm(url.query ?? "") ?? []
            #expect(
                sent.first { $0.name == "post_logout_redirect_uri" }?.value == Site.origin + "/signed-out")
            #expect(sent.contains { $0.name == "id_token_hint" })
            let request = HTTPRequest(method: .get, scheme: "https", authority: url.authority, path: url.target)
            let (ended, _) = await browser.site.sandbox.respond(to: request, body: [])
            let back = try #require(ended.headerFields[.location])
            #expect(back.hasPrefix(Site.origin + "/signed-out?state="))
            let page = try await browser.get(String(back.dropFirst(Site.origin.count)))
            if let returnTo {
                #expect(page.head.headerFields[.location] == returnTo)
            } else {
                #expect(page.body.contains("You have returned from the sign-out page of Acme."))
            }
            #expect(browser.session == nil)
        }
    }

    @Test(
        "Who comes back without the state that was sent does not come from the provider, and goes nowhere",
        arguments: ["", "?state=guess", "?state=", "?state=guess&state=guess"])
    func forgedReturn(query: String) async throws {
        var browser = Browser(try Site([Site.ending], postLogoutRedirectURI: Site.origin + "/signed-out"))
        _ = try await browser.signIn()
        let leaving = try await browser.post(
            "/sign-out", [(name: "extent", value: "everywhere"), ("return_to", "/bye")])
        let url = try WebURL(try #require(leaving.head.headerFields[.location]))
        let state = try #require(PercentEncoding.decodeForm(url.query ?? "")?.first { $0.name == "state" }?.value)
        let page = try await browser.get("/signed-out" + query)
        #expect(page.head.status == .ok && page.body.contains("The sign-out page of Acme was opened."))
        #expect(page.body.contains("href=\"/bye\""))
        // The provider's own response counts as ever.
        let back = PercentEncoding.encode([(name: "state", value: state)])
        #expect(try await browser.get("/signed-out?\(back)").head.headerFields[.location] == "/bye")
    }

    @Test("A report that is old, changed or of another site's key is none")
    func staleReport() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        _ = try await browser.post("/sign-out")
        let cookie = try #require(browser.cookies["__Host-carnet-signed-out"])
        browser.plant("__Host-carnet-signed-out", cookie.dropLast() + (cookie.hasSuffix("A") ? "B" : "A"))
        #expect(try await browser.peek("/signed-out").body.contains("Nobody is signed in"))
        browser.plant("__Host-carnet-signed-out", cookie)
        #expect(try await browser.peek("/signed-out").body.contains("has deleted the tokens of"))
        browser.site.clock.advance(by: .seconds(601))
        #expect(try await browser.peek("/signed-out").body.contains("Nobody is signed in"))
    }

    @Test("A post-logout redirect URI of another site is refused when the site starts")
    func foreignPostLogout() throws {
        #expect(throws: OAuthError.self) { try Site(postLogoutRedirectURI: "https://other.example/signed-out") }
    }
}
