import Carnet
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetSandbox
import CarnetTesting
import CarnetWeb

/// A sandbox that stands for every provider of a gateway, so that nobody needs an account.
final class GatewaySandbox: Sendable {
    private let sandbox: Sandbox
    private let address = Lock<SandboxAddress?>(nil)

    /// - Parameter asks: Whether a page lets people choose the user, the scopes and a fault.
    init(asks: Bool) {
        sandbox = Sandbox(
            providers: [], clients: [:] as [ProviderID: [SandboxClient]],
            options: SandboxOptions(approval: asks ? .page : .automatic(.sample), offersFaults: asks))
    }

    /// Serves the providers' pages until the task is cancelled.
    func run(onStart: @escaping @Sendable () async -> Void) async throws {
        try await SandboxServer(sandbox: sandbox) { [self] found in
            address.withLock { $0 = found }
            await onStart()
        }.run()
    }

    /// A client for a provider that the sandbox simulates from now on.
    ///
    /// - Throws: `ResolutionError`; `Failure` if people cannot sign in with the provider.
    func client(
        of descriptor: ProviderDescriptor, for rules: GatewayProvider, inputs given: [String: String],
        at origin: WebURL, store: any TokenStore
    ) async throws -> OAuthClient {
        var descriptor = descriptor
        // The sandbox takes the gateway's address, also where the provider wants https.
        descriptor.redirects = []
        let inputs = descriptor.exampleInputs(given, clientID: SimulatedClient.clientID)
        let provider = try descriptor.resolve(inputs: inputs)
        if rules.signsIn { try provider.requireSignIn() }
        let simulated = SimulatedClient(
            for: provider, redirectURI: origin.site + GatewayPaths.callback(of: provider.id),
            postLogoutRedirectURI: rules.returnsAfterSignOut ? origin.site + GatewayPaths.signedOut : nil,
            inputs: inputs, prefersSecret: false)
        await sandbox.impersonate(provider, clients: [simulated.sandboxClient])
        var registration = simulated.registration
        if !rules.scopes.isEmpty {
            registration.scopes = provider.defaultScopes(of: registration) + rules.scopes
        }
        return try OAuthClient(
            descriptor, registration: registration, transport: SandboxTransport(sandbox), store: store)
    }

    /// Leads a browser to the sandbox instead of the provider.
    func redirecting(_ reply: WebReply) async -> WebReply {
        guard let location = reply.head.headerFields[.location],
            let url = try? WebURL(String(location.prefix { $0 != "#" })), let base = address.withLock(\.self),
            await sandbox.serves(originOf: url), let page = try? base.sandboxURL(forPage: String(location))
        else { return reply }
        var reply = reply
        reply.head.headerFields[.location] = page
        return reply
    }
}

extension Provider {
    /// The scopes that a client requests if it names none.
    func defaultScopes(of registration: ClientRegistration) -> [String] {
        scopeRules(of: values(registration, now: SystemWallClock().now, random: SystemRandomSource())).defaults
    }
}
