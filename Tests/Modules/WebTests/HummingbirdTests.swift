import CarnetHummingbird
import CarnetSandbox
import CarnetServerTestSupport
import CarnetTestSupport
import CarnetTesting
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@Suite("Sign-in with Hummingbird")
struct HummingbirdTests {
    private func application(_ site: Site) -> some ApplicationProtocol {
        let router = Router(context: BasicSignInRequestContext.self)
        router.add(middleware: SignInMiddleware(site.web))
        router.get("/open") { _, context in context.signIn.account?.provider.rawValue ?? "nobody" }
        router.group().add(middleware: RequireSignIn()).get("/home") { _, context in
            try await context.signIn.profile().subject ?? ""
        }
        router.group().add(middleware: RequireSignIn()).get("/tokens") { _, context in
            try await context.signIn.tokens().tokens().scopes.joined(separator: " ")
        }
        return Application(router: router)
    }

    @Test("A page that needs a sign-in leads to the choice of providers, and back")
    func requireSignIn() async throws {
        try await application(try Site()).test(.router) { client in
            let reply = try await client.execute(
                uri: "/home?tab=2", method: .get, headers: [.accept: "text/html"])
            #expect(reply.status == .seeOther)
            let location = try #require(reply.headers[.location])
            #expect(location == "/sign-in?return_to=%2Fhome%3Ftab%3D2")
            let page = try await client.execute(uri: location, method: .get)
            #expect(String(buffer: page.body).contains("value=\"/home?tab=2\""))
        }
    }

    @Test("What is no page gets a 401", arguments: [HTTPRequest.Method.get, .post])
    func unauthorized(method: HTTPRequest.Method) async throws {
        try await application(try Site()).test(.router) { client in
            let reply = try await client.execute(
                uri: "/home", method: method, headers: [.accept: "application/json"])
            #expect(reply.status == (method == .get ? .unauthorized : .notFound))
            #expect(reply.headers[.location] == nil)
        }
    }

    @Test("A whole sign-in through the server, and the profile behind it")
    func signIn() async throws {
        let site = try Site()
        try await application(site).test(.router) { client in
            let fetchSite = try #require(HTTPField.Name("Sec-Fetch-Site"))
            let begun = try await client.execute(
                uri: "/sign-in/acme", method: .post, headers: [fetchSite: "same-origin"],
                body: ByteBuffer(string: "return_to=%2Fhome"))
            let pending = try #require(begun.headers[.setCookie]?.split(separator: ";").first)
            let url = try await site.sandbox.approve(authorizationURL: try #require(begun.headers[.location]))
            let done = try await client.execute(
                uri: String(url.dropFirst(Site.origin.count)), method: .get, headers: [.cookie: String(pending)])
            #expect(done.headers[.location] == "/home")
            let session = try #require(done.headers[values: .setCookie].last?.split(separator: ";").first)
            let home = try await client.execute(uri: "/home", method: .get, headers: [.cookie: String(session)])
            #expect(home.status == .ok)
            #expect(home.headers[.cacheControl] == "no-store")
            #expect(!String(buffer: home.body).isEmpty)
            let open = try await client.execute(uri: "/open", method: .get, headers: [.cookie: String(session)])
            #expect(String(buffer: open.body) == "acme")
        }
    }

    @Test("A store that fails gives a page with a reference that the log has, and costs nobody the sign-in")
    func storeFails() async throws {
        let log = RecordedLog()
        let site = try Site(logger: log.logger)
        var browser = Browser(site)
        _ = try await browser.signIn()
        let cookie = try #require(browser.request.headerFields[.cookie])
        site.records.fail()
        try await application(site).test(.router) { client in
            let away = try await client.execute(uri: "/home", method: .get, headers: [.cookie: cookie])
            #expect(away.status == .serviceUnavailable)
            #expect(away.headers[values: .setCookie].isEmpty)
            let page = String(buffer: away.body)
            #expect(page.contains("Sign-in is unavailable now"))
            let entry = try #require(log.entries.last { $0.contains("the disk is full") })
            let reference = try #require(page.firstMatch(of: /Reference: ([A-Za-z0-9_-]+)/)?.output.1)
            #expect(entry.contains(reference))
            site.records.work()
            #expect(try await client.execute(uri: "/home", method: .get, headers: [.cookie: cookie]).status == .ok)
        }
    }

    @Test("A handler that meets an ended session gives a page, or a 401 with the same reference as the log")
    func endedInHandler() async throws {
        for (accept, status, text) in [
            ("text/html", HTTPResponse.Status.forbidden, "<button>Try again with Acme"),
            ("application/json", .unauthorized, "Your session with Acme has ended. It was ended there"),
        ] {
            let log = RecordedLog()
            let site = try Site(faults: [.refreshRevoked], logger: log.logger)
            var browser = Browser(site)
            _ = try await browser.signIn()
            let cookie = try #require(browser.request.headerFields[.cookie])
            site.clock.advance(by: .seconds(2 * 3600))
            try await application(site).test(.router) { client in
                let headers: HTTPFields = [.cookie: cookie, .accept: accept]
                let reply = try await client.execute(uri: "/tokens", method: .get, headers: headers)
                #expect(reply.status == status)
                let body = String(buffer: reply.body)
                #expect(body.contains(text), "\(body)")
                let reference = try #require(body.firstMatch(of: /Reference: ([A-Za-z0-9_-]+)/)?.output.1)
                #expect(log.entries.contains { $0.contains(reference) && $0.contains("invalid_grant") })
                let next = try await client.execute(uri: "/tokens", method: .get, headers: headers)
                #expect(next.status == (accept == "text/html" ? .seeOther : .unauthorized))
            }
        }
    }

    @Test("HEAD of a page behind the gate leads to the sign-in")
    func headBehindGate() async throws {
        let reply = try Site().web.signInFirst(
            HTTPRequest(
                method: .head, scheme: nil, authority: nil, path: "/home", headerFields: [.accept: "text/html"]))
        #expect(reply.head.status == .seeOther)
    }

    @Test("A host's unit test makes a signed-in user without a sign-in")
    func ownState() async throws {
        var state = SignInState()
        state.session = WebSession(accounts: [
            WebAccount(provider: "acme", subject: "1", name: "Ada", email: "ada@example.com", userID: "17")
        ])
        #expect(state.account?.userID == "17")
        await #expect(throws: HTTPError.self) { try await state.tokens() }
    }

    // SESS-11.
    @Test("Two cookies of the session's name open no page, and lead to one that says so")
    func twoSessions() async throws {
        let log = RecordedLog()
        let site = try Site(logger: log.logger)
        var browser = Browser(site)
        _ = try await browser.signIn()
        let cookie = try #require(browser.request.headerFields[.cookie])
        try await application(site).test(.router) { client in
            let headers: HTTPFields = [.cookie: "\(cookie); \(cookie)", .accept: "text/html"]
            let home = try await client.execute(uri: "/home", method: .get, headers: headers)
            #expect(home.status == .seeOther)
            let open = try await client.execute(uri: "/open", method: .get, headers: headers)
            #expect(String(buffer: open.body) == "nobody")
            #expect(log.entries.contains { $0.contains("two cookies with the same name") })
            let page = try await client.execute(
                uri: try #require(home.headers[.location]), method: .get, headers: headers)
            #expect(page.status == .badRequest)
            #expect(String(buffer: page.body).contains("Delete the cookies of this site"))
        }
    }

    // SESS-10: such bytes become spaces in the values of header fields, which may stand before a cookie's name.
    @Test("A cookie with a control character, or bytes that are no text, before its name is not the session's")
    func bytesBeforeTheName() async throws {
        let site = try Site()
        var browser = Browser(site)
        _ = try await browser.signIn()
        let cookie = try #require(browser.request.headerFields[.cookie])
        try await application(site).test(.live) { client in
            let port = try #require(client.port)
            func status(_ before: [UInt8]) async throws -> String {
                let raw = try await RawClient(port: port)
                let head = "GET /home HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\nCookie: "
                await raw.send(Array(head.utf8) + before + Array("\(cookie)\r\n\r\n".utf8))
                return try await String(raw.response().dropFirst("HTTP/1.1 ".count).prefix(3))
            }
            #expect(try await status([]) == "200")
            for byte in [0x01, 0x0B, 0x0C, 0x1F, 0x7F, 0x00] as [UInt8] {
                #expect(try await status([byte]) == "400")
                #expect(try await status(Array("a=b; ".utf8) + [byte]) == "400")
            }
            for bytes in [[0x85], [0xA0], [0xE2, 0x80, 0x80], [0xFF], [0xCD, 0xBE], [0x78, 0x3D, 0xCD, 0xBE]]
                as [[UInt8]]
            {
                #expect(try await status(bytes) == "401")
                #expect(try await status(Array("a=b; ".utf8) + bytes) == "401")
            }
        }
    }

    @Test("A form beyond its bound is refused")
    func largeForm() async throws {
        try await application(try Site()).test(.router) { client in
            let reply = try await client.execute(
                uri: "/sign-in/acme", method: .post,
                body: ByteBuffer(repeating: UInt8(ascii: "a"), count: WebSignIn.maximumBodyBytes + 1))
            #expect(reply.status == .contentTooLarge)
        }
    }
}
