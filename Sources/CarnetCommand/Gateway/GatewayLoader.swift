import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetResourceServer
import CarnetStorage
import CarnetTransport
import CarnetWeb
import Logging

/// Makes the gateway of its file: providers, registrations, secrets, keys and the store.
final class GatewayLoader: Sendable {
    struct Options: Sendable {
        let path: String
        let providers: [String]
        let clients: String?
    }

    /// All that one version was made of. A version with the same inputs is the same.
    struct Inputs: Equatable {
        fileprivate var files: [SourceFile?] = []
    }

    private let options: Options
    private let context: CommandContext
    private let sandbox: GatewaySandbox?
    private let logger: Logger
    /// Opened once: a version with another store needs a new start.
    private let opened = Lock<(places: [SecretPlace?], store: GatewayStore)?>(nil)
    private let memory = MemoryTokenStore()
    private let memoryKeys: KeyRing

    init(_ options: Options, _ context: CommandContext, sandbox: GatewaySandbox?, logger: Logger) throws {
        self.options = options
        self.context = context
        self.sandbox = sandbox
        self.logger = logger
        memoryKeys = KeyRing(try EncryptionKey(SystemRandomSource().bytes(count: 32)))
    }

    private var folder: String { Path.folder(of: options.path) }

    /// What the file, its secrets and the folders of providers contain now.
    func inputs() -> Inputs {
        var inputs = Inputs()
        let file = try? SourceFile(readingFrom: options.path)
        inputs.files.append(file)
        let rules = file.flatMap { GatewayFile($0).rules }
        for path in rules?.secretFiles ?? [] {
            inputs.files.append(try? SourceFile(readingFrom: Path.below(folder, path), maximumBytes: 1 << 18))
        }
        if let path = options.clients { inputs.files.append(try? SourceFile(readingFrom: path)) }
        let unnamed = Path.isFolder(ProviderSources.unnamedFolder) ? [ProviderSources.unnamedFolder] : []
        for path in options.providers + context.environment.providerFolders + unnamed {
            inputs.files += (try? DescriptorFolder(path).files().read) ?? []
        }
        return inputs
    }

    /// - Throws: `Failure`, with the mistakes of the file.
    func load() async throws -> GatewayVersion {
        let file = try SourceFile(readingFrom: options.path)
        let read = GatewayFile(file)
        guard let rules = read.rules, !read.diagnostics.contains(where: { $0.severity == .error }) else {
            throw Failure(diagnostics: read.diagnostics, in: file, context.console)
        }
        let gateway = try Gateway(read)
        let sources = try ProviderSources(
            ProviderOptions.parse(options.providers.flatMap { ["--providers", $0] }), context)
        let registrations = try Registrations(
            ClientOptions.parse(options.clients.map { ["--clients", $0] } ?? []), sources.registry, context)
        let (store, keys) = try await store(rules)
        var clients: [OAuthClient] = []
        for provider in rules.providers {
            let entry = try sources.entry(provider.id.rawValue)
            clients.append(
                try await ProviderFailure(entry: entry).explaining {
                    try await client(of: provider, entry.descriptor, rules, registrations, store)
                })
        }
        let table = ProviderClients(clients)
        let web = try WebSignIn(
            table, origin: rules.origin.site, keys: keys, paths: GatewayPaths.web,
            sessionLifetime: Double(rules.session.lifetime), claims: rules.claimNames, pages: rules.signInPages,
            logger: logger)
        let issuers = try rules.bearer.map { issuer in
            // A rule of lint rejects a file with another one.
            guard let client = table[issuer.provider] else { throw Failure(.usage, "bearer has an unknown provider") }
            return TokenIssuer(
                client, audiences: issuer.audiences.isEmpty ? [rules.origin.site] : issuer.audiences,
                introspectsOpaqueTokens: issuer.introspects)
        }
        let secret = try rules.proxy.secret.map { try $0.value(below: folder, context.environment, "proxy.secret") }
        return GatewayVersion(
            gateway, web: web, issuers: issuers, usedProofs: store as? any UsedTokenStore, proxySecret: secret,
            identityKeys: try identityKeys(rules, keys))
    }

    private func store(_ rules: GatewayRules) async throws -> (any TokenStore, KeyRing) {
        guard sandbox == nil else { return (memory, memoryKeys) }
        let known = opened.withLock { $0 }
        if let known {
            guard known.places == rules.session.places else {
                throw Failure(.usage, "session.store or session.key has changed, and needs a new start")
            }
            return (known.store.tokens, try await known.store.keys())
        }
        let store = try GatewayStore(rules.session, below: folder, context.environment)
        let keys = try await store.keys()
        try await store.tokens.prepareToSave(ConnectionKey(provider: "", account: ""))
        opened.withLock { $0 = (rules.session.places, store) }
        return (store.tokens, keys)
    }

    private func client(
        of provider: GatewayProvider, _ descriptor: ProviderDescriptor, _ rules: GatewayRules,
        _ registrations: Registrations, _ store: any TokenStore
    ) async throws -> OAuthClient {
        if let sandbox {
            return try await sandbox.client(
                of: descriptor, scopes: provider.scopes, at: rules.origin, store: store)
        }
        var own = ClientSource()
        own.clientID = provider.clientID
        if let name = provider.clientIDVariable {
            own.clientID = try SecretPlace.environment(name).value(below: folder, context.environment, "client_id")
                .reveal()
        }
        own.clientSecret = try provider.clientSecret.map {
            try $0.value(below: folder, context.environment, "client_secret of \(provider.id)")
        }
        own.inputs = Dictionary(provider.inputs.items.map { ($0.name, $0.value) }) { $1 }
        own.environment = provider.environment
        // A registration of the file is complete. Values of other places are for other clients.
        let source =
            own.clientID == nil
            ? ClientSource(merging: [own, try registrations.source(for: descriptor)]) : own
        if !descriptor.isFromNamedPlace, source.credential != nil {
            throw Registrations.untrusted(descriptor, with: "the \(source.credential ?? "secret")")
        }
        var registration = try registrations.registration(for: descriptor, from: source.at(rules, provider.id))
        let resolved = try descriptor.variant(registration.environment).resolve(inputs: registration.inputs)
        try resolved.requireProfile()
        if !provider.scopes.isEmpty {
            registration.scopes = (registration.scopes ?? resolved.scopes.defaults) + provider.scopes
        }
        return try OAuthClient(
            descriptor, registration: registration,
            transport: makeNetworkTransport(localAccess: .named(by: resolved)), store: store,
            usedTokens: store as? any UsedTokenStore, logger: logger)
    }

    /// The keys of `identity_token`: those of the file, else one for each key of the sessions, so that all replicas have
    /// the same and a rotation of one is a rotation of the other.
    private func identityKeys(_ rules: GatewayRules, _ keys: KeyRing) throws -> [ClientKey] {
        guard let token = rules.identityToken else { return [] }
        do {
            guard let place = token.key else {
                return try keys.derivedSecrets(for: "identity token of \(rules.origin.site)").map {
                    try ClientKey.p256($0, source: "identity_token.key")
                }
            }
            let text = try place.value(below: folder, context.environment, "identity_token.key")
            return try ClientKey.keys(in: text, id: nil, source: "identity_token.key").filter(\.canSign)
        } catch let error as ClientKeyError {
            throw Failure(.usage, "\(error.source) \(error.reason)", next: [error.hint].compactMap { $0 })
        }
    }
}

extension Provider {
    /// - Throws: `Failure` if nothing says who signs in.
    func requireProfile() throws {
        guard self.canHaveProfile else {
            throw Failure(.usage, "\(self.id) has no profile, and the gateway needs one to know who signed in")
        }
    }
}

extension ClientSource {
    /// With the gateway's callback.
    fileprivate func at(_ rules: GatewayRules, _ provider: ProviderID) -> ClientSource {
        var source = self
        source.redirectURI = rules.origin.site + GatewayPaths.callback(of: provider)
        return source
    }
}

extension GatewaySessionRules {
    /// Where the store and its keys are.
    fileprivate var places: [SecretPlace?] { [store, key] }
}

extension GatewayRules {
    /// The paths of the files that have secrets, as written.
    fileprivate var secretFiles: [String] {
        let places = [session.store, session.key, proxy.secret, identityToken?.key] + providers.map(\.clientSecret)
        return places.compactMap { if case .file(let path)? = $0 { path } else { nil } }
    }
}
