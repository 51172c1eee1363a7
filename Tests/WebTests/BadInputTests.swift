import CarnetSandbox
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("What browsers bring that they should not")
struct BadInputTests {
    @Test(
        "A return target that leaves the site, or might, is dropped",
        arguments: [
            "//evil.example", "/\\evil.example", "\\/evil.example", "https:evil.example", "/%09/evil.example",
            "/%5cevil.example", "/%5Cevil.example", "@evil.example", "/a\r\nLocation: https://evil.example",
            "/\t/evil.example",
            "/a\u{FF0E}b", "javascript:alert(1)", "https://app.example.evil", "https://evil-app.example", "", "a",
            "/%2f/evil.example",
            "/%2F%2Fevil.example", "/%252f/evil.example", "/./%2fevil.example", "/..//evil.example",
            "/a/../..//evil.example",
            "///evil.example", "/ /evil.example", "/%0d%0aSet-Cookie:x=y", "https://app.example/ok",
            "/" + String(repeating: "a", count: 1100),
        ]
    )
    func openRedirects(target: String) async throws {
        #expect(ReturnTarget(target) == nil)
        var browser = Browser(try Site())
        let reply = try await browser.signIn("acme", [(name: "return_to", value: target)])
        #expect(reply.head.headerFields[.location] == "/")
    }

    @Test(
        "A path of this site is kept to the letter",
        arguments: ["/", "/orders", "/orders/", "/a?b=//c&d=%2F%2Fe", "/caf%C3%A9", "/a#b", "/@me", "/a:b"]
    )
    func localTargets(target: String) {
        #expect(ReturnTarget(target)?.path == target)
    }

    @Test("The callback of another browser signs nobody in")
    func callbackOfAnotherBrowser() async throws {
        let site = try Site()
        var attacker = Browser(site)
        var victim = Browser(site)
        let callback = try await attacker.beginAndApprove()
        _ = try await victim.post("/sign-in/acme")
        let reply = try await victim.get(callback)
        #expect(reply.head.status == .badRequest)
        #expect(victim.session == nil)
    }

    @Test("A forged callback does not end the sign-in that waits")
    func forgedCallback() async throws {
        var browser = Browser(try Site())
        let callback = try await browser.beginAndApprove()
        #expect(try await browser.get("/sign-in/acme/callback?code=x&state=y").head.status == .badRequest)
        #expect(try await browser.get(callback).head.status == .seeOther)
    }

    @Test("A callback that is loaded again says that the sign-in is done")
    func reloadedCallback() async throws {
        var browser = Browser(try Site())
        let callback = try await browser.beginAndApprove()
        _ = try await browser.get(callback)
        let reply = try await browser.get(callback)
        #expect(reply.head.status == .badRequest)
        #expect(reply.body.contains("This sign-in is done"))
        #expect(browser.session != nil)
    }

    @Test("A callback serves once, even with its cookie played again")
    func replayedCallback() async throws {
        var browser = Browser(try Site())
        let callback = try await browser.beginAndApprove()
        var replaying = browser
        _ = try await browser.get(callback)
        let reply = try await replaying.get(callback)
        #expect(reply.head.status == .badRequest)
        #expect(replaying.session == nil)
    }

    @Test("A sign-in ends after ten minutes")
    func expiredSignIn() async throws {
        var browser = Browser(try Site())
        let callback = try await browser.beginAndApprove()
        browser.site.clock.advance(by: .seconds(601))
        let reply = try await browser.get(callback)
        #expect(reply.head.status == .badRequest)
        #expect(reply.body.contains("No sign-in waits"))
    }

    @Test("A session ends when its time is over, whatever the browser keeps")
    func expiredSession() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        browser.site.clock.advance(by: .seconds(43_201))
        #expect(browser.session == nil)
    }

    @Test("A cookie with one character changed is no session")
    func tamperedCookie() async throws {
        var browser = Browser(try Site())
        _ = try await browser.signIn()
        let cookie = try #require(browser.cookies[Browser.sessionCookie])
        for offset in stride(from: 0, to: cookie.count, by: 7) {
            var changed = Array(cookie.utf8)
            changed[offset] = changed[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            browser.plant(Browser.sessionCookie, String(decoding: changed, as: UTF8.self))
            #expect(browser.session == nil)
        }
    }

    @Test("What waits for a callback is no session")
    func pendingAsSession() async throws {
        var browser = Browser(try Site())
        _ = try await browser.post("/sign-in/acme")
        browser.plant(Browser.sessionCookie, try #require(browser.cookies.values.first))
        #expect(browser.session == nil)
    }

    @Test("A cookie sealed with a key that is gone is no session, and one with an older key is")
    func keyRotation() async throws {
        let old = try SealingKey([UInt8](repeating: 1, count: 32))
        let new = try SealingKey([UInt8](repeating: 2, count: 32))
        var browser = Browser(try Site(keys: KeyRing(old)))
        _ = try await browser.signIn()
        #expect(try Site(keys: KeyRing(new, others: [old])).web.session(of: browser.request) != nil)
        #expect(try Site(keys: KeyRing(new)).web.session(of: browser.request) == nil)
    }

    @Test("A giant cookie is no session")
    func giantCookie() async throws {
        var browser = Browser(try Site())
        browser.plant(Browser.sessionCookie, String(repeating: "A", count: 1_000_000))
        #expect(browser.session == nil)
        #expect(try await browser.get("/sign-in").head.status == .ok)
    }

    @Test("A denied consent says so and offers to try again")
    func denied() async throws {
        var browser = Browser(try Site(faults: [.denied]))
        let reply = try await browser.signIn("acme", [(name: "return_to", value: "/orders")])
        #expect(reply.head.status == .forbidden)
        #expect(reply.body.contains("Try again with Acme"))
        #expect(reply.body.contains("href=\"/orders\""))
        #expect(browser.cookies.isEmpty)
    }

    @Test(
        "An answer that cannot be trusted signs nobody in",
        arguments: [SandboxFault.wrongNonce, .wrongIssuer, .badSignature, .wrongAudience])
    func untrusted(fault: SandboxFault) async throws {
        var browser = Browser(try Site(faults: [fault]))
        let reply = try await browser.signIn()
        #expect(reply.head.status == .badRequest)
        #expect(browser.session == nil)
        #expect(try await browser.site.store.keys().isEmpty)
    }

    @Test("A provider that is down is said to be")
    func providerDown() async throws {
        var browser = Browser(try Site(faults: [.tokenDown]))
        let reply = try await browser.signIn()
        #expect(reply.head.status == .badGateway)
        #expect(reply.body.contains("cannot be reached now"))
    }

    @Test("No page repeats a code, a state or a token")
    func secretFreePages() async throws {
        var browser = Browser(try Site(faults: [.wrongNonce]))
        let callback = try await browser.beginAndApprove()
        let reply = try await browser.get(callback)
        let values = PercentEncoding.decodeForm(String(callback.split(separator: "?")[1])) ?? []
        for secret in values where ["code", "state"].contains(secret.name) {
            #expect(!reply.body.contains(secret.value))
        }
    }
}
