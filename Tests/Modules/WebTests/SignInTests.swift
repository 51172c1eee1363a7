import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("Signing in at a web site")
struct WebSignInTests {
    @Test("A sign-in leads back to where it was begun, with a session")
    func signIn() async throws {
        var browser = Browser(try Site())
        let reply = try await browser.signIn("acme", [(name: "return_to", value: "/orders?page=2")])
        #expect(reply.head.status == .seeOther)
        #expect(reply.head.headerFields[.location] == "/orders?page=2")
        let account = try #require(browser.session?.account())
        #expect(account.provider == "acme")
        #expect(account.issuer == "https://id.acme.example")
        #expect(!account.subject.isEmpty)
        #expect(try await browser.site.web.tokenSession(of: account)?.profile().subject == account.subject)
    }

    @Test("The session's cookie is for this host, for no script, and for no other site's forms")
    func sessionCookie() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        let attributes = try #require(browser.attributes[Browser.sessionCookie])
        #expect(attributes == " Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Lax")
    }

    @Test("Nothing that passes through a sign-in is cached or sent to another site")
    func privateReplies() async throws {
        var browser = Browser(try Site())
        let policy = try #require(HTTPField.Name("Referrer-Policy"))
        let begun = try await browser.post("/sign-in/acme")
        let problem = try await browser.get("/sign-in/acme/callback?code=x&state=y")
        for reply in [begun, problem, try await browser.get("/sign-in")] {
            #expect(reply.head.headerFields[.cacheControl] == "no-store")
            #expect(["same-origin", "no-referrer"].contains(reply.head.headerFields[policy]))
        }
        #expect(problem.head.headerFields[policy] == "no-referrer")
    }

    @Test("A form of another site begins nothing", arguments: ["cross-site", "same-site", "none"])
    func crossSiteStart(site: String) async throws {
        var browser = Browser(try Site())
        let reply = try await browser.post("/sign-in/acme", from: site)
        #expect(reply.head.status == .forbidden)
        #expect(reply.head.headerFields[.location] == nil)
        #expect(browser.cookies.isEmpty)
    }

    @Test(
        "A browser that says no site must say this origin",
        arguments: [("https://app.example", true), ("https://evil.example", false), ("null", false)])
    func originOfForm(origin: String, isTaken: Bool) async throws {
        var browser = Browser(try Site())
        var request = HTTPRequest(method: .post, scheme: "https", authority: "app.example", path: "/sign-in/acme")
        request.headerFields[.origin] = origin
        let reply = try await browser.send(request)
        #expect((reply.head.status == .seeOther) == isTaken)
    }

    @Test("A form without any word of where it is from begins nothing")
    func unknownOrigin() async throws {
        var browser = Browser(try Site())
        #expect(try await browser.post("/sign-in/acme", from: nil).head.status == .forbidden)
    }

    @Test("A link begins no sign-in: it shows the button")
    func startByLink() async throws {
        var browser = Browser(try Site([Site.acme, Site.globex]))
        let reply = try await browser.get("/sign-in/acme?return_to=/orders")
        #expect(reply.head.status == .ok)
        #expect(reply.body.contains("action=\"/sign-in/acme\""))
        #expect(!reply.body.contains("globex"))
        #expect(reply.body.contains("value=\"/orders\""))
    }

    @Test("A response that is posted from the provider's page is taken without the session's cookie")
    func formPost() async throws {
        var browser = Browser(try Site([Site.posting, Site.globex]))
        _ = try await browser.signIn("globex")
        let begun = try await browser.post("/sign-in/acme")
        let pending = try #require(browser.attributes.first { $0.key.contains("pending") && $0.value.contains("None") })
        #expect(pending.value.hasSuffix("HttpOnly; Secure; SameSite=None"))
        let response = try await browser.site.sandbox.callback(
            approving: try #require(begun.head.headerFields[.location]))
        var request = HTTPRequest(
            method: .post, scheme: "https", authority: "app.example",
            path: String(response.url.dropFirst(Site.origin.count)))
        request.headerFields[.origin] = "https://id.acme.example"
        let reply = try await browser.send(
            request, try #require(response.form), omitting: [Browser.sessionCookie])
        #expect(reply.head.status == .seeOther)
        #expect(browser.session?.accounts.map(\.provider) == ["acme", "globex"])
    }

    @Test(
        "A response that the provider signs finds its sign-in, in the cookie or in a store", arguments: [false, true])
    func signedResponse(isStored: Bool) async throws {
        let descriptor = Site.acme + "authorization: { response_mode: jwt }\n"
        var browser = Browser(try Site([descriptor], pendingStore: isStored ? MemoryPendingStore() : nil))
        #expect(try await browser.signIn().head.status == .seeOther)
        #expect(browser.session?.accounts.map(\.provider) == ["acme"])
    }

    @Test(
        "A sign-in may take as long as the site says, in the cookie or in a store",
        arguments: [120.0, 86_400], [false, true])
    func lifetime(seconds: Double, isStored: Bool) async throws {
        for (waited, isInTime) in [(seconds - 1, true), (seconds + 1, false)] {
            var browser = Browser(
                try Site(pendingStore: isStored ? MemoryPendingStore() : nil, signInLifetime: seconds))
            let begun = try await browser.post("/sign-in/acme")
            let pending = try #require(browser.attributes.first { $0.key.contains("pending") })
            #expect(pending.value.contains("Max-Age=\(Int(seconds));"), "\(pending)")
            browser.site.clock.advance(by: .seconds(waited))
            let callback = try await browser.site.sandbox.approve(
                authorizationURL: try #require(begun.head.headerFields[.location]))
            let reply = try await browser.get(String(callback.dropFirst(Site.origin.count)))
            #expect(reply.head.status == (isInTime ? .seeOther : .badRequest), "\(reply.body)")
            #expect((browser.session != nil) == isInTime)
        }
    }

    @Test("Two tabs sign in at once, and both succeed")
    func twoTabs() async throws {
        var browser = Browser(try Site([Site.acme, Site.globex]))
        let first = try await browser.beginAndApprove("acme")
        let second = try await browser.beginAndApprove("globex")
        #expect(try await browser.get(second).head.status == .seeOther)
        #expect(try await browser.get(first).head.status == .seeOther)
        #expect(browser.session?.accounts.map(\.provider) == ["acme", "globex"])
        #expect(browser.cookies.keys.sorted() == [Browser.sessionCookie])
    }

    @Test("A browser keeps no more than five sign-ins that wait")
    func boundedPending() async throws {
        var browser = Browser(try Site())
        for _ in 0..<9 { _ = try await browser.post("/sign-in/acme") }
        #expect(browser.cookies.count == 5)
    }

    @Test("Signing in again replaces the account and forgets its old tokens")
    func signInAgain() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        let first = try #require(browser.session)
        _ = try await browser.signIn()
        let second = try #require(browser.session)
        #expect(second.id != first.id)
        #expect(second.accounts.count == 1)
        #expect(second.accounts[0].storeName != first.accounts[0].storeName)
        #expect(await browser.site.store.keys().map(\.account) == [second.accounts[0].storeName])
    }

    @Test("What waits can be kept in a store, and serves once")
    func pendingStore() async throws {
        var browser = Browser(try Site(pendingStore: MemoryPendingStore()))
        let callback = try await browser.beginAndApprove()
        let kept = browser
        #expect(try await browser.get(callback).head.status == .seeOther)
        var other = kept
        #expect(try await other.get(callback).head.status == .badRequest)
        #expect(other.session == nil)
    }

    @Test("A callback that the browser sends twice at once signs in once, and both get the reply")
    func doubleClick() async throws {
        let store = GatedStore()
        var browser = Browser(try Site(pendingStore: store))
        let callback = try await browser.beginAndApprove()
        let click = browser
        async let first = click.peek(callback)
        for await _ in store.arrivals { break }
        async let second = click.peek(callback)
        for _ in 0..<500 { await Task.yield() }
        store.open()
        for reply in try await [first, second] {
            #expect(reply.head.status == .seeOther)
            #expect(reply.head.headerFields[values: .setCookie].contains { $0.hasPrefix(Browser.sessionCookie) })
        }
        #expect(await browser.site.store.keys().count == 1)
    }

    @Test("Another browser with the same callback gets nothing of the first one's reply")
    func callbackOfAnotherBrowser() async throws {
        let store = GatedStore()
        let site = try Site(pendingStore: store)
        var browser = Browser(site)
        let callback = try await browser.beginAndApprove()
        let (click, stranger) = (browser, Browser(site))
        async let first = click.peek(callback)
        for await _ in store.arrivals { break }
        #expect(try await stranger.peek(callback).head.status == .badRequest)
        store.open()
        #expect(try await first.head.status == .seeOther)
    }

    @Test("More scopes are asked for by the form")
    func moreScopes() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn("acme", [(name: "scope", value: "openid"), (name: "scope", value: "email")])
        let account = try #require(browser.session?.account())
        let tokens = try await browser.site.web.tokenSession(of: account)?.storedTokens()
        #expect(tokens?.scopes == ["openid", "email"])
    }

    @Test("Another account is asked for by the form, and nothing else of it shapes the request")
    func anotherAccount() async throws {
        for (field, prompt) in [("another", "select_account"), ("prompt", nil)] as [(String, String?)] {
            var browser = Browser(try Site())
            let reply = try await browser.post("/sign-in/acme", [(name: field, value: "none")])
            let url = try WebURL(try #require(reply.head.headerFields[.location]))
            let sent = try #require(PercentEncoding.decodeForm(url.query ?? ""))
            #expect(sent.first { $0.name == "prompt" }?.value == prompt)
        }
    }

    @Test("A client whose redirect URI is elsewhere is refused when the site starts")
    func foreignRedirect() throws {
        let site = try Site()
        #expect(throws: OAuthError.self) {
            try WebSignIn(
                site.clients, origin: "https://other.example",
                keys: KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))))
        }
    }
}
