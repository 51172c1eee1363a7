// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetFoundation
import CarnetGateway
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("The decision endpoint of a gateway")
struct DecideTests {
    private static let wiki = "https://apps.example/wiki?page=2"

    @Test("A browser is led to the sign-in and back, and the program behind learns who it is")
    func browser() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        let first = try await person.get(Self.wiki)
        #expect(first.status == 302)
        #expect(first.location == "/carnet/sign-in?return_to=%2Fwiki%3Fpage%3D2")
        let page = try await person.get(Stand.origin + (first.location ?? ""))
        #expect(page.body.contains("<button>") && page.body.contains("Sign in with Acme"))
        #expect(page.body.contains("Example Apps") && page.body.contains("#0A5C36".lowercased()))
        let (reply, url) = try await person.open(Self.wiki)
        #expect(url == Self.wiki && reply.status == 200)
        #expect(try #require(reply["X-Auth-User"]).isEmpty == false)
        // The sandbox states that the address is verified.
        #expect(reply["X-Auth-Email"] == "ada@example.com")
        #expect(reply.head.headerFields[values: .setCookie].isEmpty && reply.body.isEmpty)
        #expect(try #require(reply.head.headerFields[.cacheControl]) == "no-store")
    }

    @Test("Every refusal is one that each proxy understands")
    func statuses() async throws {
        let stand = try await Stand()
        for url in ["https://apps.example/a//b", "https://apps.example/a/%2e%2e/c", "https://evil.example/"] {
            let reply = try await stand.ask(url)
            #expect(reply.status == 403 && reply.location == nil, "\(url)")
        }
        let token = try await stand.ask(
            "https://apps.example/api/list?access_token=x", [.authorization: "Bearer x", .accept: "text/html"])
        #expect(token.status == 403)
        let anonymous = try await stand.ask(
            "https://apps.example/api/list?access_token=x", [.accept: "application/json"])
        #expect(anonymous.status == 401)
    }

    @Test(
        "What no page of a browser sends gets a 401 without a redirect",
        arguments: [
            ("GET", [.accept: "application/json"]), ("POST", [.accept: "text/html"]), ("GET", [:]),
            ("GET", [.accept: "text/html", .authorization: "Basic dTpw"]),
        ] as [(String, HTTPFields)])
    func program(method: String, fields: HTTPFields) async throws {
        let stand = try await Stand()
        let reply = try await stand.ask(Self.wiki, method: method, fields)
        #expect(reply.status == 401 && reply.location == nil)
    }

    @Test("A request of a script that a page of the site sends gets no redirect")
    func fetch() async throws {
        let stand = try await Stand()
        var fields: HTTPFields = [.accept: "text/html"]
        fields[try #require(HTTPField.Name("Sec-Fetch-Mode"))] = "cors"
        let reply = try await stand.ask(Self.wiki, fields)
        #expect(reply.status == 401 && reply.location == nil)
    }

    @Test("A program with an access token gets a decision, or a challenge that says what to do")
    func accessToken() async throws {
        let stand = try await Stand()
        func ask(_ path: String, _ scopes: [String]?) async throws -> WebReply {
            var fields: HTTPFields = [.accept: "application/json"]
            if let scopes {
                let token = try await stand.sandbox.accessToken(for: Stand.origin, scopes: scopes, from: "acme")
                fields[.authorization] = "Bearer \(token)"
            }
            return try await stand.ask("https://apps.example\(path)", fields)
        }
        let anonymous = try await ask("/api/list", nil)
        #expect(anonymous.status == 401)
        let challenge = try #require(anonymous.head.headerFields[.wwwAuthenticate])
        #expect(challenge.contains("resource_metadata=\"https://apps.example/.well-known/oauth-protected-resource\""))
        let allowed = try await ask("/api/list", [])
        #expect(allowed.status == 200 && allowed["X-Auth-User"] == "user-1")
        let tooLittle = try await ask("/api/write", ["read"])
        #expect(tooLittle.status == 403)
        let wanted = try #require(tooLittle.head.headerFields[.wwwAuthenticate])
        #expect(wanted.contains("insufficient_scope") && wanted.contains("scope=\"write\""))
        #expect(try await ask("/api/write", ["write"]).status == 200)
        let bad = try await stand.ask(
            "https://apps.example/api/list", [.authorization: "Bearer eyJhbGciOiJub25lIn0.e30.", .accept: "text/html"])
        #expect(bad.status == 401 && bad.location == nil)
        #expect(try #require(bad.head.headerFields[.wwwAuthenticate]).contains("invalid_token"))
        // Where the route takes none, a token is not read.
        #expect(try await ask("/wiki", ["write"]).status == 401)
    }

    /// The headers of a program whose token is bound to a key.
    private func bound(_ stand: Stand, _ path: String, scopes: [String] = []) async throws -> HTTPFields {
        let token = try await stand.sandbox.accessToken(
            for: Stand.origin, scopes: scopes, from: "acme", claims: ["cnf": try Door.confirmation()])
        let proof = try Door.proof(
            of: token,
            [
                "htu": .string(Stand.origin + path),
                "iat": .number(String(Int(stand.clock.now.timeIntervalSince1970))),
            ])
        var fields: HTTPFields = [.accept: "application/json", .authorization: "DPoP \(token)"]
        fields[try #require(HTTPField.Name("DPoP"))] = proof
        return fields
    }

    @Test("A program with a bound token learns which scope it lacks, and the reference of the log")
    func boundToken() async throws {
        let stand = try await Stand()
        let reply = try await stand.ask(
            "https://apps.example/api/write", try await bound(stand, "/api/write", scopes: ["read"]))
        let challenge = try #require(reply.head.headerFields[.wwwAuthenticate])
        #expect(reply.status == 403 && challenge.hasPrefix("DPoP "), "\(challenge)")
        #expect(challenge.contains("insufficient_scope") && challenge.contains("scope=\"write\""), "\(challenge)")
        let id = try #require(reply["Carnet-Decision"])
        #expect(stand.log.entries.contains { $0.contains(id) && $0.contains("the scopes write") })
    }

    @Test("A used proof stays used, whichever hosts are asked about meanwhile")
    func usedProof() async throws {
        let stand = try await Stand(
            Stand.file.replacing("host: wiki.apps.example", with: "host: \"*.apps.example\""))
        let fields = try await bound(stand, "/api/list")
        #expect(try await stand.ask("https://apps.example/api/list", fields).status == 200)
        for number in 0..<1000 { _ = try await stand.ask("https://a\(number).apps.example/") }
        let again = try await stand.ask("https://apps.example/api/list", fields)
        #expect(again.status == 401)
        #expect(again.head.headerFields[.wwwAuthenticate]?.contains("used before") ?? false)
    }

    @Test("The metadata that a challenge names is there")
    func metadata() async throws {
        let stand = try await Stand()
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "apps.example", path: "/.well-known/oauth-protected-resource")
        let reply = await stand.site.respond(to: request, from: nil)
        #expect(reply.status == 200 && reply.body.contains("https://id.acme.example"))
    }

    @Test("A person who lacks something gets a page that says what, and nothing of what is behind")
    func forbidden() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki", with: "globex")
        let reply = try await person.get("https://apps.example/admin/users")
        #expect(reply.status == 403 && reply.location == nil)
        #expect(reply.body.contains("You need to sign in with Acme"))
        #expect(!reply.body.contains("ops"), "the file's groups are not shown")
        #expect(reply.body.contains("action=\"/carnet/sign-out\""))
        let id = try #require(reply["Carnet-Decision"])
        #expect(reply.body.contains(id))
        let entry = try #require(stand.log.entries.last { $0.contains(id) })
        #expect(entry.contains("gateway.yaml:8") && entry.contains("path=/admin/users"))
        #expect(entry.contains("subject=100000000000000000001") && entry.contains("the group ops"), "\(entry)")
        // No route decides about this one.
        let malformed = try #require(try await person.get("https://apps.example/a//b")["Carnet-Decision"])
        let other = try #require(stand.log.entries.last { $0.contains(malformed) })
        #expect(other.contains("outcome=malformed") && other.contains("subject=100000000000000000001"), "\(other)")
        let page = try await stand.ask(
            "https://apps.example/admin/users", [.accept: "text/html", .cookie: person.cookie("apps.example") ?? ""],
            at: GatewayPaths.refused)
        #expect(page.status == 403 && page.body.contains("You cannot open this page"))
    }

    @Test("The page that nginx fetches for a refusal is no second refusal, and a made-up reference is not believed")
    func noted() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open("https://apps.example/wiki", with: "globex")
        let url = "https://apps.example/admin/users"
        let headers: HTTPFields = [.accept: "application/json", .cookie: person.cookie("apps.example") ?? ""]
        func logged() -> Int { stand.log.entries.filter { $0.contains("A request is refused") }.count }
        let id = try #require(try await stand.ask(url, headers)["Carnet-Decision"])
        #expect(logged() == 1)
        for (reference, isSame, count) in [(id, true, 1), (id, false, 2), ("0123456789ab", false, 3), ("", false, 4)] {
            let page = try await stand.ask(
                url, headers, adding: [("Carnet-Decision", reference)], at: GatewayPaths.refused)
            #expect(page.status == 403 && (page["Carnet-Decision"] == id) == isSame && logged() == count, "\(count)")
            #expect(page.body.contains(try #require(page["Carnet-Decision"])))
        }
    }

    @Test("Groups of the profile decide")
    func groups() async throws {
        let stand = try await Stand(users: [Stand.groupMember])
        var person = Person(stand)
        let (reply, _) = try await person.open("https://apps.example/admin/users")
        #expect(reply.status == 200 && reply["X-Auth-User"] == "ada")
    }

    @Test("SESS-04: A header without a value is sent empty, so that a copy of the client's does not stay")
    func SESS_04_absentHeadersAreSentEmpty() async throws {
        let stand = try await Stand()
        let reply = try await stand.ask("https://apps.example/public/a", [.accept: "text/html"])
        #expect(reply.status == 200 && reply["X-Auth-User"] == "" && reply["X-Auth-Email"] == "")
    }

    @Test("A proxy that does not remove a client's identity headers is reported once for each")
    func forgedHeaders() async throws {
        let stand = try await Stand()
        for _ in 0..<3 {
            let reply = try await stand.ask(
                "https://apps.example/public/a", [.accept: "text/html"], adding: [("X-Auth-User", "forged")])
            #expect(reply["X-Auth-User"] == "")
        }
        #expect(stand.log.entries.filter { $0.contains("header=X-Auth-User") }.count == 1)
        #expect(!stand.log.entries.contains { $0.contains("X-Auth-Email") })
    }

    // MARK: - The proxy

    @Test(
        "A request that lacks a header of the proxy is refused by its name",
        arguments: ["X-Forwarded-Method", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Uri"])
    func missingHeader(name: String) async throws {
        let stand = try await Stand()
        let reply = try await stand.ask(Self.wiki, dropping: name)
        #expect(reply.status == 403 && reply.body.contains(name))
        let repeated = try await stand.ask(Self.wiki, adding: [(name, "POST")])
        #expect(repeated.status == 403 && repeated.body.contains(name))
        #expect(stand.log.entries.contains { $0.contains(name) })
    }

    @Test("Only a proxy may ask, and only with the secret of the file")
    func proxies() async throws {
        let stand = try await Stand()
        for peer in ["192.0.2.1", "10.0.0.1", "2001:db8:0:0:0:0:0:1"] {
            let reply = try await stand.ask(Self.wiki, from: peer)
            #expect(reply.status == 403 && reply.body.contains("proxy.trusted"), "\(peer)")
            #expect(reply.location == nil)
            #expect(!reply.body.contains(peer), "a visitor learns no internal address")
            #expect(stand.log.entries.contains { $0.contains("the sender \(peer) is not") })
        }
        #expect(try await stand.ask(Self.wiki, from: "::1").status == 302)
        #expect(try await stand.ask(Self.wiki, from: nil).status == 302, "a socket's permissions decide")

        let file = Stand.file + "proxy: { secret_env: PROXY_SECRET }\n"
        let guarded = try await Stand(file, secret: "correct horse")
        #expect(try await guarded.ask(Self.wiki, from: "192.0.2.1").body.contains("X-Gateway-Secret"))
        for value in ["", "correct hors", "Correct horse"] {
            let reply = try await guarded.ask(Self.wiki, adding: [("X-Gateway-Secret", value)])
            #expect(reply.status == 403, "\(value)")
        }
        #expect(
            try await guarded.ask(Self.wiki, adding: [("X-Gateway-Secret", "correct horse")], from: "192.0.2.1").status
                == 302)
        let page = HTTPRequest(
            method: .get, scheme: "https", authority: "apps.example", path: "/carnet/sign-in?return_to=%2F")
        #expect(await guarded.site.respond(to: page, from: IPAddress(numericHost: "192.0.2.1")).status == 200)
        #expect(await stand.site.respond(to: page, from: IPAddress(numericHost: "192.0.2.1")).status == 403)
    }

    @Test("GW-33: Nothing but a decision is a 2xx for a proxy")
    func GW_33_onlyADecisionIsA2xx() async throws {
        let stand = try await Stand(Stand.file + "proxy: { secret_env: PROXY_SECRET }\n", secret: "correct horse")
        let secret = [("X-Gateway-Secret", "correct horse")]
        for path in ["/carnet/health", "/carnet/ready", "/carnet/keys", "/carnet/sign-in", "/carnet/signed-out", "/"] {
            let reply = try await stand.ask(Self.wiki, adding: secret, at: path)
            #expect(reply.status == 403 || reply.status == 404, "\(path)")
        }
        let open = try await stand.ask("https://apps.example/public/a", adding: secret, at: GatewayPaths.refused)
        #expect(open.status == 302 && open.location == "/public/a")
    }

    @Test("A method that a header would change is refused")
    func methodOverride() async throws {
        let stand = try await Stand()
        let reply = try await stand.ask(Self.wiki, adding: [("X-HTTP-Method-Override", "DELETE")])
        #expect(reply.status == 403)
    }

    @Test("GW-34: A sign-in leads back to a path of the same host")
    func GW_34_aSignInStaysOnTheHost() async throws {
        let stand = try await Stand()
        for target in [
            "//evil.example", "/\\evil.example", "/%2f%2fevil.example", "/..//evil.example", "/%5Cevil.example",
        ] {
            var request = HTTPRequest(method: .get, scheme: "http", authority: "gateway", path: GatewayPaths.decide)
            for (name, value) in [
                ("X-Forwarded-Method", "GET"), ("X-Forwarded-Proto", "https"),
                ("X-Forwarded-Host", "wiki.apps.example"),
                ("X-Forwarded-Uri", target), ("Accept", "text/html"),
            ] { request.headerFields[try #require(HTTPField.Name(name))] = value }
            let decided = await stand.site.respond(to: request, from: nil)
            #expect(decided.location == "/carnet/sign-in?return_to=%2F", "\(target)")
        }
    }

    @Test("A gateway that ends is not ready")
    func ready() async throws {
        let stand = try await Stand()
        func get(_ path: String) async -> Int {
            await stand.site.respond(
                to: HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: path), from: nil
            ).status
        }
        #expect(await get("/carnet/health") == 200)
        #expect(await get("/carnet/ready") == 200)
        stand.site.drain()
        #expect(await get("/carnet/health") == 200)
        #expect(await get("/carnet/ready") == 503)
        #expect(await get("/carnet/keys") == 404)
        #expect(await get("/other") == 404)
    }

    @Test("Whoever asks whether the gateway is ready, the stores are looked at once in a while")
    func readyIsShared() async throws {
        let stand = try await Stand()
        func get() async -> Int {
            await stand.site.respond(
                to: HTTPRequest(method: .get, scheme: "https", authority: "apps.example", path: "/carnet/ready"),
                from: nil
            ).status
        }
        func getOften() async -> Set<Int> {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { await get() } }
                return await group.reduce(into: []) { $0.insert($1) }
            }
        }
        func reports() -> Int { stand.log.entries.filter { $0.contains("Not ready") }.count }
        #expect(await getOften() == [200])
        // Of each of the two providers.
        #expect(stand.store.preparations == 2)
        stand.store.fail()
        stand.clock.advance(by: .seconds(2))
        #expect(await getOften() == [503])
        stand.clock.advance(by: .seconds(2))
        #expect(await getOften() == [503] && reports() == 2)
        stand.store.work()
        stand.clock.advance(by: .seconds(2))
        #expect(await getOften() == [200] && stand.store.preparations == 4)
        stand.store.fail()
        stand.clock.advance(by: .seconds(2))
        #expect(await getOften() == [503] && reports() == 4)
    }

    @Test("While the store fails, nobody is known, and a route for anyone stays open")
    func storeThatFails() async throws {
        let stand = try await Stand()
        var person = Person(stand)
        _ = try await person.open(Self.wiki)
        stand.store.fail()
        let page = try await person.get(Self.wiki)
        #expect(page.status == 503 && page.body.contains("You are still signed in. Try again in a moment."))
        #expect(page.body.contains(try #require(page["Carnet-Decision"])))
        #expect(try await person.get("https://apps.example/public/a").status == 200)
        let ready = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/carnet/ready")
        #expect(await stand.site.respond(to: ready, from: nil).status == 503)
        stand.store.work()
        #expect(try await person.get(Self.wiki).status == 200)
    }
}
