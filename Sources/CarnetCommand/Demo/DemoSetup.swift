import Carnet
import CarnetHTTP
import CarnetHummingbird
import CarnetSandbox
import CarnetWeb

/// The clients of the demonstration: real ones for the providers that have a registration, pretend ones at a sandbox for
/// all others.
struct DemoSetup {
    let sandbox: Sandbox
    let flow = FlowLog()
    let store = MemoryTokenStore()
    private let clients: ProviderClients
    private let sandboxed: Set<ProviderID>
    private let registry: ProviderRegistry
    private let origin: String

    /// - Parameters:
    ///   - registration: What is registered for a provider; `nil` if nothing.
    ///   - refuse: Told why a provider is left out.
    init(
        _ registry: ProviderRegistry,
        origin: String,
        registration: (ProviderDescriptor) throws -> ClientRegistration?,
        refuse: (ProviderDescriptor, any Error) -> Void
    ) throws {
        var impersonated: [Provider] = []
        var known: [ProviderID: [SandboxClient]] = [:]
        var made: [(descriptor: ProviderDescriptor, registration: ClientRegistration, isReal: Bool)] = []
        let redirectURI = origin + DemoSite.callbackPath
        for entry in registry.entries {
            do {
                if var own = try registration(entry.descriptor) {
                    own.redirectURI = redirectURI
                    made.append((entry.descriptor, own, true))
                    continue
                }
                let inputs = entry.descriptor.exampleInputs([:])
                let provider = try entry.descriptor.resolve(inputs: inputs)
                let pretend = PretendClient(
                    for: provider, redirectURI: redirectURI, inputs: inputs, prefersSecret: false)
                impersonated.append(provider)
                var client = pretend.sandboxClient
                client.postLogoutRedirectURIs = [origin + "/"]
                known[provider.id] = [client]
                made.append((entry.descriptor, pretend.registration, false))
            } catch {
                refuse(entry.descriptor, error)
            }
        }
        let sandbox = Sandbox(
            providers: impersonated,
            clients: known,
            options: SandboxOptions(approval: .page, offersFaults: true)
        )
        clients = ProviderClients(
            try made.map { [flow, store] item in
                try OAuthClient(
                    item.descriptor,
                    registration: item.registration,
                    transport: item.isReal
                        ? AsyncHTTPTransport(
                            localAccess: .named(by: try item.descriptor.resolve(inputs: item.registration.inputs)))
                        : SandboxTransport(sandbox: sandbox),
                    store: store,
                    observer: FlowObserver(provider: item.descriptor.id, log: flow)
                )
            })
        sandboxed = Set(impersonated.map(\.id))
        self.sandbox = sandbox
        self.registry = registry
        self.origin = origin
    }

    /// - Parameter address: Where a browser finds the sandbox.
    func site(_ address: SandboxAddress) throws -> DemoSite {
        let pages = try DemoPages()
        let keys = KeyRing(try SealingKey(SystemRandomSource().bytes(count: 32)))
        return DemoSite(
            web: try WebSignIn(clients, origin: origin, keys: keys, pages: pages),
            registry: registry, flow: flow, pages: pages, sandboxed: sandboxed, sandbox: address)
    }
}
