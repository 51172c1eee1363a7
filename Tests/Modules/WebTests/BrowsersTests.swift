import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("The browsers of a user")
struct BrowsersTests {
    /// Without OpenID Connect there is no issuer, and only the profile has the subject.
    private static let plain =
        Fixture.plain + "profile: { claims: { subject: /id } }\nsamples: { userinfo: { id: 17 } }\n"

    private func signedIn(_ site: Site, _ provider: String = "acme", _ userAgent: String? = nil) async throws -> Browser
    {
        var browser = Browser(site)
        browser.userAgent = userAgent
        #expect(try await browser.signIn(provider).head.status == .seeOther)
        return browser
    }

    @Test("They are listed with their names, the latest sign-in first", arguments: ["acme", "plain"])
    func list(provider: String) async throws {
        let site = try Site([Site.acme, Self.plain])
        let desk = try await signedIn(site, provider, "Desk/1.0 " + String(repeating: "x", count: 300))
        site.clock.advance(by: .seconds(60))
        let phone = try await signedIn(site, provider, "Phone/2.0")
        let account = try #require(desk.session?.account())
        let list = try await site.web.browsers(of: account)
        #expect(list.map { $0.userAgent?.prefix(9) } == ["Phone/2.0", "Desk/1.0 "])
        #expect(list.last?.userAgent?.utf8.count == 200)
        #expect(list.map(\.isCurrent) == [false, true])
        #expect(list.map(\.id) == [phone, desk].map { $0.session?.account()?.storeName })
        #expect(list.map { $0.expiresAt.timeIntervalSince($0.signedInAt) } == [43_200, 43_200])
        #expect(list.last?.signedInAt == account.signedInAt)
        // The host's own record of the user is enough.
        let record = WebAccount(provider: account.provider, issuer: account.issuer, subject: account.subject)
        #expect(try await site.web.browsers(of: record).map(\.isCurrent) == [false, false])
    }

    @Test("Another user's browsers are not among them")
    func anotherUser() async throws {
        let site = try Site([Site.acme, Site.globex])
        let browser = try await signedIn(site)
        _ = try await signedIn(site, "globex")
        let account = try #require(browser.session?.account())
        #expect(try await site.web.browsers(of: account).count == 1)
        for (issuer, subject) in [
            (account.issuer, "someone"), ("https://other.example", account.subject), (nil, account.subject),
        ] {
            let other = WebAccount(provider: "acme", issuer: issuer, subject: subject)
            #expect(try await site.web.browsers(of: other).isEmpty)
            #expect(try await site.web.signOut(other) == 0)
        }
        #expect(try await site.web.liveSession(of: browser.request) != nil)
    }

    @Test(
        "Sign-out everywhere refuses every browser at its next request, and says how many",
        arguments: ["acme", "plain"])
    func everywhere(provider: String) async throws {
        let site = try Site([Site.acme, Self.plain])
        var desk = try await signedIn(site, provider)
        let others = [try await signedIn(site, provider), try await signedIn(site, provider)]
        _ = try await desk.post("/sign-out", [(name: "browsers", value: "all")])
        for request in others.map(\.request) { #expect(try await site.web.liveSession(of: request) == nil) }
        #expect(desk.session == nil)
        #expect(await site.store.keys().isEmpty)
        #expect(try await desk.get("/signed-out").body.contains("2 other browsers of your account"))
    }

    @Test("One other browser can be signed out from the list, and this one stays")
    func oneOther() async throws {
        let site = try Site([Site.revoking])
        var desk = try await signedIn(site)
        let phone = try await signedIn(site)
        let tablet = try await signedIn(site)
        let id = try #require(phone.session?.account()?.storeName)
        _ = try await desk.post("/sign-out", [(name: "connection", value: id), ("extent", "revoke")])
        #expect(try await site.web.liveSession(of: phone.request) == nil)
        #expect(try await site.web.liveSession(of: desk.request) != nil)
        #expect(try await site.web.liveSession(of: tablet.request) != nil)
        #expect(await site.sandbox.requests.contains { $0.endpoint == .revocation })
        let page = try await desk.get("/signed-out").body
        #expect(page.contains("1 other browser of your account at Acme"))
        #expect(!page.contains("has deleted the tokens"))
        let account = try #require(desk.session?.account())
        #expect(try await site.web.signOut(account, browser: tablet.session?.account()?.storeName) == 1)
        #expect(try await site.web.liveSession(of: tablet.request) == nil)
    }

    @Test("A cookie whose browser was signed out signs out no other browser")
    func oldCookie() async throws {
        let site = try Site()
        let desk = try await signedIn(site)
        var stolen = try await signedIn(site)
        let account = try #require(stolen.session?.account())
        #expect(try await site.web.signOut(account, browser: account.storeName) == 1)
        let id = try #require(desk.session?.account()?.storeName)
        for fields in [[(name: "browsers", value: "all")], [(name: "connection", value: id)]] {
            var copy = stolen
            _ = try await copy.post("/sign-out", fields)
            #expect(try await site.web.liveSession(of: desk.request) != nil)
        }
        stolen.userAgent = nil
    }

    @Test("An account ends with its own sign-in's lifetime, and the user's next sign-in removes its tokens")
    func expiry() async throws {
        let site = try Site([Site.acme, Site.globex])
        var browser = try await signedIn(site)
        let old = try #require(browser.session?.account())
        site.clock.advance(by: .seconds(43_000))
        _ = try await browser.signIn("globex")
        #expect(browser.session?.accounts.count == 2)
        site.clock.advance(by: .seconds(200))
        #expect(browser.session?.accounts.map(\.provider) == ["globex"])
        #expect(try await site.web.browsers(of: old).isEmpty)
        #expect(await site.store.keys().count == 2)
        _ = try await signedIn(site)
        #expect(await site.store.keys().count == 2)
        #expect(try await site.web.browsers(of: old).count == 1)
    }

    @Test("The session has the e-mail address, and whether it is verified")
    func email() async throws {
        let browser = try await signedIn(try Site())
        let account = try #require(browser.session?.account())
        #expect(account.email == "ada@example.com")
        #expect(account.isEmailVerified == true)
    }

    @Test("The host finds or creates its user once for each sign-in, and the session has the result")
    func findUser() async throws {
        let calls = Lock<[WebAccount]>([])
        let site = try Site(findUser: { account in
            calls.withLock { $0.append(account) }
            return "user of \(account.email ?? "")"
        })
        let browser = try await signedIn(site)
        let account = try #require(browser.session?.account())
        #expect(account.userID == "user of \(account.email ?? "none")")
        _ = try await site.web.liveSession(of: browser.request)
        #expect(calls.withLock { $0.map(\.subject) } == [account.subject])
    }

    @Test("A user whom the host refuses gets its sentence, and no tokens are kept")
    func refusal() async throws {
        let log = RecordedLog()
        let site = try Site(
            findUser: { _ in throw SignInRefusal("Use your <company> account.") }, logger: log.logger)
        var browser = Browser(site)
        let reply = try await browser.signIn()
        #expect(reply.head.status == .forbidden)
        #expect(reply.body.contains("You cannot sign in to this site"))
        #expect(reply.body.contains("Use your &lt;company&gt; account."))
        #expect(browser.session == nil)
        #expect(await site.store.keys().isEmpty)
        #expect(log.entries.contains { $0.contains("SignInRefusal") })
    }

    @Test("If the host cannot find the user, the page says so with a reference, and no tokens are kept")
    func hostFails() async throws {
        struct TableIsLocked: Error {}
        let log = RecordedLog()
        let site = try Site(findUser: { _ in throw TableIsLocked() }, logger: log.logger)
        var browser = Browser(site)
        let reply = try await browser.signIn()
        #expect(reply.head.status == .serviceUnavailable)
        let reference = try #require(reply.body.firstMatch(of: /Reference: ([A-Za-z0-9_-]+)/)?.output.1)
        #expect(log.entries.contains { $0.contains("TableIsLocked") && $0.contains(reference) })
        #expect(await site.store.keys().isEmpty)
    }
}
