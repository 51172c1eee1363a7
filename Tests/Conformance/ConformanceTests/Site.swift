import Carnet
import CarnetProtocol
import CarnetStorage
import CarnetWeb
import ConformanceProvider
import Foundation
import HTTPTypes

/// A web site and one browser that visits it.
struct Site {
    static let origin = "https://app.example"

    let web: WebSignIn
    let driver: Driver

    init(_ driver: Driver) throws {
        self.driver = driver
        web = try WebSignIn(
            ProviderClients([try driver.client()]), origin: Self.origin,
            keys: KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))), acceptsInitiatedSignIn: true,
            clock: driver.clock)
    }

    private var provider: OpenIDProvider { driver.provider }

    /// - Returns: What went wrong.
    func run(_ flow: SiteFlow) async throws -> [String] {
        var browser = Browser(site: self)
        switch flow {
        case .thirdParty:
            try await browser.signIn(by: .otherSite)
            return await isSignedIn(browser) ? [] : ["nobody is signed in"]
        case .signOut(let returns):
            try await browser.signIn()
            let page = try await browser.signOut()
            let isBack = page.head.headerFields[.location] == "/bye"
            return (isBack == returns ? [] : ["the return from the provider leads to \(page.head)"])
                + (await isSignedIn(browser) ? ["the session is still there"] : [])
        case .backChannel(let isAccepted):
            try await browser.signIn()
            let status = try await backChannelLogout()
            var problems = status == (isAccepted ? 200 : 400) ? [] : ["the logout token gets \(status)"]
            if await isSignedIn(browser) == isAccepted { problems.append("the session is in the wrong state") }
            guard isAccepted else { return problems }
            // The suite's order: the user signs out first, and the provider reports it then.
            try await browser.signIn()
            _ = try await browser.signOut()
            let late = try await backChannelLogout()
            return problems + (late == 200 ? [] : ["the logout token after the sign-out gets \(late)"])
        case .frontChannel(let afterSignOut):
            try await browser.signIn()
            if afterSignOut { _ = try await browser.signOut() }
            // A frame at another site: the browser sends no session cookie.
            var frame = Browser(site: self)
            let reply = try await frame.get("/sign-in/op/front-channel-logout?" + provider.frameQuery())
            return (reply.head.status == .ok ? [] : ["the frame gets \(reply.head.status.code)"])
                + (await isSignedIn(browser) ? ["the session is still there"] : [])
        }
    }

    /// Signs in by the site's pages.
    ///
    /// - Returns: The page after the callback, and whether somebody is signed in then.
    func signIn() async throws -> (status: Int, account: WebAccount?) {
        var browser = Browser(site: self)
        let reply = try await browser.signIn()
        let session = try await web.liveSession(of: browser.request)
        return (reply.head.status.code, session?.account())
    }

    private func isSignedIn(_ browser: Browser) async -> Bool {
        (try? await web.liveSession(of: browser.request)) != nil
    }

    private func backChannelLogout() async throws -> Int {
        var head = HTTPRequest(
            method: .post, scheme: "https", authority: "app.example", path: "/sign-in/op/back-channel-logout")
        head.headerFields[.contentType] = "application/x-www-form-urlencoded"
        let reply = await web.respond(to: head, body: Array(try provider.logoutForm().utf8))
        return reply?.head.status.code ?? 404
    }
}

/// Keeps cookies, and sends what browsers send.
private struct Browser {
    let site: Site
    private var cookies: [String: (value: String, attributes: String)] = [:]

    init(site: Site) { self.site = site }

    /// A request for a page of the site, with the cookies.
    var request: HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: "/")
        request.headerFields[.cookie] = header { _ in true }
        return request
    }

    mutating func get(_ path: String) async throws -> WebReply {
        try await send(HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: path))
    }

    mutating func post(_ path: String, _ form: String, isCrossSite: Bool = false) async throws -> WebReply {
        var request = HTTPRequest(method: .post, scheme: "https", authority: "app.example", path: path)
        if let name = HTTPField.Name("Sec-Fetch-Site") {
            request.headerFields[name] = isCrossSite ? "cross-site" : "same-origin"
        }
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        return try await send(request, form, isCrossSite: isCrossSite)
    }

    enum Beginning { case button, otherSite }

    /// Begins a sign-in, agrees at the provider, and returns.
    @discardableResult
    mutating func signIn(by beginning: Beginning = .button) async throws -> WebReply {
        let begin =
            switch beginning {
            case .button: try await post("/sign-in/op", "return_to=%2F")
            case .otherSite: try await get("/sign-in/op/initiate?iss=https%3A%2F%2Fop.example")
            }
        let url = begin.head.headerFields[.location] ?? ""
        switch site.driver.provider.authorize(url) {
        case .redirect(let url): return try await get(String(url.dropFirst(Site.origin.count)))
        case .post(let url, let form):
            return try await post(String(url.dropFirst(Site.origin.count)), form, isCrossSite: true)
        case .page(let text): throw Stuck(page: text)
        }
    }

    /// Signs out everywhere, and returns from the provider's page.
    mutating func signOut() async throws -> WebReply {
        let reply = try await post("/sign-out", "extent=everywhere&return_to=%2Fbye")
        guard case .redirect(let url) = site.driver.provider.logout(reply.head.headerFields[.location] ?? "") else {
            throw Stuck(page: reply.body)
        }
        return try await get(String(url.dropFirst(Site.origin.count)))
    }

    private mutating func send(_ request: HTTPRequest, _ form: String = "", isCrossSite: Bool = false) async throws
        -> WebReply
    {
        var request = request
        request.headerFields[.cookie] = header { !isCrossSite || $0.contains("SameSite=None") }
        guard let reply = await site.web.respond(to: request, body: Array(form.utf8)) else {
            throw Stuck(page: "the site has no page at \(request.path ?? "")")
        }
        for cookie in reply.head.headerFields[values: .setCookie] {
            let parts = cookie.split(separator: ";", maxSplits: 1)
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let attributes = parts.count > 1 ? String(parts[1]) : ""
            cookies[String(pair[0])] = pair[1].isEmpty ? nil : (String(pair[1]), attributes)
        }
        return reply
    }

    private func header(_ isSent: (String) -> Bool) -> String? {
        let sent = cookies.filter { isSent($0.value.attributes) }.map { "\($0.key)=\($0.value.value)" }
        return sent.isEmpty ? nil : sent.sorted().joined(separator: "; ")
    }
}
