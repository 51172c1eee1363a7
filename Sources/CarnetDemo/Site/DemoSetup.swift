package import Carnet
package import CarnetDescriptors
import CarnetFoundation
import CarnetHummingbird
package import CarnetSandbox
import CarnetTesting
package import CarnetTransport
package import CarnetWeb
package import Logging

/// The clients of the demonstration: real ones for the providers that have a registration, test clients at a sandbox
/// for all others.
package final class DemoSetup: Sendable {
    /// The sandbox that stands for the providers without a registration.
    package enum Stage: Sendable {
        case own(Sandbox)
        case running(SandboxAddress)
    }

    let registry: ProviderRegistry
    let clients = ProviderClients([])
    let flow = FlowLog()
    let news = DemoNews()
    /// Where sign-ins with real providers, and with a sandbox that runs elsewhere, are kept.
    let store: any TokenStore
    /// The demo's own sandbox knows no token after a restart: to keep one would be to keep a session that is over.
    let passingStore = MemoryTokenStore()
    package let stage: Stage
    private let origin: String
    private let registration: @Sendable (ProviderDescriptor) throws -> ClientRegistration?
    private let network: @Sendable (LocalAccess) -> any Transport
    let trial: DescriptorReport.Trial
    private let sandboxed = Lock<Set<ProviderID>>([])

    /// - Parameters:
    ///   - running: A sandbox elsewhere, instead of one of its own.
    ///   - transport: Makes the transport to real servers.
    ///   - registration: What is registered for a provider; `nil` if nothing.
    ///   - refuse: Called with the reason why a provider is skipped.
    package init(
        _ registry: ProviderRegistry, origin: String, store: any TokenStore = MemoryTokenStore(),
        running: SandboxAddress? = nil, transport: @escaping @Sendable (LocalAccess) -> any Transport,
        trial: @escaping DescriptorReport.Trial,
        registration: @escaping @Sendable (ProviderDescriptor) throws -> ClientRegistration?,
        refuse: (ProviderDescriptor, any Error) -> Void
    ) async {
        self.registry = registry
        self.origin = origin
        self.store = store
        self.registration = registration
        (network, self.trial) = (transport, trial)
        stage =
            running.map { .running($0) }
            ?? .own(
                Sandbox(
                    providers: [], clients: [:] as [ProviderID: [SandboxClient]],
                    options: SandboxOptions(approval: .page, offersFaults: true, slowness: .seconds(1))))
        for entry in registry.entries {
            do {
                clients.replace(try await client(of: entry.descriptor))
            } catch {
                refuse(entry.descriptor, error)
            }
        }
    }

    /// The client of a descriptor, which the sandbox stands for from now on if nothing is registered.
    ///
    /// - Throws: `ResolutionError`; `NoSignIn`.
    func client(of descriptor: ProviderDescriptor) async throws -> OAuthClient {
        let real = try self.registration(descriptor)
        var registration = if let real { real } else { try await simulatedRegistration(of: descriptor) }
        registration.redirectURI = origin + DemoSite.callbackPath(of: descriptor.id)
        sandboxed.withLock { ids in
            if real == nil { ids.insert(descriptor.id) } else { ids.remove(descriptor.id) }
        }
        var descriptor = descriptor
        // The sandbox takes the demonstration's own address, also where the provider wants https.
        if real == nil { descriptor.redirects = [] }
        let provider = try descriptor.resolve(inputs: registration.inputs, clientID: registration.clientID)
        if let obstacle = provider.obstacleToSites { throw NoSignIn(obstacle: obstacle) }
        return try OAuthClient(
            descriptor, registration: registration, transport: transport(to: provider),
            store: real == nil && isOwnSandbox ? passingStore : store, observer: FlowObserver(provider: descriptor.id))
    }

    private var isOwnSandbox: Bool { if case .own = stage { true } else { false } }

    private func simulatedRegistration(of descriptor: ProviderDescriptor) async throws -> ClientRegistration {
        let inputs = descriptor.exampleInputs(clientID: SimulatedClient.clientID)
        let provider = try descriptor.resolve(inputs: inputs)
        let simulated = SimulatedClient(
            for: provider, redirectURI: origin + DemoSite.callbackPath(of: provider.id),
            postLogoutRedirectURI: isOwnSandbox ? origin + WebSignIn.Paths().signedOut : nil, inputs: inputs,
            prefersSecret: false)
        if case .own(let sandbox) = stage {
            await sandbox.impersonate(provider, clients: [simulated.sandboxClient])
        }
        return simulated.registration
    }

    func transport(to provider: Provider) -> any Transport {
        guard isSandboxed(provider.id) else { return network(.named(by: provider)) }
        return switch stage {
        case .own(let sandbox): SandboxTransport(sandbox)
        case .running(let address): RemoteSandboxTransport(address, over: network(.all))
        }
    }

    /// Whether the sandbox stands for a provider.
    func isSandboxed(_ provider: ProviderID) -> Bool { sandboxed.withLock { $0.contains(provider) } }

    /// Whether a page is one of a provider that the sandbox stands for.
    func isSandboxed(_ page: WebURL) -> Bool {
        let ids = sandboxed.withLock { $0 }
        return ids.contains { clients[$0]?.provider.has(page) == true }
    }

    /// The site, which people reach at the origin.
    ///
    /// - Parameters:
    ///   - keys: Encrypt its cookies.
    ///   - sandbox: Where a browser finds the sandbox.
    ///   - logger: Receives the same problems as the pages, with the same references.
    package func site(keys: KeyRing, sandbox: SandboxAddress?, map: String? = nil, logger: Logger) throws -> DemoSite {
        let pages = DemoPages()
        return DemoSite(
            setup: self, web: try WebSignIn(clients, origin: origin, keys: keys, pages: pages, logger: logger),
            pages: pages, sandbox: sandbox, resources: map.map { DemoResources(path: $0, news: news) })
    }

    /// Reads folders again and again.
    ///
    /// - Throws: `CancellationError`.
    package func watch(
        _ folders: [String], every interval: Duration, report: @Sendable (ProviderFolders.Reload) -> Void
    ) async throws {
        let watched = ProviderFolders(folders, beside: registry, clients: clients) { [self] descriptor in
            try await client(of: descriptor)
        }
        try await watched.watch(every: interval) { [news] reload in
            news.note(reload.problems, at: "folders")
            report(reload)
        }
    }
}

/// A site needs a page to send people to, and a profile to know who signed in.
private struct NoSignIn: Error, CustomStringConvertible {
    let obstacle: String
    var description: String { "it has \(obstacle)" }
}

extension Provider {
    /// Whether a page is on the host of one of the endpoints, or of the issuer.
    fileprivate func has(_ url: WebURL) -> Bool {
        self.endpoints.urls.values.contains { $0.origin == url.origin }
            || self.issuer.map { (try? WebURL($0).origin) == url.origin } ?? false
    }
}
