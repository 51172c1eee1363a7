// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTestSupport
import CarnetTesting
import CarnetUserAgent
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("NAT: programs on a user's machine", .serialized, .searchedForSecrets)
struct NativeAttackTests {
    /// A sign-in whose page was shown; its callback is yet to come.
    private struct Waiting {
        let scenario: Scenario
        let task: Task<Session, any Error>
        let port: Int
        /// The right callback, path and query.
        let callback: String
    }

    private func begin(redirectURI: String = "http://127.0.0.1/callback") async throws -> Waiting {
        let scenario = Scenario()
        let (shown, isShown) = AsyncStream<String>.makeStream()
        let agent = LoopbackUserAgent(presentation: .show { isShown.yield($0) })
        let client = try Flow.signIn.registered { registration in
            registration.clientSecret = nil
            registration.redirectURI = redirectURI
        }.client(of: scenario)
        let task = Task {
            // A sign-in that fails before its page is shown ends the wait for the page.
            defer { isShown.finish() }
            return try await client.signIn(with: agent)
        }
        var urls = shown.makeAsyncIterator()
        let url = try #require(await urls.next())
        let query = PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())) ?? []
        let redirect = try WebURL(try #require(query.first { $0.name == "redirect_uri" }?.value))
        return Waiting(
            scenario: scenario, task: task, port: try #require(redirect.port),
            callback: "\(redirect.path)?\(scenario.callbackQuery(ofURL: url))")
    }

    private func finish(_ waiting: Waiting) async throws {
        let status = try await RawClient.get(waiting.callback, port: waiting.port)
        #expect(status == 200)
        // Whoever was refused would wait until the browser's time is up.
        if status != 200 { waiting.task.cancel() }
        _ = try await waiting.task.value
        #expect(waiting.scenario.count("/token") == 1)
    }

    @Test("NAT-01: Loopback alone")
    func NAT_01_loopbackAlone() async throws {
        let waiting = try await begin()
        for host in ["127.0.0.2", "::1"] {
            await expectThrown((any Error).self) {
                try await RawClient.exchange("x", port: waiting.port, host: host)
            }
        }
        try await finish(waiting)
    }

    @Test("NAT-02: Port lives as long as the sign-in")
    func NAT_02_portLivesAsLongAsTheSignIn() async throws {
        let waiting = try await begin()
        for number in 0..<100 { #expect(try await RawClient.get("/junk/\(number)", port: waiting.port) == 404) }
        try await finish(waiting)
        await expectThrown((any Error).self) { try await RawClient.get(waiting.callback, port: waiting.port) }
        #expect(waiting.scenario.count("/token") == 1)
    }

    @Test(
        "NAT-03: Forged callback ends nothing",
        arguments: [
            "/callback", "/callback?", "/callback?code=evil", "/callback?code=evil&state=wrong",
            "/callback?error=access_denied",
            "/callback?code=a&state=%zz", "/callback?state=&code=x",
        ])
    func NAT_03_forgedCallbackEndsNothing(target: String) async throws {
        let waiting = try await begin()
        #expect(try await RawClient.get(target, port: waiting.port) == 400)
        #expect(waiting.scenario.count("/token") == 0)
        try await finish(waiting)
    }

    @Test("NAT-04: Port that is taken")
    func NAT_04_portThatIsTaken() async throws {
        let taken = try RawServer([.waitForHangUp])
        defer { taken.stop() }
        let agent = LoopbackUserAgent(presentation: .show { _ in })
        let error = await expectThrown(UserAgentError.self) {
            try await agent.prepare(redirectURI: "http://127.0.0.1:\(taken.port)/callback")
        }
        #expect(error?.kind == .cannotListen)
        let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/callback")
        await presenter.close()
    }

    @Test("NAT-05: Response page")
    func NAT_05_answerPage() async throws {
        let waiting = try await begin()
        let text = "GET \(waiting.callback) HTTP/1.1\r\nHost: 127.0.0.1:\(waiting.port)\r\n\r\n"
        let page = try await RawClient.exchange(text, port: waiting.port)
        for secret in waiting.scenario.secrets { #expect(!page.contains(secret)) }
        for part in ["http:", "https:", "<script", "src=", "<img"] { #expect(!page.contains(part)) }
        for field in ["cache-control: no-store", "referrer-policy: no-referrer", "connection: close"] {
            #expect(page.lowercased().contains("\r\n\(field)"))
        }
        _ = try await waiting.task.value
    }

    @Test("NAT-06: Odd requests")
    func NAT_06_oddRequests() async throws {
        let waiting = try await begin()
        let host = "Host: 127.0.0.1:\(waiting.port)\r\n"
        for text in [
            "GET /\(String(repeating: "a", count: 200_000)) HTTP/1.1\r\n\(host)\r\n", "SSH-2.0-x\r\n\r\n",
            "GET http://127.0.0.1:\(waiting.port)/callback?code=x&state=y HTTP/1.1\r\n\(host)\r\n",
            "POST /callback HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\nabcde", "\r\n\r\n",
            "GET /callback?state=a HTTP/1.1\r\n\(host)\r\nGET \(waiting.callback) HTTP/1.1\r\n\(host)\r\n",
        ] {
            let response = try await RawClient.exchange(text, port: waiting.port)
            #expect(!response.hasPrefix("HTTP/1.1 200"), "\(text.prefix(30))")
            #expect(response.components(separatedBy: "HTTP/1.1 ").count <= 2)
        }
        #expect(waiting.scenario.count("/token") == 0)
        try await finish(waiting)
    }

    @Test(
        "NAT-07: Name that was rebound",
        arguments: ["evil.example", "evil.example:80", "localhost", "127.0.0.1:1", "127.0.0.1", ""])
    func NAT_07_nameThatWasRebound(host: String) async throws {
        let waiting = try await begin()
        #expect(try await RawClient.get(waiting.callback, port: waiting.port, host: host) == 400)
        #expect(waiting.scenario.count("/token") == 0)
        try await finish(waiting)
    }

    @Test(
        "NAT-07: Request of a script",
        arguments: [
            "Sec-Fetch-Mode: cors", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Dest: image",
        ])
    func NAT_07_requestOfAScript(field: String) async throws {
        let waiting = try await begin()
        #expect(try await RawClient.get(waiting.callback, port: waiting.port, fields: [field]) == 400)
        try await finish(waiting)
    }

    @Test(
        "NAT-08: Scheme that anybody may claim, without PKCE",
        arguments: ["myapp:/callback", "myapp://callback", "oauth://com.example.app", "https2:/x"])
    func NAT_08_schemeThatAnybodyMayClaim(uri: String) async throws {
        func request(_ flow: Flow) async throws -> AuthorizationRequest {
            try await flow.client(of: Scenario()).beginSignIn()
        }
        let flow = Flow.signIn.registered { $0.redirectURI = uri }
        let open = flow.adding("authorization: { pkce: { none: the provider ignores it } }")
        await open.expectRefusal(.redirectNotAccepted)
        // The provider prescribes the scheme: nobody can choose another one.
        #expect(try await request(open.adding("redirects: ['\(uri)']")).url.contains("redirect_uri="))
        // With PKCE, another application cannot use the code.
        #expect(try await request(flow).url.contains("code_challenge_method=S256"))
    }

    @Test(
        "NAT-08: Scheme that no application receives",
        arguments: [
            "javascript:/x", "DATA:text/html,x", "file:///x", "blob:x", "intent://x", "1app:/x", "a b:/x", ":/x",
        ])
    func NAT_08_schemeThatNoApplicationReceives(uri: String) async throws {
        await Flow.signIn.registered { $0.redirectURI = uri }.expectRefusal(.redirectNotAccepted)
        try await control(.signIn)
    }

    @Test("NAT-09: Public client proves itself")
    func NAT_09_publicClientProvesItself() async throws {
        try await accept(in: .signIn.registered { $0.clientSecret = nil }) { scenario, outcome in
            #expect(outcome.request?.url.contains("code_challenge_method=S256") == true)
            let form = try #require(scenario.requests(to: "/token").first?.form)
            #expect(form["code_verifier"] != nil)
            #expect(form["client_secret"] == nil)
        }
    }

    @Test("NAT-11: Port that is registered")
    func NAT_11_portThatIsRegistered() async throws {
        let free = try RawServer([])
        free.stop()
        await free.waitUntilClosed()
        let redirect = "http://127.0.0.1:\(free.port)/callback"
        let waiting = try await begin(redirectURI: redirect)
        #expect(waiting.port == free.port)
        try await finish(waiting)
        #expect(waiting.scenario.requests(to: "/token").first?.form["redirect_uri"] == redirect)
    }

    @Test("NAT-10: URL is one argument and no shell")
    func NAT_10_URLIsOneArgumentAndNoShell() async throws {
        let shown = Lock<[String]>([])
        let agent = LoopbackUserAgent(presentation: .show { url in shown.withLock { $0.append(url) } })
        for url in ["file:///etc/passwd", "javascript:alert(1)", "https://x/\"$(touch /tmp/x)\"", "https://x/ y", "-a"]
        {
            let presenter = try await agent.prepare(redirectURI: "http://127.0.0.1/callback")
            let error = await expectThrown(UserAgentError.self) { try await presenter.present(url) { _ in true } }
            #expect(error?.kind == .cannotPresent)
        }
        let count = shown.withLock(\.count)
        #expect(count == 0)
        try await finish(try await begin())
    }

    /// The browser takes both for one site, because the name of the other site resolves to this machine.
    @Test("NAT-12: Page of another site that reaches a site on loopback")
    func NAT_12_pageOfAnotherSiteThatReachesASiteOnLoopback() async throws {
        let origin = "http://127.0.0.1:8080"
        let scenario = Scenario()
        let client = try OAuthClient(
            Fixture.descriptor(Flow.openID),
            registration: ClientRegistration(
                clientID: Scenario.clientID, credentials: .secret(Secret(Scenario.clientSecret)),
                redirectURI: "\(origin)/callback"),
            transport: scenario, store: scenario.store, clock: scenario.clock)
        let web = try WebSignIn(
            ProviderClients([client]), origin: origin, keys: KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))),
            clock: scenario.clock)
        let host = try #require(HTTPField.Name("Host"))
        func request(_ method: HTTPRequest.Method, _ path: String, _ authority: String?, _ fields: [String] = []) throws
            -> HTTPRequest
        {
            var request = HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
            request.headerFields[values: host] = fields
            request.headerFields[try #require(HTTPField.Name("Sec-Fetch-Site"))] = "same-origin"
            return request
        }
        let hostile = [
            "evil.example:8080", "evil.example", "127.0.0.1.evil.example:8080", "localhost.evil.example",
            "10.0.0.1:8080",
            "0.0.0.0:8080", "127.0.0.1@evil.example", "", "evil.example/127.0.0.1", "127.0.0.1:x", "localhost\u{301}",
        ]
        for name in hostile {
            for (method, path) in [
                (HTTPRequest.Method.get, "/"), (.get, "/sign-in"), (.post, "/sign-in/acme"), (.get, "/x"),
            ] {
                for request in [
                    try request(method, path, name), try request(method, path, nil, [name]),
                    try request(method, path, "127.0.0.1:8080", [name]),
                    try request(method, path, nil, ["127.0.0.1:8080", name]),
                ] {
                    #expect(web.handles(request), "\(name) \(path)")
                    let reply = try #require(await web.respond(to: request), "\(name) \(path)")
                    #expect(reply.head.status == .misdirectedRequest && !reply.body.contains("Acme"))
                }
            }
        }
        #expect(scenario.log.isEmpty)
        for name in ["127.0.0.1:8080", "localhost:8080", "LocalHost", "[::1]:8080", "127.0.0.2:1"] {
            #expect(!web.handles(try request(.get, "/", name)), "\(name)")
            #expect(await web.respond(to: try request(.get, "/sign-in", name))?.head.status == .ok, "\(name)")
        }
        #expect(await web.respond(to: try request(.post, "/sign-in/acme", "127.0.0.1:8080"))?.head.status == .seeOther)
    }
}
