// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("AREQ, ARES, IDT, SESS: who signed in, and where", .searchedForSecrets)
struct IdentityAttackTests {
    // MARK: Nobody

    private struct Unknown: CustomTestStringConvertible {
        var name: String
        var userinfo: ServerResponse
        var status: HTTPResponse.Status

        var testDescription: String { name }
    }

    private static let unknown = [
        Unknown(name: "no subject", userinfo: ServerResponse(["name": "Ada"]), status: .badGateway),
        Unknown(name: "an empty subject", userinfo: ServerResponse(["sub": "", "name": "Ada"]), status: .badGateway),
        Unknown(name: "no text", userinfo: ServerResponse(["sub": ["user-1"]]), status: .badGateway),
        Unknown(name: "a provider that is down", userinfo: .text("down", status: 503), status: .badGateway),
        Unknown(name: "no JSON", userinfo: .text("<html>", type: "text/html"), status: .badRequest),
    ]

    @Test("SESS-13: Sign-in of nobody", arguments: unknown)
    private func SESS_13_signInOfNobody(case unknown: Unknown) async throws {
        let site = try Site([Flow.plain, CookieAttackTests.plainGlobex])
        site.scenario.change { $0.becomePlain() }
        var browser = Browser(site)
        #expect(try await browser.signIn("acme").head.status == .seeOther)
        let before = try #require(browser.session)
        let stored = try await site.scenario.store.keys()
        site.scenario.change { $0.userinfo = unknown.userinfo }
        let reply = try await browser.signIn("globex")
        #expect(reply.head.status == unknown.status)
        // The account of before is as it was, and nothing is kept of the other.
        #expect(browser.session == before)
        #expect(try await site.scenario.store.keys() == stored)
        let reference = try #require(reply.body.firstMatch(of: /Reference: ([0-9a-f]+)/)?.output.1)
        #expect(site.scenario.output.text.contains { $0.contains(reference) })
    }

    @Test("SESS-13: Session of nobody in a cookie")
    func SESS_13_sessionOfNobodyInACookie() throws {
        struct OldSession: Codable {
            struct Account: Codable {
                var provider = "acme"
                var storeName = "c"
                var subject: String?
                var signedInAt = Date(timeIntervalSince1970: 4_000_000_000)
            }
            var id = "1"
            var accounts: [Account]
            var expiresAt = Date.distantFuture
        }
        let keys = try KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32)))
        let site = try Site(keys: keys)
        for subject in [nil, "user-1"] {
            let cookie = try EncryptedValue.encrypt(
                OldSession(accounts: [.init(subject: subject)]),
                for: "session at a browser of https://app.example:443", with: keys)
            var browser = Browser(site)
            browser.plant(Browser.session, cookie)
            #expect((browser.session != nil) == (subject != nil))
        }
    }

    /// Somebody who is known by an ID token is signed in without a profile, and the log says what is missing.
    @Test("SESS-13: Profile that cannot be had")
    func SESS_13_profileThatCannotBeHad() async throws {
        let site = try Site()
        site.scenario.change { $0.userinfo = .text("down", status: 503) }
        var browser = Browser(site)
        #expect(try await browser.signIn().head.status == .seeOther)
        #expect(browser.session?.account()?.subject == "user-1")
        #expect(browser.session?.account()?.name == nil)
        #expect(site.scenario.output.text.contains { $0.contains("The profile of a sign-in is unavailable") })
    }

    // MARK: Somebody else

    @Test("IDT-28: Address that nobody verified")
    func IDT_28_addressThatNobodyVerified() async throws {
        for (verified, account) in [
            (nil, "user-1"), (false, "user-1"), ("false", "user-1"), (1, "user-1"), (true, "ada@acme.example"),
            ("true", "ada@acme.example"),
        ] as [(JSONValue?, String)] {
            let scenario = Scenario()
            scenario.change { $0.idToken.claims["email_verified"] = verified }
            let client = try Flow.signIn.client(of: scenario)
            _ = try await client.signIn(at: scenario)
            #expect(try await client.accounts() == [account], "\(String(describing: verified))")
        }
    }

    /// Canonically equivalent, and other bytes.
    static let twins = [
        ("jos\u{E9}", "jose\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
    ]

    @Test("SESS-14: Subjects that are canonically equivalent", arguments: twins)
    func SESS_14_subjectsThatAreCanonicallyEquivalent(one: String, other: String) async throws {
        #expect(one == other)
        let site = try Site()
        var browser = Browser(site)
        for subject in [one, other] {
            site.scenario.change { script in
                script.idToken.claims["sub"] = .string(subject)
                script.userinfo.json = ["sub": .string(subject)]
            }
            _ = try await browser.signIn()
        }
        #expect(browser.session?.accounts.count == 2)
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        for subject in [one, other] {
            scenario.change { $0.idToken.claims["sub"] = .string(subject) }
            _ = try await client.signIn(at: scenario)
        }
        let accounts = try await client.accounts()
        #expect(accounts.map { Array($0.utf8) }.contains(Array(one.utf8)))
        #expect(accounts.map { Array($0.utf8) }.contains(Array(other.utf8)))
        // A grant of the one does not continue with the consent of the other.
        let session = try #require(try await client.session(for: one))
        let request = try await session.beginRequestingScopes(["calendar"])
        let callback = scenario.callback(request)
        await expectRefusal(.subjectMismatch) {
            try await session.completeRequestingScopes(callback, for: request.pending)
        }
    }

    @Test("SESS-14: Clients that are canonically equivalent", arguments: twins)
    func SESS_14_clientsThatAreCanonicallyEquivalent(one: String, other: String) async throws {
        let scenario = Scenario()
        func client(_ id: String) throws -> OAuthClient {
            try OAuthClient(
                try Fixture.descriptor(Flow.openID),
                registration: ClientRegistration(
                    clientID: id, credentials: .secret(Secret(Scenario.clientSecret)), redirectURI: Scenario.redirectURI
                ),
                transport: scenario, store: scenario.store, clock: scenario.clock)
        }
        scenario.change { $0.idToken.claims["aud"] = .string(one) }
        let session = try await client(one).signIn(at: scenario)
        #expect(try await client(one).session(for: session.key.account) != nil)
        await expectRefusal(.badRegistration) { try await client(other).session(for: session.key.account) }
        await expectRefusal(.audienceMismatch) { try await client(other).signIn(at: scenario) }
    }

    @Test("SESS-14: Accounts that are canonically equivalent", arguments: twins)
    func SESS_14_accountsThatAreCanonicallyEquivalent(one: String, other: String) async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let request = try await client.beginSignIn()
        _ = try await client.completeSignIn(scenario.callback(request), for: request.pending, account: one)
        #expect(try await client.session(for: one) != nil)
        #expect(try await client.session(for: other) == nil)
        #expect(ConnectionKey(provider: "acme", account: one) != ConnectionKey(provider: "acme", account: other))
        let tokens = MemoryUsedTokenStore()
        #expect(try await tokens.use(one, until: .distantFuture, now: .distantPast))
        #expect(try await tokens.use(other, until: .distantFuture, now: .distantPast))
        #expect(try await !tokens.use(one, until: .distantFuture, now: .distantPast))
    }

    // MARK: Another server

    private static let requiring = "callback: { iss: required }\n"

    /// Two clients at one redirect URI.
    private func sharing(_ first: String, _ second: String, _ scenario: Scenario = Scenario()) throws -> [OAuthClient] {
        try [first, second].map { text in
            try OAuthClient(
                try Fixture.descriptor(text),
                registration: ClientRegistration(
                    clientID: Scenario.clientID, redirectURI: "\(Site.origin)/callback"),
                transport: scenario, store: scenario.store, clock: scenario.clock, logger: scenario.output.logger)
        }
    }

    private func site(_ clients: ProviderClients, _ scenario: Scenario) throws -> WebSignIn {
        try WebSignIn(
            clients, origin: Site.origin, keys: KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))),
            clock: scenario.clock, logger: scenario.output.logger)
    }

    @Test("ARES-24: Providers that share a redirect URI")
    func ARES_24_providersThatShareARedirectURI() throws {
        let globex = WebSiteAttackTests.globex
        let signed = "authorization: { response_mode: jwt }\n"
        for (first, second, isTaken) in [
            (Flow.openID, globex, false), (Flow.openID + Self.requiring, globex, false),
            (Flow.openID, globex + Self.requiring, false),
            (Flow.openID + Self.requiring, CookieAttackTests.plainGlobex, false),
            (Flow.openID + Self.requiring, globex + Self.requiring, true),
            (Flow.openID + signed, globex + signed, true),
        ] {
            let scenario = Scenario()
            let clients = ProviderClients(try sharing(first, second, scenario))
            if isTaken {
                _ = try site(clients, scenario)
            } else {
                let error = #expect(throws: OAuthError.self) { try site(clients, scenario) }
                #expect(error?.kind == .badRegistration && error?.descriptorKey == "callback.iss")
            }
        }
    }

    /// One that comes while the site runs is refused when somebody would sign in with either.
    @Test("ARES-24: Provider that comes later")
    func ARES_24_providerThatComesLater() async throws {
        let scenario = Scenario()
        let pair = try sharing(Flow.openID, WebSiteAttackTests.globex, scenario)
        let clients = ProviderClients([pair[0]])
        let web = try site(clients, scenario)
        func start() async throws -> WebReply {
            var request = HTTPRequest(method: .post, scheme: "https", authority: "app.example", path: "/sign-in/acme")
            request.headerFields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
            return try #require(await web.respond(to: request))
        }
        let begun = try await start()
        let location = try #require(begun.head.headerFields[.location])
        clients.replace(pair[1])
        #expect(try await start().head.status == .badGateway)
        var callback = HTTPRequest(
            method: .get, scheme: "https", authority: "app.example",
            path: "/callback?\(scenario.callbackQuery(ofURL: location))")
        callback.headerFields[.cookie] = begun.head.headerFields[.setCookie].map { String($0.prefix { $0 != ";" }) }
        let tokens = scenario.count("/token")
        #expect(await web.respond(to: callback)?.head.status == .badGateway)
        #expect(scenario.count("/token") == tokens)
        #expect(scenario.output.text.contains { $0.contains("share the redirect URI") })
        clients.remove("globex")
        #expect(await web.respond(to: callback)?.head.status == .seeOther)
    }

    // MARK: Another host

    /// What a request says of its host, in HTTP/1.1, in HTTP/2, or behind a proxy, is not believed.
    @Test(
        "AREQ-17: Authority of the request",
        arguments: [
            ("https", "evil.example", "/sign-in/acme"), ("http", "app.example", "/sign-in/acme"),
            ("https", "app.example:8443", "/sign-in/acme"), ("https", "app.example@evil.example", "/sign-in/acme"),
            ("https", "", "/sign-in/acme"), (nil, nil, "/sign-in/acme"),
            ("javascript", "evil.example", "/sign-in/acme"),
        ] as [(String?, String?, String)])
    func AREQ_17_authorityOfTheRequest(scheme: String?, authority: String?, path: String) async throws {
        let site = try Site()
        var request = HTTPRequest(method: .post, scheme: scheme, authority: authority, path: path)
        for (name, value) in [
            ("Sec-Fetch-Site", "same-origin"), ("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Port", "8443"),
            ("X-Original-URL", "/evil"), ("X-Forwarded-Prefix", "//evil.example"), ("Host", "evil.example"),
        ] {
            request.headerFields[try #require(HTTPField.Name(name))] = value
        }
        let begun = try #require(await site.web.respond(to: request))
        let location = try #require(begun.head.headerFields[.location])
        #expect(location.hasPrefix("https://id.acme.example/authorize?"))
        #expect(location.contains("redirect_uri=https%3A%2F%2Fapp.example%2Fsign-in%2Facme%2Fcallback&"))
        var callback = HTTPRequest(
            method: .get, scheme: scheme, authority: authority,
            path: "/sign-in/acme/callback?\(site.scenario.callbackQuery(ofURL: location))")
        callback.headerFields[.cookie] = begun.head.headerFields[.setCookie].map { String($0.prefix { $0 != ";" }) }
        let done = try #require(await site.web.respond(to: callback))
        #expect(done.head.status == .seeOther && done.head.headerFields[.location] == "/")
        #expect(!done.head.headerFields[values: .setCookie].contains { $0.contains("Domain") })
    }

    /// Targets that are not plain paths are not the sign-in's, whatever is in them.
    @Test(
        "AREQ-17: Targets that are no path",
        arguments: [
            "https://evil.example/sign-in", "//evil.example/sign-in", "*", "", "evil.example:443",
            "@evil.example/sign-in",
            "/sign-in\u{301}", "/\u{FF0F}sign-in", "/SIGN-IN", "/sign-in/", "/./sign-in", "/%73ign-in",
            "/sign-\u{2139}n",
        ])
    func AREQ_17_targetsThatAreNoPath(target: String) async throws {
        let site = try Site()
        let request = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: target)
        #expect(await site.web.respond(to: request) == nil)
        let page = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: "/sign-in?\u{301}=1")
        #expect(await site.web.respond(to: page)?.head.status == .ok)
    }
}
