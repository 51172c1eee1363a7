import Carnet
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol
import CarnetSandbox
import CarnetStorage
import CarnetTesting
import CarnetTransport

/// Makes clients: with the registration that was found, over the network or to a running sandbox, on the user's store.
struct Connector {
    let store: FileTokenStore
    /// The sandbox that stands for every provider, if one does.
    let sandbox: SandboxAddress?
    /// The options that commands which a message names need, too: the sandbox, the environment and the folders.
    let givenOptions: String
    private let registrations: Registrations
    private let console: Console
    private let deadline: Duration
    private let reach: ReachOptions
    private let environment: HostEnvironment

    /// - Parameter deadline: How long one exchange may take, unless it is as the options say.
    /// - Throws: `Failure`; `TokenStoreError` if the store cannot be used.
    init(
        _ network: NetworkOptions, _ client: ClientOptions, _ sources: ProviderSources, _ context: CommandContext,
        deadline: Duration? = nil
    ) throws {
        sandbox = try network.sandbox.map(Self.address)
        givenOptions =
            (sandbox.map { " --sandbox \($0.base.text)" } ?? "") + client.input.environmentOption + sources.option
        registrations = try Registrations(client, sources.registry, context)
        store = try UserStore(context.environment).tokens(
            ofSandbox: sandbox != nil, lockPatience: network.timeout.map { .seconds($0) } ?? UserStore.lockPatience)
        console = context.console
        (reach, environment) = (network.reach, context.environment)
        self.deadline = deadline ?? network.deadline
    }

    /// - Throws: `Failure` if it is no address of a sandbox.
    static func address(_ text: String) throws -> SandboxAddress {
        let url = try WebURL(
            given: text.hasSuffix("/") ? String(text.dropLast()) : text, as: "--sandbox \(text)")
        guard url.path.isEmpty, url.query == nil, url.isLoopback else {
            throw Failure(
                .usage, "--sandbox needs an address of this machine without a path, such as http://127.0.0.1:8400")
        }
        return SandboxAddress(url)
    }

    /// The environment variables with secrets, as far as options and files name them.
    var secretVariables: Set<String> { registrations.secretVariables }

    /// The provider to sign in at: that of an id, or of a resource, whose metadata are read again.
    ///
    /// - Parameter asks: Whether somebody at the terminal can confirm a host.
    /// - Throws: `Failure`, `UnknownProviderError`.
    func entryToSignIn(
        _ name: String, _ sources: ProviderSources, _ context: CommandContext, _ found: FoundServerOptions,
        asks: Bool = true
    ) async throws -> ProviderRegistry.Entry {
        guard ProviderSources.isResource(name) else { return try sources.entry(name) }
        let resource = try ProviderSources.resource(name)
        let unknown = try ProviderRegistry().entry(ofResource: resource)
        let confirmation = ServerConfirmation(
            resource: name, known: try? sources.entry(nameOrResource: name).descriptor, hosts: found.authorizationHosts,
            asks: asks, console: context.console)
        let entry = try await ProviderFailure(entry: unknown, givenOptions: givenOptions).explaining {
            try await context.console.showing("asking \(resource.authority)") {
                try await Discovery(
                    transport: network(for: unknown.descriptor.resolve()), limits: TransportLimits(deadline: deadline),
                    observer: console.observer
                ).entry(
                    ofResource: resource.text, among: sources.registry, at: confirmation.chosenHosts,
                    accepting: confirmation.accepted)
            }
        }
        try KnownResources(context.environment).save(entry)
        // The server may be another operator's, and may not restrict its tokens to the resource (RFC 8707).
        if let server = (entry.descriptor.issuer?.source).flatMap({ try? WebURL($0) }), server.host != resource.host {
            context.console.note(
                "signing in at \(server.authority): \(resource.authority) receives what you grant there".printable)
        }
        return entry
    }

    /// - Parameters:
    ///   - stored: The account that it is for; without one, a client of a resource may be registered.
    ///   - document: The URL of the client's metadata, for a server that takes it as a client id.
    ///   - isNew: Whether a stored client of a resource is forgotten.
    ///   - scopes: Those that a new client of a resource registers; by default all that the resource names.
    /// - Throws: `Failure` if there is no client id.
    func registration(
        for entry: ProviderRegistry.Entry, stored: Connection? = nil, prefersSecret: Bool = false,
        registering document: String? = nil, again isNew: Bool = false, requesting scopes: [String] = []
    ) async throws -> ClientRegistration {
        guard sandbox != nil else {
            // A client that registers itself has no token of its own.
            let registered =
                try await prefersSecret
                ? nil : registeredClient(for: entry, stored: stored, document, isNew: isNew, scopes)
            // Somebody registered this client as the advice says.
            let advised = KnownResources.url(of: entry).map { _ in KnownResources.redirectURI(of: entry.descriptor.id) }
            return try registered
                ?? registrations.registration(for: entry.descriptor, stored: stored, usualURI: advised)
        }
        let source = try registrations.source(for: entry.descriptor, stored: stored)
        let descriptor = try entry.descriptor.variant(source.environment)
        let inputs = descriptor.exampleInputs(source.inputs, clientID: SimulatedClient.clientID)
        guard source.clientID == nil || source.clientID == SimulatedClient.clientID else {
            return SimulatedClient.registration(
                insteadOf: try registrations.registration(for: entry.descriptor, stored: stored, from: source),
                inputs: inputs)
        }
        return SimulatedClient(
            for: try descriptor.resolve(inputs: inputs),
            redirectURI: source.redirectURI ?? ClientRegistration.loopbackURI(for: descriptor)
                ?? "http://127.0.0.1/callback",
            inputs: inputs, scopes: source.scopes,
            clientID: prefersSecret ? SimulatedClient.confidentialClientID : SimulatedClient.clientID,
            prefersSecret: prefersSecret
        ).registration
    }

    /// The client of a resource, of which nobody configured the id.
    ///
    /// - Returns: `nil` if the configuration has one, or the account has another.
    private func registeredClient(
        for entry: ProviderRegistry.Entry, stored: Connection?, _ document: String?, isNew: Bool, _ scopes: [String]
    ) async throws -> ClientRegistration? {
        guard try registersItself(at: entry) else { return nil }
        let source = try registrations.source(for: entry.descriptor)
        let provider = try entry.descriptor.variant(source.environment).resolve(inputs: source.inputs)
        func registering(at uri: String) -> AutomaticRegistration {
            AutomaticRegistration(
                ClientMetadata(
                    redirectURIs: [source.redirectURI ?? uri], clientName: "Carnet", scopes: source.scopes ?? scopes),
                document: document, by: registrar(for: provider), store: store)
        }
        let known = try await registering(at: KnownResources.redirectURI(of: provider.id))
            .knownRegistration(at: provider, evenExpired: stored != nil)
        guard let stored else {
            let isBusy = source.redirectURI == nil && known.map { KnownResources.isInUse($0.redirectURI) } == true
            if isBusy { console.note("the port of the redirect URI is in use; registering a client with another") }
            let forgets = isNew || isBusy ? true : try await isForgotten(known, of: entry)
            let uri = forgets ? nil : known?.redirectURI
            let registering = registering(at: uri ?? KnownResources.freeRedirectURI(of: provider.id))
            if forgets { try await registering.forget(at: provider) }
            do {
                let made = try await console.showing("registering a client") {
                    try await registering.registration(at: provider)
                }
                if let document, !made.clientID.isSameBytes(as: document) {
                    console.warn(
                        "--client-id-document is not used: "
                            + (forgets || known == nil
                                ? "the server does not announce client_id_metadata_document_supported, so a client was registered"
                                : "a client was registered earlier; to forget it, add --register-again to carnet login")
                    )
                }
                return made
            } catch let error as OAuthError
                where error.step == .registration && error.status != nil && error.kind != .tooManyRequests
            {
                let isAssumed = provider.discovery == .off && KnownResources.url(of: entry) != nil
                let byHand = Advice.registeringByHand(KnownResources.redirectURI(of: provider.id))
                let localhost = "if the server takes only localhost, add --redirect-uri http://localhost/callback"
                let advice = error.server?.code == "invalid_redirect_uri" ? "\(localhost); or \(byHand)" : byHand
                throw error.meaning(
                    error.kind,
                    (isAssumed ? "\(entry.descriptor.name) has no metadata; at the usual place /register, " : "")
                        + error.message,
                    hint: error.disposition == .tryLater
                        ? "try again later; if it fails again, \(advice)"
                        : isAssumed
                            ? "check the URL, which may need another credential than a sign-in; or \(advice)" : advice)
            }
        }
        if let known, known.clientID.isSameBytes(as: stored.clientID) { return known }
        throw Failure(
            .failed, "the client that \(stored.key.account) signed in with is no longer registered",
            next: ["run carnet login \(provider.id) --account \(stored.key.account.shellWord)".printable])
    }

    /// Whether the server no longer knows the client that registered itself. Many servers show an error page then, which sends
    /// nothing back, so it is found out before a page is opened: by a refresh for an account of the client. A client without
    /// an account is not worth the risk.
    private func isForgotten(_ known: ClientRegistration?, of entry: ProviderRegistry.Entry) async throws -> Bool {
        guard let known else { return false }
        var own: Connection?
        var isUsed = false
        for key in try await store.inventory().accounts {
            guard let account = try? await load(key), account.clientID.isSameBytes(as: known.clientID) else { continue }
            isUsed = true
            if account.key.provider.isSameBytes(as: entry.descriptor.id.rawValue), account.tokens.refreshToken != nil {
                own = account
            }
        }
        guard let own else { return !isUsed }
        do {
            _ = try await client(for: entry, registration: known).session(for: own.key.account)?.refresh()
            return false
        } catch let error as OAuthError {
            guard error.isOfForgottenClient else { return false }
            console.note("\(entry.descriptor.name) no longer knows the client; registering another".printable)
            return true
        }
    }

    /// Whether the client of a provider registers itself.
    ///
    /// - Throws: `Failure`.
    func registersItself(at entry: ProviderRegistry.Entry) throws -> Bool {
        try sandbox == nil && entry.descriptor.resource != nil
            && registrations.source(for: entry.descriptor).clientID == nil
    }

    /// - Throws: `ResolutionError`.
    func client(for entry: ProviderRegistry.Entry, registration: ClientRegistration) throws -> OAuthClient {
        sayFiles(of: entry)
        let provider = try entry.descriptor.variant(registration.environment).resolve(
            inputs: registration.inputs, clientID: registration.clientID)
        return try OAuthClient(
            sandbox == nil ? entry.descriptor : entry.descriptor.signing(for: Sandbox.audience),
            registration: registration,
            transport: SeparateStreams(transport: network(for: provider), streams: network(for: provider)),
            store: store, limits: TransportLimits(deadline: deadline), observer: console.observer)
    }

    /// Says which files decide where credentials go.
    private func sayFiles(of entry: ProviderRegistry.Entry) {
        guard !entry.files.isEmpty else { return }
        console.remark("using the descriptor \(entry.files.map(\.printable).joined(separator: ", which extends "))")
    }

    /// Registers clients with the provider of a descriptor, or with the sandbox that stands for it.
    func registrar(at provider: Provider, of entry: ProviderRegistry.Entry) -> ClientRegistrar {
        sayFiles(of: entry)
        return registrar(for: provider)
    }

    private func registrar(for provider: Provider) -> ClientRegistrar {
        ClientRegistrar(
            transport: network(for: provider), limits: TransportLimits(deadline: deadline), observer: console.observer)
    }

    /// For the messages to a resource that may require no sign-in.
    func transport(to resource: WebURL) throws -> any Transport {
        SeparateStreams(transport: network(for: [resource.host]), streams: network(for: [resource.host]))
    }

    /// The network, or the sandbox that stands for a provider.
    private func network(for provider: Provider) -> any Transport { network(for: provider.namedHosts) }

    private func network(for hosts: Set<String>) -> any Transport {
        sandbox.map { RemoteSandboxTransport($0, over: makeNetworkTransport(localAccess: .all)) }
            ?? reach.transport(to: hosts, environment)
    }

    /// Where a page of the provider is: there, or in the sandbox that stands for it.
    func shownURL(_ url: String) -> String {
        guard let sandbox, let url = try? WebURL(url) else { return url }
        return sandbox.sandboxURL(for: url)
    }

    /// The agent, but for the sandbox's pages if there is a sandbox.
    func agent(_ agent: any UserAgent) -> any UserAgent {
        sandbox.map { RemoteSandboxUserAgent($0, over: agent) } ?? agent
    }
}

extension OAuthError {
    /// Whether the server does not know the client, which registered itself: its credentials are not mistyped (RFC 6749,
    /// section 5.2). Servers also say so with a code or a status of their own.
    var isOfForgottenClient: Bool {
        [.tokenRequest, .refresh, .callback, .pushedAuthorization].contains(step)
            && (server?.code.contains("client") ?? (status == 401))
    }
}
