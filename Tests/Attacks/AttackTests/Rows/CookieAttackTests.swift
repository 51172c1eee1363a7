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

@testable import Fuzzing

@Suite("SESS: cookies that others plant", .searchedForSecrets)
struct CookieAttackTests {
    /// A victim's request with a `Cookie` field of the attacker's choice.
    private func request(_ fields: [String], _ path: String = "/") -> HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: path)
        for field in fields { request.headerFields.append(HTTPField(name: .cookie, value: field)) }
        return request
    }

    /// How the name of a cookie that a sibling may set is written. A browser sees no `__Host-` at its beginning.
    static let disguises = [
        "\u{2000}{name}={value}", "\u{A0}{name}={value}", "\u{3000}{name}={value}", "\u{85}{name}={value}",
        "\u{FEFF}{name}={value}", "\u{200B}{name}={value}", "\u{2028}{name}={value}", "x=1\u{37E}{name}={value}",
        "x=1\u{FF1B}{name}={value}", "{name}\u{2000}={value}", "{name}\u{301}={value}",
        "x=\"a; y=b\"\u{37E}{name}={value}",
        "x=1, {name}={value}", "$Version=1,{name}={value}", "x={name}={value}",
        "__HOST-carnet-session={value}", "{name}[]={value}", "%5F_Host-carnet-session={value}", "{name}", "={value}",
    ]

    @Test("SESS-10: Cookie that becomes the session's", arguments: disguises)
    func SESS_10_cookieThatBecomesTheSessions(disguise: String) async throws {
        let site = try Site()
        var attacker = Browser(site)
        _ = try await attacker.signIn()
        let value = try #require(attacker.cookies[Browser.session])
        let planted = disguise.replacing("{name}", with: Browser.session).replacing("{value}", with: value)
        #expect(site.web.session(of: request([planted])) == nil)
        #expect(try await site.web.liveSession(of: request(["theme=dark; \(planted)"])) == nil)
        // It does not stand in the way of the victim's own either.
        var victim = Browser(site)
        _ = try await victim.signIn()
        let own = try #require(victim.cookies[Browser.session])
        for order in [["\(planted); \(Browser.session)=\(own)"], [planted, "\(Browser.session)=\(own)"]] {
            #expect(site.web.session(of: request(order))?.id == victim.session?.id)
        }
    }

    /// The attacker's sign-in must not end in the victim's browser.
    @Test("SESS-10: Cookie that becomes that of a sign-in", arguments: disguises)
    func SESS_10_cookieThatBecomesThatOfASignIn(disguise: String) async throws {
        let site = try Site()
        var attacker = Browser(site)
        let callback = try await attacker.begin()
        let pending = try #require(attacker.cookies.first { $0.key.contains("pending") })
        let planted = disguise.replacing("{name}", with: pending.key).replacing("{value}", with: pending.value)
        let reply = try #require(await site.web.respond(to: request([planted], callback)))
        #expect(reply.head.status == .badRequest)
        #expect(site.scenario.count("/token") == 0)
        #expect(try await attacker.get(callback).head.status == .seeOther)
    }

    /// The oracle of the fuzzer sees what the first reading of cookies here got wrong.
    @Test("SESS-10: Oracle finds a lenient reading")
    func SESS_10_oracleFindsALenientReading() throws {
        let lenient = CookieJarTarget(corpus: []) { request in
            var cookies: [(name: String, value: String)] = []
            for pair in (request.headerFields[.cookie] ?? "").split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = parts[0].trimmingCharacters(in: .whitespaces)
                if parts.count == 2, name.hasPrefix("__Host-carnet-") { cookies.append((name, String(parts[1]))) }
            }
            return (cookies, false)
        }
        for input in [
            "S\u{2000}__Host-carnet-session=planted; Domain=shop.example",
            "Sx=1\u{37E}__Host-carnet-session=planted; Domain=shop.example; Path=/sign-in",
        ] {
            #expect(throws: InputCheck.Violation.self, "\(input)") { try lenient.check(Array(input.utf8), index: 0) }
            #expect(throws: Never.self) { try CookieJarTarget(corpus: []).check(Array(input.utf8), index: 0) }
        }
    }

    @Test("SESS-11: Two cookies of one name")
    func SESS_11_twoCookiesOfOneName() async throws {
        let site = try Site()
        var (attacker, victim) = (Browser(site), Browser(site))
        _ = try await attacker.signIn()
        _ = try await victim.signIn()
        let (planted, own) = (
            "\(Browser.session)=\(attacker.cookies[Browser.session] ?? "")",
            "\(Browser.session)=\(victim.cookies[Browser.session] ?? "")"
        )
        let filler = (0..<300).map { "filler-\($0)=x" }.joined(separator: "; ")
        for fields in [
            ["\(planted); \(own)"], ["\(own); \(planted)"], [planted, own], ["\(own); \(own)"],
            // More than a program sends that takes the cookies of parent domains along.
            [own + String(repeating: "; \(Browser.session)=x", count: 4)],
            // Many others between them hide neither.
            ["\(planted); \(filler); \(own)"],
        ] {
            #expect(site.web.session(of: request(fields)) == nil)
            #expect(try await site.web.liveSession(of: request(fields)) == nil)
            for path in ["/sign-in", "/sign-in/acme", "/signed-out", "/sign-in/acme/callback?code=a&state=b"] {
                let reply = try #require(await site.web.respond(to: request(fields, path)))
                #expect(reply.head.status == .badRequest)
                #expect(reply.body.contains("two cookies with the same name"))
                // The one that is removed would be the genuine one, and the planted one would stay alone.
                #expect(reply.head.headerFields[values: .setCookie].isEmpty)
            }
        }
        #expect(site.scenario.output.text.contains { $0.contains("two cookies with the same name") })
        #expect(site.web.session(of: request([own]))?.id == victim.session?.id)
        // A value that this site did not encrypt is no cookie of it: nobody can sign a person out with one.
        for field in ["\(own); \(Browser.session)=", "\(Browser.session)=planted; \(own)"] {
            #expect(site.web.session(of: request([field]))?.id == victim.session?.id)
            #expect(await site.web.respond(to: request([field], "/sign-in"))?.head.status == .ok)
        }
    }

    @Test("SESS-11: Two cookies of a sign-in")
    func SESS_11_twoCookiesOfASignIn() async throws {
        let site = try Site()
        var (attacker, victim) = (Browser(site), Browser(site))
        let theirs = try await attacker.begin()
        let own = try await victim.begin()
        let planted = try #require(attacker.cookies.first { $0.key.contains("pending") })
        let pending = try #require(victim.cookies.first { $0.key.contains("pending") })
        let fields = ["\(pending.key)=\(planted.value); \(pending.key)=\(pending.value)"]
        for callback in [theirs, own] {
            #expect(await site.web.respond(to: request(fields, callback))?.head.status == .badRequest)
        }
        #expect(site.scenario.count("/token") == 0)
        #expect(try await victim.get(own).head.status == .seeOther)
    }

    /// A name of the attacker's choice is not repeated in a `Set-Cookie` field.
    @Test("SESS-11: Names that no sign-in gave")
    func SESS_11_namesThatNoSignInGave() async throws {
        let site = try Site()
        var browser = Browser(site)
        for name in ["é", "../x", "x, y", String(repeating: "g", count: 12), "ABCDEF012345"] {
            browser.plant("__Host-carnet-pending-\(name)", "x")
        }
        for number in 0..<6 { browser.plant("__Host-carnet-pending-00000000000\(number)", "x") }
        let reply = try await browser.post("/sign-in/acme")
        #expect(reply.head.status == .seeOther)
        let names = reply.head.headerFields[values: .setCookie].map { $0.prefix { $0 != "=" } }
        #expect(names.count == 3)
        #expect(names.dropLast().allSatisfy { $0.hasPrefix("__Host-carnet-pending-00000000000") })
    }

    static let plainGlobex = Flow.plain.replacing("id: acme", with: "id: globex").replacing(
        "name: Acme", with: "name: Globex")

    /// A browser that is sent a cookie of more than 4096 bytes keeps the one of before.
    @Test("SESS-12: Session that is too large for a cookie")
    func SESS_12_sessionThatIsTooLargeForACookie() async throws {
        let site = try Site([Flow.openID, Self.plainGlobex])
        var browser = Browser(site)
        _ = try await browser.signIn("acme")
        #expect(browser.session != nil)
        site.scenario.change { script in
            script.userinfo.json = ["sub": .string(String(repeating: "s", count: 5000))]
            script.becomePlain()
        }
        let reply = try await browser.signIn("globex")
        #expect(reply.head.status == .badGateway)
        #expect(reply.body.contains("is too long for a cookie"))
        #expect(browser.cookies.isEmpty)
        #expect(browser.session == nil)
        #expect(try await site.scenario.store.keys().isEmpty)
        #expect(site.scenario.output.text.contains { $0.contains("the session is too large for a cookie") })
    }

    /// A character has any number of bytes.
    @Test("SESS-12: Name of one long character")
    func SESS_12_nameOfOneLongCharacter() async throws {
        let site = try Site()
        let long = "\u{1F469}" + String(repeating: "\u{200D}\u{1F469}", count: 5_000)
        #expect(long.count == 1)
        site.scenario.change { $0.userinfo.json = ["sub": "user-1", "name": .string(long)] }
        var browser = Browser(site)
        #expect(try await browser.signIn().head.status == .seeOther)
        let name = try #require(browser.session?.account()?.name)
        #expect((150...160).contains(name.utf8.count) && name.utf8.elementsEqual(long.utf8.prefix(name.utf8.count)))
    }

    /// The latest sign-in is kept, and as many others as there is room for.
    @Test("SESS-12: Many accounts with long names")
    func SESS_12_manyAccountsWithLongNames() async throws {
        let site = try Site()
        var browser = Browser(site)
        for number in 0..<12 {
            let subject = "\(number)-" + String(repeating: "s", count: 250)
            site.scenario.change { script in
                script.idToken.claims["sub"] = .string(subject)
                script.userinfo.json = ["sub": .string(subject), "name": .string(String(repeating: "名", count: 500))]
            }
            #expect(try await browser.signIn().head.status == .seeOther)
            #expect(browser.session?.account()?.subject == subject)
            let size = Browser.session.utf8.count + 1 + (browser.cookies[Browser.session]?.utf8.count ?? 0)
            #expect(size + 1 + (browser.attributes[Browser.session]?.utf8.count ?? 0) <= 4096)
            // What has no room any more is forgotten, not left in the store.
            #expect(try await site.scenario.store.keys().count == browser.session?.accounts.count)
        }
        #expect((2...8).contains(browser.session?.accounts.count ?? 0))
    }

    /// Cookies know no ports: a site at another one gets them, and may have the same key.
    @Test("SESS-15: Site at another port")
    func SESS_15_siteAtAnotherPort() async throws {
        let site = try Site()
        var browser = Browser(site)
        _ = try await browser.signIn()
        for origin in ["https://app.example:8443", "https://staging.example", "https://app.example"] {
            let client = try OAuthClient(
                try Fixture.descriptor(Flow.openID),
                registration: ClientRegistration(
                    clientID: Scenario.clientID, redirectURI: "\(origin)/sign-in/acme/callback"),
                transport: site.scenario, store: site.scenario.store, clock: site.scenario.clock)
            let other = try WebSignIn(
                ProviderClients([client]), origin: origin,
                keys: KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))),
                clock: site.scenario.clock)
            #expect((other.session(of: browser.request()) != nil) == (origin == Site.origin), "\(origin)")
        }
    }

    /// Old browsers leave `Sec-Fetch-Site` out; what is left must say this very origin.
    @Test(
        "SESS-16: Form without a word of where it is from",
        arguments: [
            ([:], false), (["Origin": "https://app.example"], true), (["Origin": "https://app.example:443"], true),
            (["Origin": "https://app.example:8443"], false), (["Origin": "http://app.example"], false),
            (["Origin": "https://evil.app.example"], false), (["Origin": "null"], false), (["Origin": ""], false),
            (["Origin": "https://app.example, https://evil.example"], false),
            (["Referer": "https://app.example/"], false),
            (["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"], false),
            (["Sec-Fetch-Site": "", "Origin": "https://app.example"], false),
            (["Sec-Fetch-Site": "same-origin, cross-site", "Origin": "https://app.example"], false),
            (["Sec-Fetch-Site": "same-site", "Origin": "https://app.example"], false),
            (["Sec-Fetch-Site": "SAME-ORIGIN"], false),
        ] as [([String: String], Bool)])
    func SESS_16_formWithoutAWordOfWhereItIsFrom(fields: [String: String], isTaken: Bool) async throws {
        let form = ["Content-Type": "application/x-www-form-urlencoded"].merging(fields) { $1 }
        for path in ["/sign-in/acme", "/sign-out"] {
            var browser = Browser(try Site())
            let reply = try await browser.send(.post, path, fields: form)
            #expect((reply.head.status == .seeOther) == isTaken, "\(path)")
            #expect(isTaken || reply.head.status == .forbidden)
        }
    }
}
