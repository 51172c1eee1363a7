import Carnet
import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetWeb
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import CarnetCommand
@testable import CarnetDemo

@Suite("The demonstration in a browser")
struct DemoTests {
    private static let origin = "http://127.0.0.1:8400"
    private static let sandboxAddress = "http://127.0.0.1:9999"
    private static let acme = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile] }
        resources:
          - { title: Me, url: "https://api.acme.example/me", scope: profile }
          - { title: Orders, url: "https://api.acme.example/orders", scope: orders }

        """

    private let setup: DemoSetup
    private let sandbox: Sandbox
    private let site: DemoSite

    init() async throws {
        var registry = ProviderRegistry()
        registry.add([SourceFile(path: "acme.yaml", text: Self.acme)], origin: .folder("test"))
        registry.add(
            [
                SourceFile(
                    path: "globex.yaml",
                    text: Self.acme.replacing("acme", with: "globex").replacing("Acme", with: "Globex")
                        + "display: { color: \"#FFCC00\" }\n")
            ],
            origin: .folder("test"))
        setup = await DemoSetup(
            registry, origin: Self.origin, transport: { makeNetworkTransport(localAccess: $0) },
            trial: DemoCommand.trial
        ) { _ in
            nil
        } refuse: { _, _ in
        }
        guard case .own(let sandbox) = setup.stage else { throw CancellationError() }
        self.sandbox = sandbox
        site = try setup.site(
            keys: KeyRing(try EncryptionKey([UInt8](repeating: 7, count: 32))),
            sandbox: SandboxAddress(try WebURL(Self.sandboxAddress)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func withBrowser(_ body: @Sendable (inout DemoBrowser) async throws -> Void) async throws {
        try await Application(router: site.router()).test(.router) { client in
            var browser = DemoBrowser(client: client)
            try await body(&browser)
        }
    }

    /// Begins a sign-in and submits the consent page.
    private func signIn(
        _ browser: inout DemoBrowser, scopes: [String] = [], fault: String = ""
    ) async throws -> TestResponse {
        try await browser.get(try await callback(&browser, scopes: scopes, fault: fault))
    }

    /// - Returns: Where the consent page leads.
    private func callback(
        _ browser: inout DemoBrowser, scopes: [String] = [], fault: String = "", user: Int = 0
    ) async throws -> String {
        let fields = [(name: "return_to", value: "/accounts/acme")] + scopes.map { (name: "scope", value: $0) }
        let begun = try await browser.post("/sign-in/acme", fields)
        let location = try #require(begun.headers[.location])
        #expect(location.hasPrefix(Self.sandboxAddress + "/id.acme.example/"))
        let url = try WebURL(location.replacing(Self.sandboxAddress + "/", with: "https://"))
        var request = HTTPRequest(method: .get, scheme: url.scheme, authority: url.authority, path: url.target)
        let page = String(decoding: await sandbox.respond(to: request, body: []).1, as: UTF8.self)
        let ticket = try #require(page.firstMatch(of: /name="ticket" value="([^"]+)"/)?.output.1)
        let asked = page.matches(of: /name="scope" value="([^"]+)"/).map { (name: "scope", value: String($0.output.1)) }
        request.method = .post
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        let decision = [
            (name: "ticket", value: String(ticket)), ("user", "\(user)"), ("decision", "allow"), ("fault", fault),
        ]
        let (response, _) = await sandbox.respond(
            to: request, body: Array(PercentEncoding.encode(decision + asked).utf8))
        let callback = try #require(response.headerFields[.location])
        #expect(callback.hasPrefix(Self.origin + "/callback/acme?"))
        return String(callback.dropFirst(Self.origin.count))
    }

    @Test("The first page has a button for each provider, and a search")
    func home() async throws {
        try await withBrowser { browser in
            let all = try await browser.text("/")
            #expect(all.contains("Sign in with Acme") && all.contains("Sign in with Globex"))
            let found = try await browser.text("/?q=glob")
            #expect(!found.contains("Sign in with Acme") && found.contains("Sign in with Globex"))
            #expect(try await browser.text("/?q=%3Cscript%3E").contains("&lt;script&gt;"))
            // The quotation mark and the combining mark after it are one `Character`, but end an attribute.
            #expect(try await browser.text("/?q=%22%CC%81%20autofocus").contains("value=\"&quot;\u{301} autofocus\""))
        }
    }

    @Test("A sign-in leads to the profile, the token's parts and what it opens")
    func signIn() async throws {
        try await withBrowser { browser in
            let done = try await signIn(&browser)
            #expect(done.headers[.location] == "/accounts/acme")
            #expect(try await browser.text("/accounts/acme").contains("<dt>Subject</dt>"))
            let payload = try await browser.text("/accounts/acme?tab=payload")
            #expect(payload.contains("This access token is opaque"))
            let resources = try await browser.text("/accounts/acme?tab=resources")
            #expect(resources.contains("<button>Me</button>"))
            #expect(!resources.contains("<button>Orders</button>"))
            #expect(resources.contains("Not granted: <code>orders</code>"))
            #expect(resources.contains("Request these scopes"))
        }
    }

    @Test("A resource that is open responses, and more scopes open more")
    func resources() async throws {
        try await withBrowser { browser in
            _ = try await signIn(&browser)
            let response = try await browser.post("/accounts/acme/resources/0")
            #expect(String(buffer: response.body).contains("Me: 200"))
            let refused = try await browser.post("/accounts/acme/resources/1")
            #expect(String(buffer: refused.body).contains("needs scopes that were not granted"))
            _ = try await signIn(&browser, scopes: ["openid", "profile", "orders"])
            #expect(try await browser.text("/accounts/acme?tab=resources").contains("<button>Orders</button>"))
        }
    }

    @Test("A provider without a page to sign in at has no button, and the reason is named")
    func withoutPage() async throws {
        var registry = ProviderRegistry()
        registry.add([
            SourceFile(
                path: "acme.yaml",
                text:
                    "carnet: 1\nid: acme\nname: Acme\nendpoints: { token: https://id.acme.example/token }\nclient_credentials: {}\n"
            )
        ])
        var refused: [String] = []
        let setup = await DemoSetup(
            registry, origin: Self.origin, transport: { makeNetworkTransport(localAccess: $0) },
            trial: DemoCommand.trial
        ) { _ in
            nil
        } refuse: {
            refused.append("\($0.id): \($1)")
        }
        #expect(refused == ["acme: it has no page to sign in at, only the grants client_credentials"])
        #expect(setup.clients.all.isEmpty)
    }

    @Test("Every built-in provider with a profile leads to the sandbox, and the others are named")
    func builtIn() async throws {
        var refused: [String] = []
        let setup = await DemoSetup(
            .builtIn, origin: Self.origin, transport: { makeNetworkTransport(localAccess: $0) },
            trial: DemoCommand.trial
        ) { _ in
            nil
        } refuse: { descriptor, error in
            refused.append("\(descriptor.id): \(error)")
        }
        let withoutProfile = ["amazon-selling-partner", "bitbucket-data-center"]
        #expect(
            refused
                == withoutProfile.map {
                    "\($0): it has no profile, which says who signed in"
                })
        let site = try setup.site(
            keys: KeyRing(try EncryptionKey([UInt8](repeating: 7, count: 32))),
            sandbox: SandboxAddress(try WebURL(Self.sandboxAddress)),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let ids = ProviderRegistry.builtIn.ids.map(\.rawValue).filter { !withoutProfile.contains($0) }
        try await Application(router: site.router()).test(.router) { client in
            for id in ids {
                var browser = DemoBrowser(client: client)
                let begun = try await browser.post("/sign-in/\(id)", [(name: "return_to", value: "/accounts/\(id)")])
                let location = begun.headers[.location] ?? String(buffer: begun.body)
                #expect(location.hasPrefix(Self.sandboxAddress + "/"), "\(id): \(location)")
            }
        }
    }

    @Test("A fault that the visitor chose is reported on a page, and lasts for one sign-in")
    func fault() async throws {
        try await withBrowser { browser in
            let failed = try await signIn(&browser, fault: "wrong-nonce")
            #expect(failed.status == .badRequest)
            #expect(String(buffer: failed.body).contains("was not valid"))
            #expect(try await signIn(&browser).headers[.location] == "/accounts/acme")
        }
    }

    @Test("A session that the provider ended says so under a reference, and offers a sign-in")
    func endedSession() async throws {
        try await withBrowser { browser in
            _ = try await signIn(&browser, fault: "refresh-revoked")
            let reply = try await browser.post("/accounts/acme/refresh")
            let page = String(buffer: reply.body)
            #expect(reply.status == .forbidden && page.contains("Your session with Acme has ended"))
            #expect(page.contains("Reference: ") && page.contains("action=\"/sign-in/acme\""))
            #expect(try await browser.get("/accounts/acme").headers[.location]?.hasPrefix("/sign-in") == true)
        }
    }

    @Test("The picture of a sign-in has each step with its key, and no secret")
    func flow() async throws {
        try await withBrowser { browser in
            _ = try await signIn(&browser)
            let page = try await browser.text("/flows/acme")
            for step in ["Authorization request", "Callback", "Token request"] { #expect(page.contains(step)) }
            #expect(page.contains("<svg") && page.contains("href=\"#step-1\"") && page.contains("id=\"step-1\""))
            // The sandbox forgets its tokens when the demo ends: a folder of --store must not keep them.
            #expect(try await setup.store.keys().isEmpty)
            let key = try #require(try await setup.passingStore.keys().first)
            let stored = try #require(try await setup.passingStore.load(key))
            #expect(!page.contains(stored.connection.tokens.accessToken.reveal()))
            #expect(page.contains("code_verifier=[redacted]"))
        }
    }

    @Test("One visitor sees nothing of what another did")
    func flowOfAnother() async throws {
        try await Application(router: site.router()).test(.router) { client in
            var (ada, bob) = (DemoBrowser(client: client), DemoBrowser(client: client))
            _ = try await signIn(&ada)
            _ = try await signIn(&bob, fault: "wrong-nonce")
            #expect(try await ada.text("/flows/acme").contains("Token request"))
            let other = try await DemoBrowser(client: client).peek("/flows/acme")
            #expect(other.contains("has not begun a sign-in"))
        }
    }

    @Test("The flows of the latest visitors alone are kept")
    func boundedFlows() {
        let log = FlowLog()
        let step = FlowLog.Step(
            title: "Authorization request", from: .browser, to: .server, key: "authorization", request: "GET")
        for number in 0...FlowLog.visitorLimit { log.begin("acme", state: nil, [step], for: "visitor \(number)") }
        #expect(log.steps(of: "acme", for: "visitor 0").isEmpty)
        #expect(log.steps(of: "acme", for: "visitor 1").count == 1)
        for _ in 0..<100 { log.add([step], to: "acme", for: "visitor 1") }
        #expect(log.steps(of: "acme", for: "visitor 1").count == 40)
    }

    @Test("A failed sign-in is drawn too, and its callback belongs to the sign-in with its state")
    func failedFlow() async throws {
        try await withBrowser { browser in
            let failed = try await signIn(&browser, fault: "wrong-nonce")
            #expect(String(buffer: failed.body).contains("href=\"/flows/acme\""))
            let page = try await browser.text("/flows/acme")
            #expect(page.contains("Callback") && page.contains("Token request"))
            #expect(try await browser.text("/flows/globex").contains("has not begun a sign-in"))
        }
    }

    @Test("Signing out tells what was done, and leads to a sign-in")
    func signOut() async throws {
        try await withBrowser { browser in
            _ = try await signIn(&browser)
            let done = try await browser.post("/sign-out", [(name: "extent", value: "local")])
            #expect(done.headers[.location] == "/signed-out")
            let page = try await browser.text("/signed-out")
            #expect(
                page.contains("This site has deleted the tokens of Acme.") && page.contains("Sign in with Acme again"))
            let reply = try await browser.get("/accounts/acme")
            #expect(reply.headers[.location]?.hasPrefix("/sign-in?") == true)
        }
    }

    @Test("Two accounts of one provider are side by side, and each has its own page and way out")
    func twoAccounts() async throws {
        try await withBrowser { browser in
            _ = try await signIn(&browser)
            let first = try #require(
                try await browser.text("/accounts/acme").firstMatch(of: /<h1>(.*?)<\/h1>/)?.output.1)
            _ = try await browser.get(try await callback(&browser, user: 1))
            let home = try await browser.text("/")
            let other = try #require(home.firstMatch(of: /\/accounts\/acme\?account=([0-9a-f]+)/)?.output.1)
            #expect(home.contains("<strong>Björk Ångström</strong>"))
            #expect(try await browser.text("/accounts/acme").contains("<h1>Hello, Björk Ångström</h1>"))
            let page = try await browser.text("/accounts/acme?account=\(other)")
            #expect(page.contains("<h1>\(first)</h1>") && page.contains("?tab=resources&amp;account=\(other)"))
            let response = try await browser.post("/accounts/acme/resources/0?account=\(other)")
            #expect(String(buffer: response.body).contains("Me: 200"))
            _ = try await browser.post("/sign-out", [(name: "connection", value: String(other))])
            #expect(try await browser.get("/accounts/acme?account=\(other)").headers[.location] != nil)
            #expect(try await browser.text("/accounts/acme").contains("Björk Ångström"))
        }
    }

    @Test("An account that is not there leads to its sign-in, and an address that is not there says so")
    func nowhere() async throws {
        try await withBrowser { browser in
            _ = try await signIn(&browser)
            let reply = try await browser.get("/accounts/globex")
            #expect(reply.headers[.location] == "/sign-in/globex?return_to=/accounts/globex")
            for path in ["/nothing", "/accounts/nobody", "/flows/nobody"] {
                let reply = try await browser.get(path)
                #expect(reply.status == .notFound && String(buffer: reply.body).contains("Page not found"))
            }
        }
    }

    @Test("A button has its brand's colour, with text that can be read on it")
    func brands() async throws {
        try await withBrowser { browser in
            #expect(try await browser.text("/").contains("class=\"brand brand-globex\""))
            let style = try await browser.text("/assets/style.css")
            #expect(style.contains(".brand-globex { background: #ffcc00; color: #000000;"))
            #expect(!style.contains(".brand-acme"))
        }
    }

    @Test("A folder is watched: a new file is signed in with, and one with a mistake keeps the old and is reported")
    func watching() async throws {
        let home = try CommandHome()
        try home.write(Self.acme, to: "providers/acme.yaml")
        let folder = home.folder.appending(path: "providers").path
        try await withBrowser { browser in
            let looks = AsyncStream.makeStream(of: [ProviderID].self)
            let watching = Task { [setup] in
                try await setup.watch([folder], every: .milliseconds(20)) { looks.continuation.yield($0.replaced) }
            }
            defer { watching.cancel() }
            var seen = looks.stream.makeAsyncIterator()
            #expect(await seen.next() == ["acme"])
            try home.write(
                Self.acme.replacing("acme", with: "initech").replacing("Acme", with: "Initech"),
                to: "providers/initech.yaml")
            #expect(await seen.next() == ["initech"])
            #expect(try await browser.text("/").contains("Sign in with Initech"))
            try home.write(Self.acme.replacing("scopes:", with: "scope:"), to: "providers/acme.yaml")
            #expect(await seen.next() == [])
            let page = try await browser.text("/")
            #expect(page.contains("acme.yaml:5:1") && page.contains("K001") && page.contains("Sign in with Acme"))
            #expect(try await signIn(&browser).headers[.location] == "/accounts/acme")
            try home.write(Self.acme, to: "providers/acme.yaml")
            #expect(await seen.next() == [])
            #expect(!(try await browser.text("/").contains("K001")))
        }
    }

    @Test("A text is linted while it is typed")
    func linting() async throws {
        try await withBrowser { browser in
            let fields = [(name: "text", value: Self.acme.replacing("scopes:", with: "scope:"))]
            let report = try await browser.post("/descriptor/lint", fields)
            let page = String(buffer: report.body)
            #expect(page.contains("data-line=\"5\">line 5</a>: unknown key") && page.contains("<mark>scope</mark>:"))
            #expect(page.contains("did you mean") && !page.contains("Apply safe fixes"))
            #expect(try await browser.post("/descriptor/lint", fields, from: "cross-site").status == .forbidden)
            #expect(try await browser.text("/assets/descriptor.js").contains("fetch(\"/descriptor/lint\""))
        }
    }

    @Test("A pasted descriptor is linted and tried")
    func descriptor() async throws {
        try await withBrowser { browser in
            let good = try await browser.post("/descriptor", [(name: "text", value: Self.acme)])
            #expect(String(buffer: good.body).contains("Every step succeeded."))
            let bad = try await browser.post(
                "/descriptor", [(name: "text", value: Self.acme.replacing("scopes:", with: "scope:"))])
            #expect(String(buffer: bad.body).contains("K001"))
            #expect(String(buffer: bad.body).contains("Not tried"))
        }
    }

    @Test("A pasted descriptor may extend another, and what is certain in it is mended")
    func mending() async throws {
        try await withBrowser { browser in
            let text = "carnet: 1\nid: own\nname: Own\nextends: acme\nendpoints: { token: http://id.acme.example/t }\n"
            let found = try await browser.post("/descriptor/lint", [(name: "text", value: text)])
            #expect(String(buffer: found.body).contains("1 error") && String(buffer: found.body).contains("E001"))
            let mended = try await browser.post("/descriptor", [(name: "text", value: text), ("fix", "1")])
            let page = String(buffer: mended.body)
            #expect(page.contains("No findings.") && page.contains("token: https://id.acme.example/t"))
        }
    }

    @Test("What two visitors choose to go wrong does not meet")
    func faultOfOneVisitor() async throws {
        try await Application(router: site.router()).test(.router) { client in
            var (ada, bob) = (DemoBrowser(client: client), DemoBrowser(client: client))
            let failing = try await callback(&ada, fault: "token-down")
            let whole = try await callback(&bob)
            let failed = try await ada.get(failing)
            #expect(failed.status == .badGateway && String(buffer: failed.body).contains("is unavailable now"))
            #expect(try await bob.get(whole).headers[.location] == "/accounts/acme")
        }
    }

    @Test("A provider whose file is gone leaves the first page")
    func removal() async throws {
        let home = try CommandHome()
        try home.write(Self.acme.replacing("acme", with: "initech"), to: "providers/initech.yaml")
        let folder = home.folder.appending(path: "providers").path
        try await withBrowser { browser in
            let looks = AsyncStream.makeStream(of: ProviderFolders.Reload.self)
            let watching = Task { [setup] in
                try await setup.watch([folder], every: .milliseconds(20)) { looks.continuation.yield($0) }
            }
            defer { watching.cancel() }
            var seen = looks.stream.makeAsyncIterator()
            #expect(await seen.next()?.replaced == ["initech"])
            #expect(try await browser.text("/").contains("/sign-in/initech"))
            try FileManager.default.removeItem(atPath: folder + "/initech.yaml")
            #expect(await seen.next()?.removed == ["initech"])
            #expect(!(try await browser.text("/").contains("/sign-in/initech")))
        }
    }

    @Test("No page has a script in it, loads from elsewhere, or takes a form of another site")
    func policies() async throws {
        try await withBrowser { browser in
            for path in ["/", "/descriptor", "/sign-in"] {
                let reply = try await browser.get(path)
                let policy = try #require(reply.headers[.contentSecurityPolicy])
                #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
                #expect(reply.headers[.cacheControl] == "no-store")
                #expect(reply.headers[try #require(HTTPField.Name("Referrer-Policy"))] == "same-origin")
                let page = String(buffer: reply.body)
                #expect(!page.contains("<script>") && !page.contains("src=\"http") && !page.contains("style=\""))
            }
            #expect(try await browser.post("/descriptor", from: "cross-site").status == .forbidden)
        }
    }
}

/// A browser that keeps cookies.
private struct DemoBrowser: Sendable {
    let client: any TestClientProtocol
    var cookies: [String: String] = [:]

    init(client: any TestClientProtocol) {
        self.client = client
    }

    mutating func get(_ path: String) async throws -> TestResponse {
        try await send(path, .get, nil, "none")
    }

    mutating func text(_ path: String) async throws -> String {
        let reply = try await get(path)
        #expect(reply.status == .ok, "\(path)")
        return String(buffer: reply.body)
    }

    mutating func post(
        _ path: String, _ fields: [(name: String, value: String)] = [], from site: String = "same-origin"
    ) async throws -> TestResponse {
        try await send(path, .post, PercentEncoding.encode(fields), site)
    }

    func peek(_ path: String) async throws -> String {
        var copy = self
        return try await copy.text(path)
    }

    private mutating func send(
        _ path: String, _ method: HTTPRequest.Method, _ form: String?, _ site: String
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.accept: "text/html"]
        headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site
        headers[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let reply = try await client.execute(
            uri: path, method: method, headers: headers, body: form.map { ByteBuffer(string: $0) })
        for cookie in reply.headers[values: .setCookie] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map { String($0) }
            cookies[pair[0]] = pair.count == 2 ? pair[1] : nil
        }
        return reply
    }
}
