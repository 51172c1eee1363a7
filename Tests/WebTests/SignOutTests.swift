import CarnetSandbox
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
        #expect(try await browser.site.store.keys().isEmpty)
        #expect(try await browser.site.web.liveSession(of: stolen) == nil)
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
        _ = try await browser.post("/sign-out", [(name: "connection", value: leaving.connection)])
        #expect(browser.session?.accounts.map(\.provider) == ["acme"])
    }

    @Test("Tokens are revoked where the provider can")
    func revoke() async throws {
        let revoking =
            Site.acme + """
                endpoints:
                  revocation: https://id.acme.example/revoke

                """
        var browser = Browser(try Site([revoking]))
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
}
