import CarnetDescriptors
import CarnetHTTP
import CarnetHummingbird
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Testing

/// The demonstration in front of a real browser: the three samples, by their descriptors alone, and what goes wrong.
@Suite("Chromium", .serialized, .timeLimit(.minutes(20)))
struct ChromiumTests {
    private let home: CommandHome
    private let port: Int

    init() throws {
        home = try CommandHome()
        port = try Sample.freePort()
    }

    @Test("MyGoogleInfo shows the names and the picture, refreshes, and is restored after a restart")
    func myGoogleInfoShowsTheNames() async throws {
        let sandbox = try await RunningSandbox(home, "google", "--ask")
        func demo() async throws -> RunningDemo {
            try await RunningDemo(home, port: port, ["--sandbox", sandbox.address, "--store", "kept"])
        }
        var running = try await demo()
        try await BrowserScenario(name: "google_info").play(at: running.address) { _ in
            try await running.stop()
            running = try await demo()
            return ""
        }
        try await running.stop()
        let kept = home.folder.appending(path: "kept").path
        #expect(try posixPermissions(kept) == 0o700 && (try posixPermissions(kept + "/cookie-key")) == 0o600)
    }

    @Test("simple-pkce signs in ephemerally, and has a button for each granted scope")
    func simplePkceSignsInEphemerally() async throws {
        let fixture = BuiltProduct.package.appending(path: "Tests/Modules/CarnetCommandTests/Fixtures/scopeData.json")
        let map = try String(contentsOf: fixture, encoding: .utf8)
        try home.write(map, to: "scopeData.json")
        let running = try await RunningDemo(home, port: port, ["--map", "scopeData.json"])
        try await BrowserScenario(name: "simple_pkce").play(at: running.address) { [home] ask in
            let changed = map.replacing("\"Balance\"", with: "\"Balance of the day\"")
            try home.write(ask == "rename" ? changed : changed + "]", to: "scopeData.json")
            return ""
        }
    }

    @Test("centralized-login sends JSON and a state, says hello, and toggles its button")
    func centralizedLoginSendsJSON() async throws {
        let running = try await RunningDemo(home, port: port)
        try await BrowserScenario(name: "centralized_login").play(at: running.address)
    }

    @Test(
        "Whatever goes wrong ends at a page that says so and offers the way on", arguments: ["bad_input", "no_cookies"])
    func whateverGoesWrongEnds(_ scenario: String) async throws {
        let running = try await demoOfThree()
        try await BrowserScenario(name: scenario).play(at: running.address) { ask in
            // What the page said, under its reference: the log has it too.
            let words = ask.split(separator: " ", maxSplits: 2)
            _ = try await running.run.line(of: .standardError) {
                $0.contains("id=\(words[1])") && $0.contains("problem=\"\(words[2])\"")
            }
            return ""
        }
    }

    @Test("Every page works by keyboard and without a script, and files and registrations are taken in")
    func everyPageWorksByKeyboard()
        async throws
    {
        let realPort = try Sample.freePort()
        let real = "http://127.0.0.1:\(realPort)"
        let umbrella = Sample.acme(issuer: real).replacing("acme", with: "umbrella").replacing("Acme", with: "Umbrella")
        try home.write(umbrella, to: "providers/umbrella.yaml")
        let callback = "http://127.0.0.1:\(port)/callback/umbrella"
        let registration = "umbrella: { client_id: own-client, redirect_uri: \"\(callback)\" }\n"
        try home.write(registration, to: "clients.yaml")
        // What the demonstration takes for the real provider.
        let server = try home.start([
            "sandbox", "umbrella", "--port", "\(realPort)", "--ask", "--clients", "clients.yaml",
        ])
        _ = try await server.line(0, of: .standardOutput)
        let running = try await demoOfThree("--clients", "clients.yaml")
        let initech = Sample.acme().replacing("acme", with: "initech").replacing("Acme", with: "Initech")
        try await BrowserScenario(name: "tour").play(at: running.address) { [home] ask in
            switch ask {
            case "drop in":
                try home.write(initech, to: "providers/initech.yaml")
                _ = try await running.run.line(of: .standardError) { $0.hasPrefix("initech was reloaded") }
            case "break":
                try home.write(initech.replacing("scopes:", with: "scope:"), to: "providers/initech.yaml")
                _ = try await running.run.line(of: .standardError) { $0.contains("initech.yaml:") }
            case "remove":
                try FileManager.default.removeItem(at: home.folder.appending(path: "providers/initech.yaml"))
                _ = try await running.run.line(of: .standardError) { $0.hasPrefix("initech was removed") }
            default: return real
            }
            return ""
        }
    }

    @Test("Five lines of a server sign in, with the pages that come with them")
    func fiveLinesOfAServerSign() async throws {
        let (realPort, origin) = (try Sample.freePort(), "http://127.0.0.1:\(port)")
        let acme = Sample.acme(issuer: "http://127.0.0.1:\(realPort)") + "display: { color: \"#2457a6\" }\n"
        try home.write(acme, to: "providers/acme.yaml")
        let callback = origin + "/sign-in/acme/callback"
        try home.write("acme: { client_id: own-client, redirect_uri: \"\(callback)\" }\n", to: "clients.yaml")
        let provider = try home.start([
            "sandbox", "acme", "--port", "\(realPort)", "--ask", "--clients", "clients.yaml",
        ])
        _ = try await provider.line(0, of: .standardOutput)
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: acme))
        let client = try OAuthClient(
            try #require(document.descriptor, "\(document.diagnostics)"),
            registration: ClientRegistration(clientID: "own-client", redirectURI: callback),
            transport: AsyncHTTPTransport(localAccess: .all)
        )
        let router = Router(context: BasicSignInRequestContext.self)
        let keys = KeyRing(try EncryptionKey([UInt8](repeating: 7, count: 32)))
        let signIn = try WebSignIn(ProviderClients([client]), origin: origin, keys: keys)
        router.add(middleware: SignInMiddleware(signIn))
        router.group().add(middleware: RequireSignIn()).get("/") { _, context in
            "Hello, \(context.signIn.account?.name ?? "stranger")"
        }
        router.get("/leave") { _, _ in
            let page = "<form method=\"post\" action=\"/sign-out\"><button>Sign out</button></form>"
            return Response(
                status: .ok, headers: [.contentType: "text/html"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
        }
        try await serving(router) { try await BrowserScenario(name: "plain_pages").play(at: origin) }
    }

    private func serving(_ router: Router<BasicSignInRequestContext>, _ body: () async throws -> Void) async throws {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in start.yield() },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let running = Task { try await application.run() }
        defer { running.cancel() }
        for await _ in starts.prefix(1) { try await body() }
    }

    private func demoOfThree(_ arguments: String...) async throws -> RunningDemo {
        try home.write(Sample.acme(), to: "providers/acme.yaml")
        let globex = Sample.acme().replacing("acme", with: "globex").replacing("Acme", with: "Globex")
        try home.write(globex, to: "providers/globex.yaml")
        let posting = Sample.acme().replacing("acme", with: "posting").replacing("Acme", with: "Posting")
        try home.write(posting + "authorization: { response_mode: form_post }\n", to: "providers/posting.yaml")
        return try await RunningDemo(home, port: port, arguments)
    }

    private func posixPermissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
