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
            "/" + String(repeating: "a", count: 17_000), "/%20/evil.example", "/x/../%2fevil.example",
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
        arguments: [
            "/", "/orders", "/orders/", "/a?b=//c&d=%2F%2Fe", "/caf%C3%A9", "/a#b", "/@me", "/a:b",
            "/reports/Q3%20report.pdf", "/100%25.txt", "/a//b", "/a%3Bb", "/a%2Fb",
            "/" + String(repeating: "a", count: 1_100),
        ]
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
        #expect(reply.body.contains("You are already signed in"))
        let name = try #require(browser.session?.account()?.name)
        let link: HTML = "Continue as \(name)"
        #expect(reply.body.contains(link.text))
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

    @Test("A sign-in ends after an hour")
    func expiredSignIn() async throws {
        var browser = Browser(try Site())
        let callback = try await browser.beginAndApprove()
        browser.site.clock.advance(by: .seconds(3601))
        let reply = try await browser.get(callback)
        #expect(reply.head.status == .badRequest)
        #expect(reply.body.contains("There is no open sign-in"))
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

    @Test("A pending sign-in is not a session")
    func pendingAsSession() async throws {
        var browser = Browser(try Site())
        _ = try await browser.post("/sign-in/acme")
        browser.plant(Browser.sessionCookie, try #require(browser.cookies.values.first))
        #expect(browser.session == nil)
    }

    @Test("A cookie encrypted with a removed key is no session, and one with an older key is")
    func keyRotation() async throws {
        let old = try EncryptionKey([UInt8](repeating: 1, count: 32))
        let new = try EncryptionKey([UInt8](repeating: 2, count: 32))
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
        "A response that cannot be trusted signs nobody in",
        arguments: [SandboxFault.wrongNonce, .wrongIssuer, .badSignature, .wrongAudience])
    func untrusted(fault: SandboxFault) async throws {
        var browser = Browser(try Site(faults: [fault]))
        let reply = try await browser.signIn()
        #expect(reply.head.status == .badRequest)
        #expect(browser.session == nil)
        #expect(await browser.site.store.keys().isEmpty)
    }

    @Test("Nobody is signed in without an identity: if only the profile has one, and it is unavailable, a page says so")
    func noIdentity() async throws {
        let plain = Fixture.plain + "profile: { claims: { subject: /id } }\n"
        var browser = Browser(try Site([plain], faults: [.userinfo500]))
        let reply = try await browser.signIn("plain")
        #expect(reply.head.status == .badGateway)
        #expect(reply.body.contains("Reference: "))
        #expect(browser.session == nil)
        #expect(await browser.site.store.keys().isEmpty)
    }

    @Test("A user whom the ID token identifies is signed in without the profile, and the log has the cause")
    func noProfile() async throws {
        let log = RecordedLog()
        var browser = Browser(try Site(faults: [.userinfo500], logger: log.logger))
        #expect(try await browser.signIn().head.status == .seeOther)
        #expect(browser.session?.account()?.subject.isEmpty == false)
        #expect(browser.session?.account()?.name == nil)
        #expect(log.entries.contains { $0.contains("The profile of a sign-in is unavailable") })
    }

    @Test("A provider that is down is said to be")
    func providerDown() async throws {
        var browser = Browser(try Site(faults: [.tokenDown]))
        let reply = try await browser.signIn()
        #expect(reply.head.status == .badGateway)
        #expect(reply.body.contains("is unavailable now"))
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

    @Test("Every failure shows a way to continue, and a reference that is also in the log", arguments: Mishap.allCases)
    func reported(mishap: Mishap) async throws {
        let log = RecordedLog()
        let site = try Site(faults: mishap.faults, logger: log.logger)
        var browser = Browser(site)
        let reply = try await mishap.happen(to: &browser)
        #expect(reply.head.status.code >= 400)
        #expect(reply.body.contains("href=\"/sign-in?return_to=") && reply.body.contains("action=\"/sign-in/acme\""))
        let id = try #require(reply.body.firstMatch(of: /Reference: ([0-9a-f]+)/)?.output.1)
        let entry = try #require(log.entries.last { $0.contains("id=\(id)") })
        let title = try #require(reply.body.firstMatch(of: /<h1>([^<]+)<\/h1>/)?.output.1)
        #expect(entry.contains("problem=\(title)") && entry.contains("provider=acme"))
    }

    enum Mishap: String, CaseIterable, CustomTestStringConvertible {
        case deniedConsent = "a denied consent"
        case providerDown = "a provider that is down"
        case untrustedAnswer = "a response that cannot be trusted"
        case expiredSignIn = "a sign-in that took too long"
        case noCookies = "a browser without cookies"
        case anotherBrowser = "the callback of another browser"
        case loadedAgain = "a callback that is loaded again"

        var testDescription: String { rawValue }

        var faults: Set<SandboxFault> {
            switch self {
            case .deniedConsent: [.denied]
            case .providerDown: [.tokenDown]
            case .untrustedAnswer: [.wrongNonce]
            default: []
            }
        }

        func happen(to browser: inout Browser) async throws -> WebReply {
            let callback = try await browser.beginAndApprove()
            switch self {
            case .expiredSignIn: browser.site.clock.advance(by: .seconds(3601))
            case .noCookies: return try await Browser(browser.site).peek(callback)
            case .anotherBrowser:
                var other = Browser(browser.site)
                _ = try await other.post("/sign-in/acme")
                return try await other.get(callback)
            case .loadedAgain: _ = try await browser.get(callback)
            case .deniedConsent, .providerDown, .untrustedAnswer: break
            }
            return try await browser.get(callback)
        }
    }

    @Test("A browser without cookies gets the error that it sent none")
    func noCookies() async throws {
        var browser = Browser(try Site())
        let callback = try await browser.beginAndApprove()
        let reply = try await Browser(browser.site).peek(callback)
        #expect(reply.body.contains("This browser sent no cookie"))
    }

    @Test("A flood of sign-ins that nobody ends leaves a bounded store, and the latest can be ended")
    func flood() async throws {
        let store = MemoryPendingStore(limit: 100)
        let site = try Site(pendingStore: store)
        for _ in 0..<500 {
            var stranger = Browser(site)
            #expect(try await stranger.post("/sign-in/acme").head.status == .seeOther)
        }
        #expect(await store.count <= 100)
        var browser = Browser(site)
        #expect(try await browser.signIn().head.status == .seeOther)
        #expect(browser.session != nil)
    }

    @Test("A flood of sign-ins from one browser does not grow what it sends")
    func floodOfOneBrowser() async throws {
        var browser = Browser(try Site())
        for _ in 0..<100 { _ = try await browser.post("/sign-in/acme") }
        #expect(browser.cookies.values.reduce(0) { $0 + $1.utf8.count } < 5 * 4096)
        #expect(try await browser.signIn().head.status == .seeOther)
    }
}
