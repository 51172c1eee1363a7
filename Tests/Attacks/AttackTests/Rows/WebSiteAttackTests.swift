// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("AREQ, ARES, SESS, LO: a web site", .searchedForSecrets)
struct WebSiteAttackTests {
    static let globex = Flow.openID.replacingOccurrences(of: "acme\n", with: "globex\n")

    /// The control of every row here: the same browser signs in at the same site.
    private func expectSignsIn(_ site: Site) async throws {
        var browser = Browser(site)
        #expect(try await browser.signIn().head.status == .seeOther)
        #expect(browser.session != nil)
    }

    @Test("AREQ-05: Host of the request is not believed")
    func AREQ_05_hostOfTheRequestIsNotBelieved() async throws {
        var browser = Browser(try Site())
        let reply = try await browser.send(
            .post, "/sign-in/acme",
            fields: [
                "Sec-Fetch-Site": "same-origin", "X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example",
                "X-Forwarded-Proto": "http", "Content-Type": "application/x-www-form-urlencoded",
            ])
        let location = try #require(reply.head.headerFields[.location])
        #expect(location.contains("redirect_uri=https%3A%2F%2Fapp.example%2Fsign-in%2Facme%2Fcallback"))
        #expect(!location.contains("evil"))
    }

    @Test("AREQ-08: Parameters of the login URL shape nothing")
    func AREQ_08_parametersOfTheLoginURLShapeNothing() async throws {
        var browser = Browser(try Site())
        let plain = try await browser.post("/sign-in/acme")
        let shaped = try await browser.post(
            "/sign-in/acme?scope=admin&prompt=none&login_hint=x&iss=https://evil.example&auth_request_params=a%3Db",
            form: "prompt=none&login_hint=victim&redirect_uri=https%3A%2F%2Fevil.example&state=x")
        let names = { (reply: WebReply) in
            let query = (reply.head.headerFields[.location] ?? "").drop { $0 != "?" }.dropFirst()
            return (PercentEncoding.decodeForm(String(query)) ?? []).filter {
                !["state", "nonce", "code_challenge"].contains($0.name)
            }
            .map { "\($0.name)=\($0.value)" }
        }
        #expect(names(plain) == names(shaped))
        #expect(!names(plain).isEmpty)
    }

    @Test("AREQ-12: Nothing is cached")
    func AREQ_12_nothingIsCached() async throws {
        var browser = Browser(try Site())
        let start = try await browser.post("/sign-in/acme")
        let callback = try await browser.signIn()
        for reply in [start, callback] {
            #expect(reply.head.headerFields[.cacheControl] == "no-store")
            let policy = try #require(HTTPField.Name("Referrer-Policy"))
            #expect(["no-referrer", "same-origin"].contains(reply.head.headerFields[policy]))
        }
    }

    @Test("AREQ-13: Redirects make a GET of a POST")
    func AREQ_13_redirectsMakeAGetOfAPost() async throws {
        var browser = Browser(try Site())
        #expect(try await browser.post("/sign-in/acme").head.status == .seeOther)
        #expect(try await browser.signIn().head.status == .seeOther)
        #expect(try await browser.post("/sign-out").head.status == .seeOther)
    }

    @Test("ARES-03: Code of the attacker in the victim's browser")
    func ARES_03_codeOfTheAttackerInTheVictimsBrowser() async throws {
        let site = try Site()
        var attacker = Browser(site)
        let callback = try await attacker.begin()
        var victim = Browser(site)
        #expect(try await victim.get(callback).head.status == .badRequest)
        _ = try await victim.begin()
        #expect(try await victim.get(callback).head.status == .badRequest)
        #expect(victim.session == nil)
        #expect(site.scenario.count("/token") == 0)
        try await expectSignsIn(site)
    }

    @Test("ARES-03: Sign-in that another site begins", arguments: ["cross-site", "same-site", "none"])
    func ARES_03_signInThatAnotherSiteBegins(from: String) async throws {
        let site = try Site()
        var browser = Browser(site)
        #expect(try await browser.post("/sign-in/acme", from: from).head.status == .forbidden)
        #expect(try await browser.get("/sign-in/acme").head.status == .ok)
        #expect(browser.cookies.isEmpty)
        try await expectSignsIn(site)
    }

    @Test("ARES-04: Right cookie and wrong state")
    func ARES_04_rightCookieAndWrongState() async throws {
        let site = try Site()
        var browser = Browser(site)
        _ = try await browser.begin()
        let reply = try await browser.get("/sign-in/acme/callback?code=x&state=\(String(repeating: "A", count: 43))")
        #expect(reply.head.status == .badRequest)
        #expect(site.scenario.count("/token") == 0)
    }

    @Test("ARES-16: Other methods use nothing up", arguments: [HTTPRequest.Method.head, .options, .put, .delete])
    func ARES_16_otherMethodsUseNothingUp(method: HTTPRequest.Method) async throws {
        let site = try Site()
        var browser = Browser(site)
        let callback = try await browser.begin()
        #expect(try await browser.send(method, callback).head.status == .methodNotAllowed)
        #expect(site.scenario.count("/token") == 0)
        #expect(try await browser.get(callback).head.status == .seeOther)
    }

    @Test("ARES-19: Provider that does not exist")
    func ARES_19_providerThatDoesNotExist() async throws {
        let site = try Site()
        let browser = Browser(site)
        for path in ["/sign-in/evil/callback?code=a&state=b", "/sign-in/evil", "/sign-in/%61cme", "/sign-in/"] {
            #expect(await site.web.respond(to: browser.request(.get, path)) == nil, "\(path)")
        }
        try await expectSignsIn(site)
    }

    @Test("ARES-22: Callback leaves its address at once")
    func ARES_22_callbackLeavesItsAddressAtOnce() async throws {
        let site = try Site()
        var browser = Browser(site)
        let callback = try await browser.begin()
        let reply = try await browser.get(callback)
        #expect(reply.head.status == .seeOther)
        #expect(reply.head.headerFields[.location] == "/")
        #expect(reply.body.isEmpty)
        let page = try await browser.get("/sign-in/acme/callback?code=secret-code&state=secret-state")
        let policy = try #require(HTTPField.Name("Referrer-Policy"))
        #expect(page.head.headerFields[policy] == "no-referrer")
        #expect(page.head.headerFields[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
        #expect(!page.body.contains("secret-"))
        #expect(!page.body.contains("http:") && !page.body.contains("https:") && !page.body.contains("<script"))
    }

    @Test("ARES-12: Words of the server on the page")
    func ARES_12_wordsOfTheServerOnThePage() async throws {
        let site = try Site()
        var browser = Browser(site)
        site.scenario.change { script in
            script.callback = [
                ("error", "access_denied<script>alert(1)</script>"),
                ("error_description", "<img src=x onerror=alert(1)>"),
                ("error_uri", "javascript:alert(1)"), ("state", "{state}"),
            ]
        }
        let reply = try await browser.signIn()
        #expect(!reply.body.contains("<script") && !reply.body.contains("<img") && !reply.body.contains("javascript:"))
        #expect(reply.head.headerFields[.location] == nil)
    }

    @Test("ARES-15: Post of another type")
    func ARES_15_postOfAnotherType() async throws {
        let site = try Site([Flow.openID + "authorization: { response_mode: form_post }\n"])
        for type in [nil, "application/json", "multipart/form-data; boundary=x", "text/plain"] as [String?] {
            var browser = Browser(site)
            let query = try await browser.begin().drop { $0 != "?" }.dropFirst()
            let reply = try await browser.send(
                .post, "/sign-in/acme/callback", form: String(query), fields: type.map { ["Content-Type": $0] } ?? [:])
            #expect(reply.head.status == .unsupportedMediaType)
            #expect(browser.session == nil)
            let right = try await browser.send(
                .post, "/sign-in/acme/callback", form: String(query),
                fields: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"])
            #expect(right.head.status == .seeOther)
        }
    }

    @Test("SESS-01: Planted session")
    func SESS_01_plantedSession() async throws {
        let site = try Site()
        var attacker = Browser(site)
        _ = try await attacker.signIn()
        let planted = try #require(attacker.cookies[Browser.session])
        let before = try #require(attacker.session?.id)
        site.scenario.change { script in
            script.idToken.claims["sub"] = "user-2"
            script.userinfo["sub"] = "user-2"
        }
        var victim = Browser(site)
        victim.plant(Browser.session, planted)
        _ = try await victim.signIn()
        #expect(victim.cookies[Browser.session] != planted)
        #expect(victim.session?.id != before)
        #expect(victim.session?.accounts.first?.subject == "user-2")
        #expect(attacker.session?.accounts.map(\.subject) == ["user-1"])
    }

    @Test("SESS-02: Cookies")
    func SESS_02_cookies() async throws {
        let site = try Site()
        var browser = Browser(site)
        _ = try await browser.signIn()
        let attributes = try #require(browser.attributes[Browser.session])
        for attribute in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] { #expect(attributes.contains(attribute)) }
        #expect(!attributes.contains("Domain"))
        let cookie = try #require(browser.cookies[Browser.session])
        #expect(!cookie.contains("user-1"))
        for offset in stride(from: 0, to: cookie.utf8.count, by: 11) {
            var changed = Array(cookie.utf8)
            changed[offset] = changed[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            browser.plant(Browser.session, String(decoding: changed, as: UTF8.self))
            #expect(browser.session == nil)
        }
        for crafted in [String(repeating: "A", count: 1_000_000), "", "....", "99999999", String(cookie.dropLast())] {
            browser.plant(Browser.session, crafted)
            #expect(browser.session == nil)
            #expect(try await browser.get("/sign-in").head.status == .ok)
        }
        browser.plant(Browser.session, cookie)
        #expect(browser.session != nil)
    }

    @Test("SESS-02: Cookie of another key")
    func SESS_02_cookieOfAnotherKey() async throws {
        let keys = try KeyRing(EncryptionKey([UInt8](repeating: 9, count: 32)))
        var stranger = Browser(try Site(keys: keys))
        _ = try await stranger.signIn()
        var browser = Browser(try Site())
        browser.plant(Browser.session, stranger.cookies[Browser.session])
        #expect(stranger.session != nil)
        #expect(browser.session == nil)
    }

    @Test("SESS-03: Pending sign-in is no session")
    func SESS_03_pendingSignInIsNoSession() async throws {
        let site = try Site()
        var browser = Browser(site)
        _ = try await browser.begin()
        let pending = try #require(browser.cookies.first { $0.key.contains("pending") })
        browser.plant(Browser.session, pending.value)
        #expect(browser.session == nil)
        var other = Browser(site)
        _ = try await other.signIn()
        let callback = try await other.begin()
        for name in other.cookies.keys where name.contains("pending") {
            other.plant(name, other.cookies[Browser.session])
        }
        #expect(try await other.get(callback).head.status == .badRequest)
    }

    @Test("SESS-05: Two tabs")
    func SESS_05_twoTabs() async throws {
        let site = try Site()
        var browser = Browser(site)
        let first = try await browser.begin()
        let second = try await browser.begin()
        #expect(try await browser.get(second).head.status == .seeOther)
        #expect(try await browser.get(first).head.status == .seeOther)
        #expect(browser.session?.accounts.count == 1)
    }

    static let leavingTargets = [
        "//evil.example", "/\\evil.example", "\\/evil.example", "https:evil.example", "/%09/evil.example",
        "/%5cevil.example",
        "@evil.example", "/a\r\nLocation: https://evil.example", "/\t/evil.example", "/a\u{FF0E}b",
        "javascript:alert(1)",
        "https://app.example.evil", "https://evil-app.example", "https://app.example@evil.example", "///evil.example",
        "/%2f/evil.example", "/%252f/evil.example", "/.//evil.example", "/a/..//evil.example", "data:text/html,x",
        " //evil.example",
        "https://app.example/", "/%00//evil.example", "//", "/\u{2044}evil.example", "/%2F%CC%81evil.example",
        "/%252F%CC%81evil.example", "/a/..%CC%B8/../%2F%CC%B8evil.example", "/%2F%E9evil.example",
        "/%2F%zzevil.example", "/x%0a", "/%5C%E9evil.example",
    ]

    @Test("SESS-06: Return target that leaves", arguments: leavingTargets)
    func SESS_06_returnTargetThatLeaves(target: String) async throws {
        let site = try Site()
        var browser = Browser(site)
        let form = PercentEncoding.encode([("return_to", target)])
        #expect(try await browser.signIn(form: form).head.headerFields[.location] == "/")
        let local = PercentEncoding.encode([("return_to", "/orders?page=2")])
        #expect(try await browser.signIn(form: local).head.headerFields[.location] == "/orders?page=2")
    }

    @Test("LO-05: Target after signing out", arguments: leavingTargets)
    func LO_05_targetAfterSigningOut(target: String) async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        let reply = try await browser.post("/sign-out", form: PercentEncoding.encode([("return_to", target)]))
        #expect(reply.head.headerFields[.location] == "/signed-out")
        #expect(browser.session == nil)
    }

    @Test("LO-04: Sign-out that another site sends")
    func LO_04_signOutThatAnotherSiteSends() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        #expect(try await browser.post("/sign-out", from: "cross-site").head.status == .forbidden)
        #expect(try await browser.get("/sign-out").head.status == .methodNotAllowed)
        #expect(browser.session != nil)
        #expect(try await browser.post("/sign-out").head.status == .seeOther)
        #expect(browser.session == nil)
    }

    /// Two providers with the same client id, the same key id and the same subject are two.
    @Test("SESS-07: Callback of another provider")
    func SESS_07_callbackOfAnotherProvider() async throws {
        let site = try Site([Flow.openID, Self.globex])
        var browser = Browser(site)
        let callback = try await browser.begin("acme")
        let elsewhere = callback.replacingOccurrences(of: "/sign-in/acme/", with: "/sign-in/globex/")
        #expect(try await browser.get(elsewhere).head.status == .badRequest)
        #expect(browser.session == nil)
        #expect(site.scenario.count("/token") == 0)
        _ = try await browser.signIn("acme")
        _ = try await browser.signIn("globex")
        #expect(browser.session?.accounts.map(\.provider.rawValue) == ["globex", "acme"])
        let keys = try await site.scenario.store.keys()
        #expect(Set(keys.map(\.provider)) == ["acme", "globex"])
    }

    /// On a shared computer, the earlier account is another person's.
    @Test("SESS-17: Earlier account in place of the latest")
    func SESS_17_earlierAccountInPlaceOfTheLatest() async throws {
        let site = try Site([Flow.openID, Self.globex])
        var browser = Browser(site)
        func live() async throws -> [WebAccount] {
            try await site.web.liveSession(of: browser.request())?.accounts ?? []
        }
        func end(_ account: WebAccount) async throws -> OAuthError? {
            let session = try #require(try await site.web.tokenSession(of: account))
            site.scenario.change { $0.refresh = .error("invalid_grant") }
            return await expectThrown(OAuthError.self) { try await session.refresh() }
        }
        _ = try await browser.signIn("globex")
        _ = try await browser.signIn("acme")
        let latest = try #require(try await live().first)
        #expect(latest.provider == "acme")
        let error = try #require(try await end(latest))
        #expect(try await live().isEmpty)
        let page = site.web.problem(error, in: browser.request())
        #expect(!page.body.contains("Continue as"), "\(page.body)")

        _ = try await browser.signIn("acme")
        #expect(try await live().map(\.provider) == ["acme", "globex"])
        site.scenario.change {
            $0.idToken.claims["sub"] = "user-2"
            $0.userinfo["sub"] = "user-2"
        }
        _ = try await browser.signIn("acme")
        _ = try await browser.signIn("globex")
        let accounts = try await live()
        #expect(
            accounts.map { "\($0.provider) \($0.subject)" }.prefix(3) == [
                "globex user-2", "acme user-2", "acme user-1",
            ])
        _ = try await end(accounts[1])
        let session = try await site.web.liveSession(of: browser.request())
        #expect(session?.account() == accounts[0])
        #expect(session?.account(of: "acme") == nil)
    }
}
