import Carnet
import CarnetApple
import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import CarnetTesting
import Foundation

/// An application and its provider, in this process.
struct SandboxedApp {
    static let redirectURI = "com.example.app:/callback"
    static let loggedOutURI = "com.example.app:/logged-out"

    let clock: ManualClock
    let sandbox: Sandbox
    let client: OAuthClient
    let descriptor: ProviderDescriptor

    /// - Parameter text: Lines of the descriptor besides the first three.
    init(_ text: String = "", store: any TokenStore = MemoryTokenStore(), faults: Set<SandboxFault> = []) throws {
        let clock = ManualClock()
        self.clock = clock
        var registry = ProviderRegistry()
        let lines = """
            carnet: 1
            id: acme
            name: Acme
            issuer: https://id.acme.example
            endpoints: { end_session: https://id.acme.example/logout }
            scopes: { default: [openid, profile, email], offline: [offline_access] }
            \(text)
            """
        registry.add([SourceFile(path: "acme.yaml", text: lines)], origin: .folder("tests"))
        descriptor = try registry.descriptor("acme")
        sandbox = Sandbox(
            providers: [try descriptor.resolve()],
            clients: [
                SandboxClient(
                    clientID: "client", redirectURIs: [Self.redirectURI],
                    postLogoutRedirectURIs: [Self.loggedOutURI])
            ],
            options: SandboxOptions(faults: faults), now: { clock.now })
        client = try Self.client(of: descriptor, at: sandbox, clock: clock, store: store)
    }

    /// The client that a process makes when it starts.
    static func client(
        of descriptor: ProviderDescriptor, at sandbox: Sandbox, clock: ManualClock, store: any TokenStore
    ) throws -> OAuthClient {
        try OAuthClient(
            descriptor,
            registration: ClientRegistration(
                clientID: "client", redirectURI: redirectURI, postLogoutRedirectURI: loggedOutURI),
            transport: SandboxTransport(sandbox), store: store, clock: clock)
    }

    func restarted(store: any TokenStore) throws -> OAuthClient {
        try Self.client(of: descriptor, at: sandbox, clock: clock, store: store)
    }

    /// A person who allows everything.
    var person: ScriptedUserAgent {
        ScriptedUserAgent { [sandbox] url, _ in [try await sandbox.approve(authorizationURL: url)] }
    }
}

/// The system's sheet, as a test plays it.
@MainActor
final class FakeSheet: SheetSession {
    let request: SheetRequest
    let onEnd: @Sendable (SheetEnd) -> Void
    let starts: Bool
    private(set) var isStarted = false
    private(set) var cancellations = 0

    init(_ request: SheetRequest, starts: Bool, onEnd: @escaping @Sendable (SheetEnd) -> Void) {
        self.request = request
        self.starts = starts
        self.onEnd = onEnd
    }

    func start() -> Bool {
        isStarted = starts
        return starts
    }

    func cancel() {
        cancellations += 1
        // As the system does.
        onEnd(.closed)
    }
}

/// The sheets of an application, in the order in which they were made.
@MainActor
final class FakeSheets {
    private(set) var requests: [SheetRequest] = []
    var starts = true
    /// Plays the user; the sheet waits without one.
    var user: (@Sendable (FakeSheet) async -> Void)?
    nonisolated let place: SheetPlace
    /// Those that are still in memory.
    weak var latest: FakeSheet?

    init() { place = SheetPlace() }

    nonisolated func agent(
        isEphemeral: Bool = false, headerFields: [String: String] = [:], takesHTTPS: Bool = true
    ) -> SheetUserAgent {
        SheetUserAgent(
            isEphemeral: isEphemeral, headerFields: headerFields, takesHTTPS: takesHTTPS, place: place
        ) { [weak self] request, onEnd in
            guard let self else { throw UserAgentError(.cannotPresent, "the test is over") }
            let sheet = FakeSheet(request, starts: starts, onEnd: onEnd)
            requests.append(request)
            latest = sheet
            if let user { Task { [weak sheet] in if let sheet { await user(sheet) } } }
            return sheet
        }
    }

    /// Waits until a sheet is on screen.
    func onScreen() async -> FakeSheet {
        while true {
            if let latest, latest.isStarted { return latest }
            await Task.yield()
        }
    }
}

/// The pages that an application opened in the browser.
final class ShownURLs: Sendable {
    private let urls = Lock<[URL]>([])
    var all: [URL] { urls.withLock(\.self) }
    func add(_ url: URL) { urls.withLock { $0.append(url) } }
}
