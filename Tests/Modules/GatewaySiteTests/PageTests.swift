// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Crypto
import Foundation
import HTTPTypes
import Testing

@Suite("Pages of a gateway")
struct PageTests {
    private static let wiki = "https://wiki.apps.example/start"

    private static func field(_ name: String) throws -> HTTPField.Name { try #require(HTTPField.Name(name)) }

    @Test("A sign-out can end the provider's own session, and says whose")
    func signOutAtTheProvider() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open("https://apps.example/start")
        for page in ["/carnet/sign-out", "/carnet/account", "/carnet/sign-in?choose=1"] {
            let body = try await person.get(Stand.origin + page).body
            #expect(body.contains(">Sign out</button>") && body.contains(">Also sign out at Acme</button>"), "\(page)")
        }
        let refused = try await person.get("https://apps.example/admin/")
        #expect(refused.status == 403 && refused.body.contains(">Also sign out at Acme</button>"))
        let out = try await person.get(
            "https://apps.example/carnet/sign-out", post: "return_to=%2F&extent=everywhere")
        let page = try #require(out.location)
        #expect(page.hasPrefix("https://id.acme.example/logout?") && page.contains("id_token_hint="), "\(page)")
        #expect(try await person.get("https://apps.example/start").status == 302)
    }

    @Test("Who may not open the first page of a host is led to the folders that they may")
    func foldersOfAHost() async throws {
        let file = """
            gateway: 1
            origin: https://apps.example
            providers: [acme]
            routes:
              - { host: apps.example, path: /notes/**, allow: signed_in }
              - { host: apps.example, path: /ops/**, allow: { group: [ops] } }
              - { host: apps.example, path: "/users/{id}/files/**", allow: signed_in }
              - { host: apps.example, path: /status, allow: signed_in }
              - { host: wiki.apps.example, allow: signed_in }
              - { host: wiki.apps.example, path: /admin/**, allow: signed_in }

            """
        let stand = try await Stand(file)
        var person = Person(stand)
        _ = try await person.open("https://apps.example/notes/")
        let body = try await person.get("https://apps.example/carnet/account").body
        let links = body.ranges(of: "<li><a href=\"").map { range in
            String(body[range.upperBound...].prefix { $0 != "\"" })
        }
        #expect(links == ["https://apps.example/notes/", "https://wiki.apps.example/"])
    }

    @Test("The only script of a page is the one that its policy names")
    func script() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        let page = try await person.get("https://apps.example/carnet/sign-in?return_to=%2Flab")
        let scripts = page.body.components(separatedBy: "<script>").dropFirst().map {
            $0.components(separatedBy: "</script>")[0]
        }
        let script = try #require(scripts.first)
        #expect(scripts.count == 1 && script.contains("location.hash"))
        let hash = Data(SHA256.hash(data: Data(script.utf8))).base64EncodedString()
        let policy = try #require(page.head.headerFields[.contentSecurityPolicy])
        #expect(policy.contains("script-src 'sha256-\(hash)';") && policy.hasPrefix("default-src 'none'"), "\(policy)")
        // What the script adds comes back with the browser.
        let next = try await person.signIn(returningTo: "/lab?a=1#cell-3")
        #expect(next == Stand.origin + "/lab?a=1#cell-3")
    }

    @Test("A form that is sent after the session has ended gets a page, and a script gets 401")
    func forms() async throws {
        let stand = try await Stand()
        let mode = try Self.field("Sec-Fetch-Mode")
        let form = try await stand.ask(Self.wiki, method: "POST", [.accept: "text/html", mode: "navigate"])
        #expect(form.status == 302 && form.location == "/carnet/ended")
        var person = Person(stand)
        let page = try await person.get("https://wiki.apps.example/carnet/ended")
        #expect(page.status == 200 && page.body.contains("Your sign-in has ended"))
        #expect(page.body.contains("/carnet/sign-in?return_to=%2Fcarnet%2Faccount\" target=\"_blank\""))
        for fields: HTTPFields in [
            [.accept: "text/html", mode: "cors"], [.accept: "text/html"],
            [.accept: "application/json", mode: "navigate"],
            [.accept: "text/html", mode: "navigate", .authorization: "Basic eDp5"],
        ] {
            #expect(try await stand.ask(Self.wiki, method: "POST", fields).status == 401, "\(fields)")
        }
    }

    @Test("An address without a route, and the sign-in without a page to return to, lead on to what a person may open")
    func leadingOn() async throws {
        let file = """
            gateway: 1
            origin: https://apps.example
            providers: [acme]
            routes:
              - { path: /carnet-is-not-here/**, allow: anyone }
              - { host: wiki.apps.example, allow: signed_in }
              - { host: ops.apps.example, allow: { group: ops } }
              - { host: "*.tools.example", allow: signed_in }

            """
        let stand = try await Stand(file)
        var person = Person(stand)
        let (account, url) = try await person.open("https://apps.example/carnet/sign-in")
        #expect(url == "https://apps.example/carnet/account" && account.status == 200)
        for body in [account.body, try await person.get("https://apps.example/").body] {
            #expect(body.contains("<a href=\"https://wiki.apps.example/\">"), "\(body)")
            #expect(!body.contains("ops.apps.example") && !body.contains("tools.example"))
        }
        // A reloaded sign-in page goes on.
        let again = try await person.get("https://apps.example/carnet/sign-in?return_to=%2Fdone")
        #expect(again.status == 303 && again.location == "/done")
        let stranger = try await stand.ask("https://apps.example/")
        #expect(stranger.status == 403 && !stranger.body.contains("wiki.apps.example"))
    }

    @Test("The providers are on the page in the order of the file")
    func order() async throws {
        for names in [["acme", "globex"], ["globex", "acme"]] {
            let stand = try await Stand(
                Stand.file.replacing("[acme, globex]", with: "[\(names.joined(separator: ", "))]"))
            var person = Person(stand)
            let body = try await person.get("https://apps.example/carnet/sign-in?return_to=%2F").body
            let places = names.map { body.range(of: "/carnet/sign-in/\($0)\"")?.lowerBound }
            #expect(try #require(places[0]) < #require(places[1]))
        }
    }

    @Test("GW-39: A sign-in without the page begins only where a browser shows it, and signs in nobody else")
    func GW_39_withoutThePage() async throws {
        let one = Stand.file.replacing("[acme, globex]", with: "[acme]").replacing(
            "page: {", with: "page: { skip: true,")
        let stand = try await Stand(one)
        let (mode, dest) = (try Self.field("Sec-Fetch-Mode"), try Self.field("Sec-Fetch-Dest"))
        func open(_ query: String, _ fields: HTTPFields, of stand: Stand) async -> WebReply {
            await stand.site.respond(
                to: HTTPRequest(
                    method: .get, scheme: "https", authority: "apps.example", path: "/carnet/sign-in?\(query)",
                    headerFields: fields), from: IPAddress(numericHost: "127.0.0.1"))
        }
        let page: HTTPFields = [.accept: "text/html", mode: "navigate", dest: "document"]
        let begun = await open("return_to=%2Fwiki", page, of: stand)
        #expect(begun.status == 303 && begun.location?.hasPrefix("https://id.acme.example/") == true)
        // A frame, an image and a script of another site begin nothing, and so does a link for another account.
        for fields: HTTPFields in [
            [.accept: "text/html", mode: "navigate", dest: "iframe"],
            [.accept: "image/*", mode: "no-cors", dest: "image"],
            [.accept: "*/*", mode: "cors", dest: "empty"],
        ] {
            let reply = await open("return_to=%2Fwiki", fields, of: stand)
            #expect(reply.status == 200 && reply.head.headerFields[values: .setCookie].isEmpty, "\(fields)")
        }
        #expect(await open("return_to=%2Fwiki&choose=1", page, of: stand).status == 200)
        #expect(await open("return_to=%2Fwiki", page, of: try await Stand()).status == 200)
        // The callback belongs to the browser that began: the attacker's own is refused in that of another.
        var attacker = Person(stand)
        var victim = Person(stand)
        let location = try #require(
            try await attacker.get("https://apps.example/carnet/sign-in?return_to=%2F").location)
        let callback = try await stand.sandbox.approve(authorizationURL: location)
        _ = try await victim.get("https://apps.example/carnet/sign-in?return_to=%2F")
        #expect(try await victim.get(callback).status != 303)
        #expect(try await victim.get("https://apps.example/wiki").status == 302)
        let elsewhere = try await attacker.get("https://apps.example/carnet/sign-in?return_to=https:%2F%2Fevil.example")
        #expect(elsewhere.location?.contains("evil") != true)
    }

    @Test(
        "GW-39: After a sign-out at any host, nobody is signed in again without the page",
        arguments: ["apps", "wiki.apps"])
    func GW_39_noSignInAfterASignOut(host: String) async throws {
        let stand = try await Stand(
            Stand.file.replacing("[acme, globex]", with: "[acme]").replacing("page: {", with: "page: { skip: true,"))
        var person = Person(stand)
        let signIn = "https://apps.example/carnet/sign-in?return_to=%2Fwiki"
        let location = try #require(try await person.get(signIn).location)
        let done = try await person.get(try await stand.sandbox.approve(authorizationURL: location))
        #expect(done.location == "/wiki")
        #expect(try await person.open("https://wiki.apps.example/").reply.status == 200)
        let out = try await person.get("https://\(host).example/carnet/sign-out", post: "return_to=%2F")
        #expect(out.status == 303, "\(out.body)")
        for _ in 0..<2 {
            let page = try await person.get(signIn)
            #expect(page.status == 200 && page.body.contains("Sign in with Acme"))
        }
        // The button signs in as before.
        #expect(try await person.open("https://apps.example/wiki").reply.status == 200)
        // Another browser, which nobody has signed out, has no page.
        var other = Person(stand)
        #expect(try await other.get(signIn).status == 303)
    }

    @Test("GW-40: Scripts of other origins read nothing of the account, and those of this one no secret")
    func GW_40_accountAsJSON() async throws {
        let stand = try await Stand(users: [Stand.groupMember])
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        func account(_ cookie: String?) async -> WebReply {
            var request = HTTPRequest(
                method: .get, scheme: "https", authority: "apps.example", path: "/carnet/account",
                headerFields: [.accept: "application/json", .origin: "https://evil.example"])
            request.headerFields[.cookie] = cookie
            return await stand.site.respond(to: request, from: IPAddress(numericHost: "127.0.0.1"))
        }
        let reply = await account(person.cookie("apps.example"))
        let document = try JSONValue(parsing: reply.body)
        #expect(document["id"]?.string?.hasPrefix("acme:") == true && document["groups"] == ["ops"], "\(reply.body)")
        #expect(!reply.head.headerFields.contains { $0.name.rawName.lowercased().hasPrefix("access-control-") })
        #expect(reply["Cross-Origin-Resource-Policy"] == "same-origin")
        #expect(reply["X-Content-Type-Options"] == "nosniff" && reply["Cache-Control"] == "no-store")
        for key in try await stand.store.keys() {
            let tokens = try #require(try await stand.store.load(key)).connection.tokens
            for secret in tokens.secrets { #expect(!reply.body.contains(secret.reveal())) }
        }
        #expect(await account(nil).status == 401)
    }

    @Test("GW-40: What a tenant says that nobody chose is in no document and on no page")
    func GW_40_statementsOfAnyTenant() async throws {
        let stand = try await Stand(
            Stand.file.replacing("[acme, globex]", with: "[acme]"), users: [Stand.groupMember],
            providers: [Stand.acme + "issuer_match: { template: 'https://id.acme.example/{tid}' }\n"])
        var person = Person(stand)
        let decision = try await person.open("https://apps.example/wiki").reply
        #expect(decision.status == 200 && decision["X-Auth-Email"] == "")
        for accept in ["application/json", "text/html"] {
            let reply = await stand.site.respond(
                to: HTTPRequest(
                    method: .get, scheme: "https", authority: "apps.example", path: "/carnet/account",
                    headerFields: [.accept: accept, .cookie: person.cookie("apps.example") ?? ""]),
                from: IPAddress(numericHost: "127.0.0.1"))
            #expect(reply.status == 200 && !reply.body.contains("ada@apps.example"), "\(reply.body)")
            if accept == "application/json" { #expect(try JSONValue(parsing: reply.body)["groups"] == []) }
        }
        for path in ["/carnet/sign-out", "/admin/x"] {
            let page = try await person.get("https://apps.example\(path)")
            #expect(!page.body.contains("ada@apps.example"), "\(page.body)")
        }
    }

    @Test("GW-41: A program gets a person's token only on a route that asks for it, and none that a client made up")
    func GW_41_tokensForPrograms() async throws {
        let file = Stand.file.replacing(
            "routes:\n",
            with: """
                routes:
                  - { path: /dash/**, allow: signed_in, token: access }
                  - { path: /id/**, bearer: true, allow: signed_in, token: { kind: id, header: X-ID-Token } }
                  - { path: /open/**, allow: anyone, token: access }
                  - { path: /both/**, bearer: true, allow: signed_in, token: access }

                """)
        let stand = try await Stand(file)
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        let key = try #require(try await stand.store.keys().first)
        let tokens = try #require(try await stand.store.load(key)).connection.tokens
        let forged: [(name: String, value: String)] = [("Authorization", "Bearer forged"), ("X-ID-Token", "forged")]
        func ask(_ path: String, cookie: Bool = true, _ added: [(name: String, value: String)]) async throws -> WebReply
        {
            var fields: HTTPFields = [.accept: "*/*"]
            if cookie { fields[.cookie] = person.cookie("apps.example") }
            return try await stand.ask("https://apps.example\(path)", fields, adding: added)
        }
        let dash = try await ask("/dash/x", forged)
        #expect(dash.status == 200 && dash["Authorization"] == "Bearer \(tokens.accessToken.reveal())")
        #expect(dash["X-ID-Token"] == "", "the client's own is removed")
        let id = try await ask("/id/x", [forged[1]])
        #expect(id["X-ID-Token"] == tokens.idToken?.reveal() && id["Authorization"] == "")
        // Another program gets what the client sent, and no token of the person.
        let wiki = try await ask("/wiki", forged)
        #expect(wiki.status == 200 && wiki["Authorization"] == "Bearer forged" && wiki["X-ID-Token"] == "")
        // Where a program expects the person's token, nothing that a client made up takes its place.
        for sent in [[], forged] {
            let nobody = try await ask("/open/x", cookie: false, sent)
            #expect(nobody.status == 200 && nobody["Authorization"] == "" && nobody["X-ID-Token"] == "")
        }
        let program = try await stand.sandbox.accessToken(for: Stand.origin, scopes: [], from: "acme")
        let accepted = try await ask("/both/x", cookie: false, [("Authorization", "Bearer \(program)")])
        #expect(accepted.status == 200 && accepted["Authorization"] == "Bearer \(program)")
        // An expired token is refreshed for the program, too.
        stand.clock.advance(by: .seconds(3 * 3600))
        let later = try await ask("/dash/x", [])
        #expect(later.status == 200 && later["Authorization"]?.hasPrefix("Bearer ") == true)
        #expect(later["Authorization"] != dash["Authorization"])
        for entry in stand.log.entries { #expect(!entry.contains(tokens.accessToken.reveal())) }
    }

    @Test("A session without requests ends after the idle time, and one in use does not")
    func idle() async throws {
        let stand = try await Stand(Stand.file + "session: { idle: 600 }\n")
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        for _ in 0..<4 {
            stand.clock.advance(by: .seconds(500))
            #expect(try await person.get("https://apps.example/wiki").status == 200)
        }
        stand.clock.advance(by: .seconds(601))
        #expect(try await person.get("https://apps.example/wiki").status == 302)
        #expect(try await stand.store.keys().isEmpty, "the tokens are gone, too")
    }

    @Test(
        "No page names a person whose session was idle for too long",
        arguments: ["/carnet/sign-out", "/carnet/sign-in?choose=1", "/carnet/signed-out", "/carnet/account"])
    func idlePages(path: String) async throws {
        let stand = try await Stand(Stand.file + "session: { idle: 600 }\n")
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki")
        func isNamed() async throws -> Bool {
            let page = try await person.get("https://apps.example\(path)")
            return page.body.contains("Ada") || page.body.contains("ada@")
        }
        #expect(try await isNamed())
        stand.clock.advance(by: .seconds(601))
        #expect(try await !isNamed())
        #expect(try await stand.store.keys().isEmpty)
    }

    @Test("An issuer that nobody signs in with has no button, and its tokens open what takes tokens")
    func issuerAlone() async throws {
        let stand = try await Stand(
            Stand.file.replacing("[acme, globex]", with: "[globex, { id: acme, sign_in: false }]"))
        var person = Person(stand)
        let page = try await person.get("https://apps.example/carnet/sign-in?return_to=%2F")
        #expect(page.body.contains("Sign in with Globex") && !page.body.contains("Acme"))
        let token = try await stand.sandbox.accessToken(for: Stand.origin, scopes: [], from: "acme")
        for (path, status) in [("/api/list", 200), ("/wiki", 401)] {
            let reply = try await stand.ask(
                "https://apps.example\(path)", [.authorization: "Bearer \(token)", .accept: "*/*"])
            #expect(reply.status == status, "\(path)")
        }
    }

    @Test("The log names people by their addresses only if the file says so")
    func addressesInTheLog() async throws {
        for (file, isShown) in [(Stand.file, false), (Stand.file + "log: { email: true }\n", true)] {
            let stand = try await Stand(file)
            var person = Person(stand)
            _ = try await person.open("https://apps.example/wiki")
            _ = try await person.get("https://apps.example/admin/")
            let entries = stand.log.entries.filter { $0.contains("signed in") || $0.contains("is refused") }
            #expect(entries.count == 2, "\(stand.log.entries)")
            #expect(entries.allSatisfy { $0.contains("ada@example.com") == isShown }, "\(entries)")
        }
    }
}
