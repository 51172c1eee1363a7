import CarnetHummingbird
import CarnetSandbox
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
