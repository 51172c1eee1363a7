// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("Sessions of a gateway")
struct SessionTests {
    private static let page = "https://wiki.apps.example/start?a=1"

    @Test("GW-31: A sign-in at the origin opens another host of the file, with a cookie of its own there")
    func GW_31_eachHostHasACookieOfItsOwn() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        let (reply, url) = try await person.open(Self.page)
        #expect(reply.status == 200 && url == Self.page)
        let (own, wiki) = (person.cookies["apps.example"], person.cookies["wiki.apps.example"])
        let name = "__Host-carnet-session"
        #expect(own?[name] != nil && wiki?[name] != nil && own?[name] != wiki?[name])
        #expect(wiki?.count == 1, "the secret of the browser is used up")
        // The cookie of one host opens no other.
        let stolen = try await stand.ask(
            "https://apps.example/wiki", [.accept: "text/html", .cookie: "\(name)=\(wiki?[name] ?? "")"])
        #expect(stolen.status == 302)
        #expect(try await person.get("https://apps.example/wiki").status == 200)
    }

    @Test("A program that sends the cookies of a host to its subdomains is signed in as a browser is")
    func liberalCookies() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        person.isLiberal = true
        let (reply, url) = try await person.open(Self.page)
        #expect(reply.status == 200 && url == Self.page)
        #expect(person.cookie("wiki.apps.example")?.ranges(of: "__Host-carnet-session=").count == 2)
        #expect(try await person.get("https://apps.example/wiki").status == 200)
        // Its session there ends alone: the other host's cookie opens nothing.
        person.cookies["wiki.apps.example"] = [:]
        #expect(try await person.get(Self.page).status == 302)
        #expect(try await person.open(Self.page).reply.status == 200)
    }

    @Test("A decision does not wait for a store that does not respond")
    func hangingStore() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        #expect(try await person.open("https://apps.example/wiki").reply.status == 200)
        #expect(GatewayPatience().store < .seconds(10), "less than a proxy waits")
        var patience = Stand.patience
        patience.store = .milliseconds(100)
        stand.site.replace(try stand.version(Stand.file, patience: patience))
        stand.store.hang()
        #expect(try await person.get("https://apps.example/wiki").status == 503)
        #expect(stand.log.entries.contains { $0.contains("the store did not respond within 0.1") })
        (patience.store, patience.openStore) = (.seconds(3600), .milliseconds(100))
        stand.site.replace(try stand.version(Stand.file, patience: patience))
        let open = try await person.get("https://apps.example/public/x")
        #expect(open.status == 200 && open["X-Auth-User"] == "", "a page for anyone needs no session")
        stand.store.work()
        stand.site.replace(try stand.version(Stand.file))
        #expect(try await person.get("https://apps.example/wiki").status == 200)
        #expect(try await person.get("https://apps.example/public/x")["X-Auth-User"]?.isEmpty == false)
    }

    @Test("A link that no cookie has room for leads to its host at least")
    func longLink() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        let long = "https://wiki.apps.example/?q=" + String(repeating: "a", count: 5000)
        let (reply, url) = try await person.open(long)
        #expect(reply.status == 200 && url == "https://wiki.apps.example/", "\(url.prefix(80))")
        var other = Person(stand)
        let short = "https://wiki.apps.example/?q=" + String(repeating: "a", count: 1500)
        #expect(try await other.open(short).url == short)
    }

    @Test("GW-30: A ticket works in the browser that asked for it, at one host, for a minute")
    func GW_30_aTicketIsForOneBrowser() async throws {
        let stand = try await Stand()
        var victim = Person(stand)
        var attacker = Person(stand)
        _ = try await attacker.open("https://apps.example/wiki")
        func ticket(_ person: inout Person) async throws -> String {
            let left = try await person.get("https://wiki.apps.example/carnet/sign-in?return_to=%2Fstart")
            let remembered = try await person.get(try #require(left.location))
            let asked = try await person.get(try #require(remembered.location))
            let entered = try await person.get(try #require(asked.location))
            return try #require(entered.location)
        }
        let url = try await ticket(&attacker)
        #expect(url.hasPrefix("https://wiki.apps.example/carnet/entered?ticket="))
        _ = try await victim.get("https://wiki.apps.example/carnet/sign-in?return_to=%2F")
        let forced = try await victim.get(url)
        #expect(forced.status == 303 && victim.cookies["wiki.apps.example"]?["__Host-carnet-session"] == nil)
        #expect(try #require(forced.location).hasPrefix("/carnet/entered?reference="))
        let late = try await ticket(&attacker)
        stand.clock.advance(by: .seconds(61))
        #expect(try await attacker.get(late).location?.hasPrefix("/carnet/entered?reference=") == true)
        let fresh = try await ticket(&attacker)
        #expect(try await attacker.get(fresh).location == "/start")
        // Hosts that the file does not know get no ticket.
        let evil = try await attacker.get(
            "https://apps.example/carnet/enter?host=evil.example&entry=\(String(repeating: "0", count: 64))&return_to=%2F"
        )
        #expect(evil.status == 404 && evil.location == nil)
    }

    @Test("GW-48: A service worker would read tickets of its host, so no host but the origin installs one")
    func GW_48_serviceWorker() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open(Self.page)
        let name = try #require(HTTPField.Name("Service-Worker"))
        for (url, status) in [("https://wiki.apps.example/a/sw.js", 403), ("https://apps.example/wiki/sw.js", 200)] {
            var fields: HTTPFields = [.accept: "*/*"]
            fields[.cookie] = person.cookie(try WebURL(url).host)
            #expect(try await stand.ask(url, fields).status == 200)
            fields[name] = "script"
            let reply = try await stand.ask(url, fields)
            #expect(reply.status == status, "\(url): \(reply)")
        }
    }

    @Test("GW-38: Nobody asks in the name of another browser, and no address keeps a ticket that works")
    func GW_38_ticketsOfOtherBrowsers() async throws {
        let stand = try await Stand()
        var victim = Person(stand)
        var attacker = Person(stand)
        _ = try await victim.open("https://apps.example/wiki")
        // The attacker asks at both hosts, and has the victim's browser finish it.
        let left = try await attacker.get("https://wiki.apps.example/carnet/sign-in?return_to=%2Fstart")
        let remembered = try await attacker.get(try #require(left.location))
        let asked = try await attacker.get(try #require(remembered.location))
        for url in [try #require(asked.location), try #require(asked.location) + "&host=wiki.apps.example"] {
            let reply = try await victim.get(url)
            #expect(!(reply.location ?? "").contains("ticket="), "\(reply.location ?? "")")
        }
        _ = try await victim.get(try #require(left.location))
        #expect(try await victim.get(try #require(asked.location)).location?.contains("ticket=") == false)
        // The request of one host is none of another.
        let other = try #require(asked.location).replacing("host=wiki", with: "host=other")
        #expect(try await attacker.get(other).location?.contains("ticket=") != true)
        // One use, whoever presents it first: also a browser that it is not for.
        func ticket() async throws -> String {
            var url = "https://wiki.apps.example/carnet/sign-in?return_to=%2Fstart"
            for _ in 0..<4 { url = try #require(try await victim.get(url).location) }
            return url
        }
        let used = try await ticket()
        _ = try await attacker.get(used)
        let refused = try await victim.get(used)
        #expect(refused.location?.hasPrefix("/carnet/entered?reference=") == true)
        let fresh = try await ticket()
        let entered = try await victim.get(fresh)
        #expect(entered.status == 303 && entered.location == "/start")
        #expect(try await victim.get(fresh).location?.hasPrefix("/carnet/entered?reference=") == true)
        let page = try await victim.get("https://wiki.apps.example/carnet/entered?reference=%22%3E%3Cb%3E")
        #expect(page.status == 400 && !page.body.contains("<b>"))
        for reply in [refused, entered, page] {
            #expect(reply["Referrer-Policy"] == "no-referrer" && reply["Cross-Origin-Opener-Policy"] == "same-origin")
        }
    }

    @Test("GW-32: A sign-out on one host ends the session on all hosts at once, and only by a form of that host")
    func GW_32_onlyAFormOfTheHostSignsOut() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open(Self.page)
        #expect(try await person.get("https://apps.example/").status == 200)
        var forged = HTTPRequest(
            method: .post, scheme: "https", authority: "wiki.apps.example", path: "/carnet/sign-out",
            headerFields: [
                .cookie: person.cookie("wiki.apps.example") ?? "", .contentType: "application/x-www-form-urlencoded",
                .origin: "https://apps.example",
            ])
        #expect(await stand.site.respond(to: forged, from: nil).status == 403)
        forged.headerFields[.origin] = "https://evil.example"
        #expect(await stand.site.respond(to: forged, from: nil).status == 403)
        #expect(try await person.get(Self.page).status == 200)
        let before = person
        let out = try await person.get("https://wiki.apps.example/carnet/sign-out", post: "")
        #expect(out.status == 303)
        for url in [Self.page, "https://apps.example/"] {
            var old = before
            #expect(try await old.get(url).status == 302, "an old copy of the cookie opens nothing")
        }
    }

    @Test("A link to the sign-out shows a button, and nobody is signed out by a link")
    func signOutPage() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        let nobody = try await person.get("https://wiki.apps.example/carnet/sign-out")
        #expect(nobody.status == 200 && nobody.body.contains("Nobody is signed in"))
        _ = try await person.open(Self.page)
        for host in ["wiki.apps.example", "apps.example"] {
            let page = try await person.get("https://\(host)/carnet/sign-out?return_to=%2Fbye")
            #expect(page.status == 200 && page.body.contains("action=\"/carnet/sign-out\""))
            #expect(page.body.contains("value=\"/bye\"") && page.body.contains("Acme"))
        }
        #expect(try await person.get(Self.page).status == 200)
        let away = try await person.get("https://wiki.apps.example/carnet/sign-out?return_to=https:%2F%2Fevil.example")
        #expect(away.body.contains("value=\"/carnet/signed-out\""))
        let out = try await person.get(
            "https://wiki.apps.example/carnet/sign-out", post: "return_to=%2Fcarnet%2Fsigned-out")
        #expect(out.status == 303 && out.location == "/carnet/signed-out")
        #expect(try await person.get(Self.page).status == 302)
    }

    @Test("Who signs in and out is in the log, with the client's address as the proxy states it")
    func log() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        let signedIn = try #require(stand.log.entries.last { $0.contains("Somebody signed in") })
        #expect(signedIn.contains("provider=acme") && signedIn.contains("subject=100000000000000000001"), "\(signedIn)")
        _ = try await person.get("https://apps.example/carnet/sign-out", post: "")
        let signedOut = try #require(stand.log.entries.last { $0.contains("Somebody signed out") })
        #expect(signedOut.contains("subject=100000000000000000001"), "\(signedOut)")
        var request = HTTPRequest(method: .put, scheme: "https", authority: "apps.example", path: "/carnet/sign-in")
        request.headerFields[try #require(HTTPField.Name("X-Forwarded-For"))] = "6.6.6.6, 203.0.113.7"
        #expect(await stand.site.respond(to: request, from: nil).status == 405)
        #expect(!stand.log.entries.contains { $0.contains("A sign-in failed") })
        let asked = try await stand.ask(
            "https://apps.example/none?x", method: "GET", adding: [("X-Forwarded-For", "6.6.6.6, 203.0.113.7")])
        #expect(asked.status == 302)
        let stranger = try await stand.ask("https://apps.example/", from: "192.0.2.7")
        #expect(stranger.status == 403)
        #expect(stand.log.entries.contains { $0.contains("the sender 192.0.2.7 is not one of the proxies") })
        _ = try await stand.ask(
            "https://apps.example//evil//", adding: [("X-Forwarded-For", "6.6.6.6, 203.0.113.7")])
        let refused = try #require(stand.log.entries.last { $0.contains("A request is refused") })
        #expect(refused.contains("client=203.0.113.7"), "\(refused)")
    }

    @Test("After a session was ended elsewhere, no page says that somebody is signed in")
    func endedElsewhere() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        #expect(try await person.get("https://apps.example/carnet/sign-in?choose=1").body.contains("signed in as"))
        for key in try await stand.store.keys() { _ = try await stand.store.remove(key, ifRevision: nil) }
        for path in ["/carnet/sign-in?return_to=%2F", "/carnet/signed-out", "/carnet/sign-out"] {
            let page = try await person.get("https://apps.example\(path)")
            #expect(page.status == 200 && !page.body.contains("signed in as"), "\(path)")
        }
    }

    @Test("A record that no key opens is no session: people sign in again")
    func unreadableRecord() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        stand.store.fail(.load, as: .unreadable)
        #expect(try await person.get("https://apps.example/wiki").status == 302)
        #expect(try await !person.get("https://apps.example/carnet/sign-in").body.contains("signed in as"))
        stand.store.work()
        stand.store.fail(.load)
        #expect(try await person.get("https://apps.example/wiki").status == 503)
    }

    @Test("A host that needs TLS is named as the reason, and not as unknown")
    func hostWithoutTLS() async throws {
        let file = Stand.file.replacing("host: wiki.apps.example", with: "host: wiki.localhost")
        let stand = try await Stand(
            file.replacing("origin: https://apps.example", with: "origin: http://127.0.0.1:8080"))
        let request = HTTPRequest(
            method: .get, scheme: "http", authority: "wiki.localhost:8080", path: "/carnet/sign-in")
        let reply = await stand.site.respond(to: request, from: nil)
        #expect(reply.status == 403 && reply.body.contains("over http") && reply.body.contains("127.0.0.2"))
    }

    @Test("A logout by the provider ends the session at once")
    func backChannelLogout() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open(Self.page)
        #expect(try await person.get(Self.page).status == 200)
        // The provider's own page for the end of its session.
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "apps.example", path: "/",
            headerFields: [.cookie: person.cookie("apps.example") ?? ""])
        let web = stand.site.current.web
        let account = try #require(try await web.liveSession(of: request)?.account())
        let client = try #require(stand.clients["acme"])
        let page = try EndSessionRequest(
            for: try await #require(try await web.tokenSession(of: account)).storedTokens(),
            at: try await client.providerWithoutAccount(), as: client.registration, random: SystemRandomSource())
        let (logouts, arrival) = AsyncStream.makeStream(of: SandboxLogout.self)
        await stand.sandbox.sendLogouts { arrival.yield($0) }
        let target = page.url.reveal().dropFirst("https://id.acme.example".count)
        let head = HTTPRequest(method: .get, scheme: "https", authority: "id.acme.example", path: String(target))
        #expect(await stand.sandbox.respond(to: head, body: []).0.status == .ok)
        for await logout in logouts.prefix(1) {
            let url = try WebURL(logout.url)
            let post = HTTPRequest(
                method: .post, scheme: "https", authority: url.authority, path: url.target,
                headerFields: [.contentType: SandboxLogout.contentType])
            let reply = await stand.site.respond(to: post, body: logout.body, from: nil)
            #expect(reply.status == 200, "\(reply.body)")
        }
        #expect(try await person.get(Self.page).status == 302)
    }

    @Test("The file can change while people are signed in")
    func replaced() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        let narrow = Stand.file.replacing(
            "{ path: /**, allow: signed_in }", with: "{ path: /**, allow: { provider: globex } }")
        stand.site.replace(try stand.version(narrow))
        #expect(try await person.get("https://apps.example/wiki").status == 403)
        stand.site.replace(try stand.version(Stand.file))
        #expect(try await person.get("https://apps.example/wiki").status == 200)
    }

    @Test("A large profile makes no large cookie")
    func largeProfile() async throws {
        let groups = (0..<4000).map { JSONValue.string("group-\($0)") }
        let user = SandboxUser(label: "Ada", claims: ["subject": "ada", "groups": .array(groups + ["ops"])])
        let stand = try await Stand(users: [user])
        var person = Person(stand)
        let (reply, _) = try await person.open("https://apps.example/wiki")
        #expect(reply.status == 200)
        #expect(try #require(person.cookie("apps.example")).utf8.count < 1500)
    }
}
