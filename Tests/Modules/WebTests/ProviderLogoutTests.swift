import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

/// Sessions of a web site that a provider ends.
@Suite("Signing out at the provider")
struct ProviderLogoutTests {
    private static let path = "/sign-in/acme/back-channel-logout"
    private static let form = SandboxLogout.contentType

    private func site(_ more: String = "") throws -> Site {
        try Site([Site.ending + more], backChannelLogoutURI: Site.origin + Self.path)
    }

    private func request(
        _ method: HTTPRequest.Method, _ path: String = path, type: String? = form
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "https", authority: "app.example", path: path)
        request.headerFields[.contentType] = type
        return request
    }

    /// Ends the provider's own session of a browser.
    ///
    /// - Returns: What the provider then posts to the site.
    private func endSession(of browser: Browser) async throws -> [UInt8] {
        let site = browser.site
        let client = try #require(site.clients["acme"])
        let account = try #require(browser.session?.account())
        let tokens = try await #require(try await site.web.tokenSession(of: account)).storedTokens()
        let page = try EndSessionRequest(
            for: tokens, at: try await client.providerWithoutAccount(), as: client.registration,
            random: SystemRandomSource())
        let target = page.url.reveal().dropFirst("https://id.acme.example".count)
        let bodies = Bodies()
        await site.sandbox.sendLogouts { bodies.add($0.body) }
        let head = HTTPRequest(method: .get, scheme: "https", authority: "id.acme.example", path: String(target))
        #expect(await site.sandbox.respond(to: head, body: []).0.status == .ok)
        return try #require(bodies.first)
    }

    @Test("One browser's session ends here too, and the other browser's does not")
    func backChannel() async throws {
        let site = try site()
        var desk = Browser(site)
        var phone = Browser(site)
        _ = try await desk.signIn()
        _ = try await phone.signIn()
        let body = try await endSession(of: desk)
        let reply = try #require(await site.web.respond(to: request(.post), body: body))
        #expect(reply.head.status == .ok)
        #expect(reply.head.headerFields[.cacheControl] == "no-store")
        #expect(try await site.web.liveSession(of: desk.request) == nil)
        #expect(try await site.web.liveSession(of: phone.request) != nil)
    }

    // BCL-01, BCL-07.
    @Test(
        "An invalid logout gets 400 with a JSON error",
        arguments: [
            (HTTPRequest.Method.get, form, ""), (.post, "application/json", "{}"), (.post, form, ""),
            (.post, form, "logout_token=a.b.c"), (.post, form, "logout_token=x&logout_token=x"),
        ] as [(HTTPRequest.Method, String, String)])
    func refused(method: HTTPRequest.Method, type: String, body: String) async throws {
        let site = try site()
        var browser = Browser(site)
        _ = try await browser.signIn()
        let reply = try #require(await site.web.respond(to: request(method, type: type), body: Array(body.utf8)))
        #expect(reply.head.status == .badRequest)
        #expect(reply.head.headerFields[.cacheControl] == "no-store")
        #expect(reply.head.headerFields[.contentType] == "application/json")
        #expect(reply.body.hasPrefix(#"{"error":"invalid_request""#))
        #expect(try await site.web.liveSession(of: browser.request) != nil)
    }

    // BCL-04.
    @Test("The same logout is taken once")
    func replay() async throws {
        let site = try site()
        var browser = Browser(site)
        _ = try await browser.signIn()
        let body = try await endSession(of: browser)
        #expect(await site.web.respond(to: request(.post), body: body)?.head.status == .ok)
        let again = try #require(await site.web.respond(to: request(.post), body: body))
        #expect(again.head.status == .badRequest)
        #expect(again.body.contains("was used before"))
    }

    @Test("A provider that is not there has no such page")
    func unknownProvider() async throws {
        let site = try site()
        #expect(await site.web.respond(to: request(.post, "/sign-in/other/back-channel-logout")) == nil)
    }

    // FCL-02.
    @Test("There is no page for frames unless the descriptor wants one")
    func noFrontChannel() async throws {
        let site = try site()
        let path = site.web.startPath(of: "acme") + "/front-channel-logout?iss=https%3A%2F%2Fid.acme.example&sid=s"
        #expect(await site.web.respond(to: request(.get, path, type: nil)) == nil)
    }

    // FCL-01.
    @Test("A frame of the provider's ends the session that it names")
    func frontChannel() async throws {
        let site = try site("logout: { front_channel: true }\n")
        var browser = Browser(site)
        _ = try await browser.signIn()
        let account = try #require(browser.session?.account())
        let key = ConnectionKey(provider: "acme", account: account.storeName)
        let session = try #require(await site.store.load(key)?.connection.sessionID)
        func frame(_ query: String) async throws -> WebReply {
            try #require(
                await site.web.respond(to: request(.get, "/sign-in/acme/front-channel-logout" + query, type: nil)))
        }
        for query in ["", "?sid=\(session)", "?iss=https%3A%2F%2Fid.other.example&sid=\(session)"] {
            #expect(try await frame(query).head.status == .badRequest)
        }
        #expect(try await frame("?iss=https%3A%2F%2Fid.acme.example&sid=other").head.status == .ok)
        #expect(try await site.web.liveSession(of: browser.request) != nil)
        let reply = try await frame("?iss=https%3A%2F%2Fid.acme.example&sid=\(session)")
        #expect(reply.head.status == .ok)
        #expect(reply.head.headerFields[.cacheControl] == "no-store")
        #expect(
            reply.head.headerFields[.contentSecurityPolicy]?.contains("frame-ancestors https://id.acme.example")
                == true)
        #expect(try await site.web.liveSession(of: browser.request) == nil)
    }
}

/// What a sandbox sent, for a closure to fill.
private final class Bodies: Sendable {
    private let bodies = Lock<[[UInt8]]>([])

    func add(_ body: [UInt8]) { bodies.withLock { $0.append(body) } }

    var first: [UInt8]? { bodies.withLock { $0.first } }
}
