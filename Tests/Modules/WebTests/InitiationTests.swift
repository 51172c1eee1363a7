import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import HTTPTypes
import Testing

/// OpenID Connect Core, section 4.
@Suite("Sign-ins that another site begins")
struct InitiationTests {
    private static let path = "/sign-in/acme/initiate"
    private static let fields = [
        (name: "iss", value: "https://id.acme.example"), ("login_hint", "ada@acme.example"),
        ("target_link_uri", "https://app.example/orders?page=2"),
    ]

    private func sent(_ reply: WebReply) throws -> [(name: String, value: String)] {
        let url = try #require(reply.head.headerFields[.location])
        #expect(url.hasPrefix("https://id.acme.example/"), "\(url)")
        return PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())) ?? []
    }

    @Test("A link of the portal leads to the provider, and back to the portal's target", arguments: [false, true])
    func initiated(isPosted: Bool) async throws {
        var browser = Browser(try Site(acceptsInitiatedSignIn: true))
        let link = "\(Self.path)?\(PercentEncoding.encode(Self.fields))"
        var reply: WebReply
        if isPosted {
            reply = try await browser.post(Self.path, Self.fields, from: "cross-site")
            #expect(reply.head.status == .seeOther && reply.head.headerFields[.location] == link)
            #expect(browser.cookies.isEmpty)
        }
        reply = try await browser.get(link)
        let parameters = try sent(reply)
        #expect(parameters.first { $0.name == "login_hint" }?.value == "ada@acme.example")
        #expect(reply.head.headerFields[.cacheControl] == "no-store")
        let callback = try await browser.site.sandbox.approve(
            authorizationURL: try #require(reply.head.headerFields[.location]))
        let back = try await browser.get(String(callback.dropFirst(Site.origin.count)))
        #expect(back.head.headerFields[.location] == "/orders?page=2")
        #expect(browser.session?.accounts.map(\.provider) == ["acme"])
    }

    @Test("The issuer is enough, and the sign-in leads to the home page")
    func issuerAlone() async throws {
        var browser = Browser(try Site(acceptsInitiatedSignIn: true))
        let reply = try await browser.get("\(Self.path)?iss=https%3A%2F%2Fid.acme.example&login_hint=&new=1")
        #expect(try !sent(reply).contains { $0.name == "login_hint" })
        let callback = try await browser.site.sandbox.approve(
            authorizationURL: try #require(reply.head.headerFields[.location]))
        let back = try await browser.get(String(callback.dropFirst(Site.origin.count)))
        #expect(back.head.headerFields[.location] == "/")
    }

    @Test("Accounts that are signed in stay, also with a form and a response that is posted")
    func othersStay() async throws {
        var browser = Browser(try Site([Site.posting, Site.globex], acceptsInitiatedSignIn: true))
        _ = try await browser.signIn("globex")
        var request = HTTPRequest(method: .post, scheme: "https", authority: "app.example", path: Self.path)
        let form = PercentEncoding.encode(Self.fields)
        let posted = try await browser.send(request, form, omitting: [Browser.sessionCookie])
        let begun = try await browser.get(try #require(posted.head.headerFields[.location]))
        let response = try await browser.site.sandbox.callback(
            approving: try #require(begun.head.headerFields[.location]))
        request.path = String(response.url.dropFirst(Site.origin.count))
        request.headerFields[.origin] = "https://id.acme.example"
        _ = try await browser.send(request, try #require(response.form), omitting: [Browser.sessionCookie])
        #expect(browser.session?.accounts.map(\.provider) == ["acme", "globex"])
    }

    @Test("The route is there only if the site wants it, and a HEAD begins nothing")
    func optIn() async throws {
        let link = HTTPRequest(
            method: .get, scheme: "https", authority: "app.example",
            path: "\(Self.path)?iss=https%3A%2F%2Fid.acme.example")
        #expect(await try Site().web.respond(to: link) == nil)
        var browser = Browser(try Site(acceptsInitiatedSignIn: true))
        var head = link
        head.method = .head
        let reply = try await browser.send(head)
        #expect(reply.head.status == .methodNotAllowed && reply.head.headerFields[.allow] == "GET, POST")
        #expect(browser.cookies.isEmpty)
    }
}
