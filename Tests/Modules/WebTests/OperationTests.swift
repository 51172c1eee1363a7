import CarnetDescriptors
import CarnetFoundation
import CarnetHummingbird
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Logging
import MetricsTestKit
import ServiceLifecycle
import Testing

@Suite("A site in operation")
struct OperationTests {
    private static func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "app.example", path: path)
    }

    @Test("HEAD gets what GET gets, without a body", arguments: ["/sign-in", "/sign-in/acme", "/signed-out"])
    func head(path: String) async throws {
        let site = try Site()
        let get = try #require(await site.web.respond(to: Self.request(.get, path)))
        let head = try #require(await site.web.respond(to: Self.request(.head, path)))
        #expect(head.head == get.head)
        #expect(!get.body.isEmpty && head.body.isEmpty)
    }

    @Test("HEAD of a callback uses no code up, and the methods that are accepted are named")
    func headOfCallback() async throws {
        let site = try Site()
        var browser = Browser(site)
        let callback = try await browser.beginAndApprove()
        let reply = try await browser.send(Self.request(.head, callback))
        #expect(reply.head.status == .methodNotAllowed)
        #expect(reply.head.headerFields[.allow] == "GET, POST")
        #expect(reply.body.isEmpty)
        #expect(try await browser.get(callback).head.status == .seeOther)
        #expect(browser.session != nil)
        let signOut = try #require(await site.web.respond(to: Self.request(.get, "/sign-out")))
        #expect(signOut.head.headerFields[.allow] == "POST")
    }

    @Test("No header of a proxy changes where a sign-in leads or what its cookies are for")
    func forwardedHeaders() async throws {
        let site = try Site()
        var plain = Browser(site)
        var forged = Browser(site)
        var request = Self.request(.post, "/sign-in/acme")
        request.headerFields[.origin] = Site.origin
        let expected = try await plain.send(request)
        for name in [
            "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Prefix", "Forwarded",
            "X-Original-URL",
        ] {
            request.headerFields[try #require(HTTPField.Name(name))] = "host=evil.example;proto=http"
        }
        request.authority = "evil.example"
        request.scheme = "http"
        let reply = try await forged.send(request)
        func redirectURI(_ reply: WebReply) throws -> String? {
            let url = try WebURL(try #require(reply.head.headerFields[.location]))
            return PercentEncoding.decodeForm(url.query ?? "")?.first { $0.name == "redirect_uri" }?.value
        }
        #expect(try redirectURI(reply) == Site.redirectURI(of: "acme"))
        #expect(try redirectURI(reply) == redirectURI(expected))
        #expect(forged.attributes.values.sorted() == plain.attributes.values.sorted())
        request.headerFields[.origin] = "https://evil.example"
        #expect(try await forged.send(request).head.status == .forbidden)
    }

    @Test("Cookie keys rotate in three steps, and neither sessions nor pending sign-ins are lost")
    func cookieKeys() async throws {
        let (old, new) = (
            try EncryptionKey([UInt8](repeating: 7, count: 32)), try EncryptionKey([UInt8](repeating: 8, count: 32))
        )
        let site = try Site(keys: KeyRing(old))
        func deployed(_ ring: KeyRing) throws -> WebSignIn {
            try WebSignIn(site.clients, origin: Site.origin, keys: ring, clock: site.clock)
        }
        var browser = Browser(site)
        _ = try await browser.signIn()
        let callback = try await browser.beginAndApprove()
        // One process has the next step before the others: each reads what any of them wrote.
        let steps = [KeyRing(old), KeyRing(old, others: [new]), KeyRing(new, others: [old]), KeyRing(new)]
        for (earlier, later) in zip(steps, steps.dropFirst()).dropLast() {
            for ring in [earlier, later] {
                #expect(try await deployed(ring).liveSession(of: browser.request) != nil)
            }
        }
        var request = Self.request(.get, callback)
        request.headerFields[.cookie] = browser.request.headerFields[.cookie]
        let reply = try #require(await deployed(steps[2]).respond(to: request))
        #expect(reply.head.status == .seeOther)
        let cookie = try #require(reply.head.headerFields[values: .setCookie].last?.split(separator: ";").first)
        request = Self.request(.get, "/")
        request.headerFields[.cookie] = String(cookie)
        // The second step's cookies outlive the old key; those of the first step are then too old anyway.
        #expect(try await deployed(steps[3]).liveSession(of: request) != nil)
        #expect(try await deployed(steps[1]).liveSession(of: request) != nil)
        #expect(try deployed(steps[3]).session(of: browser.request) == nil)
    }

    @Test("The health check names the store that does not work, and nothing else")
    func health() async throws {
        let site = try Site()
        #expect(await site.web.healthProblems().isEmpty)
        site.records.fail()
        #expect(await site.web.healthProblems() == ["The store of acme does not work: the disk is full"])
        site.records.work()
        #expect(await site.web.healthProblems().isEmpty)
        let waiting = try Site(pendingStore: BrokenPendingStore())
        #expect(
            await waiting.web.healthProblems() == ["The store of pending sign-ins does not work: the disk is full"])
    }

    @Test("Sign-ins are counted as begun, completed and failed by kind")
    func metrics() async throws {
        let metrics = TelemetryBackends.metrics
        func count(_ label: String, _ outcome: String, _ provider: String = "measured") -> Int64? {
            try? metrics.expectCounter(label, [("provider", provider), ("outcome", outcome)]).totalValue
        }
        let refused = Lock(false)
        let site = try Site(
            [Site.acme.replacing("acme", with: "measured")],
            findUser: { _ in
                if refused.withLock({ $0 }) { throw SignInRefusal("no") }
                return "u"
            })
        var browser = Browser(site)
        let callback = try await browser.beginAndApprove("measured")
        #expect(count("carnet.sign_in.begun", "ok") == 1)
        #expect(count("carnet.sign_in.count", "ok") == nil)
        _ = try await browser.get(callback)
        #expect(count("carnet.sign_in.count", "ok") == 1)
        #expect(try metrics.expectTimer("carnet.sign_in.duration", [("provider", "measured")]).values.count == 1)
        _ = try await browser.get(callback)
        #expect(count("carnet.sign_in.count", "unexpectedCallback") == 1)
        let begun = try await browser.post("/sign-in/measured")
        let url = try WebURL(try #require(begun.head.headerFields[.location]))
        let state = try #require(PercentEncoding.decodeForm(url.query ?? "")?.first { $0.name == "state" }?.value)
        let denial = PercentEncoding.encode([
            (name: "error", value: "access_denied"), ("state", state), ("iss", "https://id.measured.example"),
        ])
        #expect(try await browser.get("/sign-in/measured/callback?\(denial)").head.status == .forbidden)
        #expect(count("carnet.sign_in.count", "denied") == 1)
        refused.withLock { $0 = true }
        _ = try await browser.signIn("measured")
        #expect(count("carnet.sign_in.count", "refused") == 1)
        #expect(count("carnet.sign_in.begun", "ok") == 3)
    }

    @Test("A process that shuts down lets a callback in progress finish")
    func gracefulShutdown() async throws {
        let store = GatedStore()
        let site = try Site(pendingStore: store)
        var browser = Browser(site)
        let callback = try await browser.beginAndApprove()
        let click = browser
        async let reply = click.peek(callback)
        for await _ in store.arrivals { break }
        let group = ServiceGroup(
            configuration: .init(
                services: [SignInService(site.web)], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        let ended = Lock(false)
        let service = Task {
            try await group.run()
            ended.withLock { $0 = true }
        }
        await group.triggerGracefulShutdown()
        for _ in 0..<500 { await Task.yield() }
        #expect(!ended.withLock { $0 })
        store.open()
        try await service.value
        #expect(try await reply.head.status == .seeOther)
        #expect(await site.store.keys().count == 1)
    }
}

private struct BrokenPendingStore: PendingStore {
    func save(_ pending: PendingAuthorization, now: Date) async throws {}
    func take(_ id: Secret, now: Date) async throws -> PendingAuthorization? {
        throw TokenStoreError(.unavailable, "the disk is full")
    }
}
