import ArgumentParser
import Carnet
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
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
        fileprivate var gateway: SourceFile?
        fileprivate var secrets: [SourceFile?] = []
        /// The clients files, the files that they name, and the descriptors.
        fileprivate var registrations: [SourceFile?] = []
    }

    private let options: Options
    private let context: CommandContext
    private let sandbox: GatewaySandbox?
    private let logger: Logger
    private let places: GatewayPlaces
    /// Opened once: a version with another store needs a new start.
    private let opened = Lock<(places: [SecretPlace?], store: GatewayStore)?>(nil)
    /// The ids of the keys that were in use last.
    private let keyIDs = Lock<[String]?>(nil)
    private let clients = Lock<[(parts: GatewayClientParts, client: OAuthClient)]>([])
    /// For a store that does not remember used proofs.
    private let usedProofs = MemoryUsedTokenStore.ofProofs()
    private let memory = MemoryTokenStore()
    private let memoryKeys: KeyRing

    init(_ options: Options, _ context: CommandContext, sandbox: GatewaySandbox?, logger: Logger) throws {
        self.options = options
        self.context = context
        self.sandbox = sandbox
        self.logger = logger
        places = GatewayPlaces(file: options.path)
        memoryKeys = KeyRing(try EncryptionKey(SystemRandomSource().bytes(count: 32)))
    }

    private var folder: String { places.folder }
    private var environment: HostEnvironment { context.environment }
    private var console: Console { context.console }

    /// What the file, its secrets, the clients files and the folders of providers contain now.
    func inputs() -> Inputs {
        var inputs = Inputs()
        func read(_ path: String) -> SourceFile? { try? SourceFile(readingFrom: path, maximumBytes: 1 << 18) }
        inputs.gateway = try? SourceFile(readingFrom: options.path)
        let rules = inputs.gateway.flatMap { GatewayFile($0).rules }
        inputs.secrets = (rules?.secretFiles ?? []).map { read(Path.below(folder, $0)) }
        if sandbox == nil, rules?.session.key == nil { inputs.secrets.append(read(GatewayStore.ownKey(environment))) }
        for path in [options.clients, Registrations.ownFile(environment)].compactMap({ $0 }) {
            let file = read(path)
            inputs.registrations += [file] + (file.map { ClientsFile($0).files } ?? []).map(read)
        }
        let configuration = ConfigurationFolder(environment)
        let folders = [configuration.resources, configuration.providers, ProviderSources.unnamedFolder]
        for path in options.providers + environment.providerFolders + folders.filter(Path.isFolder) {
            inputs.registrations += (try? DescriptorFolder(path).files().read) ?? []
        }
        return inputs
    }

    /// - Throws: `GatewayMistakes`: everything that is wrong, not only the first.
    func load() async throws -> GatewayVersion {
        try await version(creating: true).version
    }

    /// What a gateway would start with. Nothing is created.
    ///
    /// - Throws: As `load`.
    func check() async throws -> Summary { try await version(creating: false).summary }

    /// What a gateway works with, for a person.
    struct Summary {
        let rules: GatewayRules
        let store: String
        let key: String
        /// What lint finds, although the gateway can decide by the file.
        let findings: [Diagnostic]

        var line: String {
            let providers = rules.providers.map(\.id.rawValue).joined(separator: ", ")
            let routes = rules.routes.count
            return "origin \(rules.origin.site), providers \(providers), \(routes) route\(routes == 1 ? "" : "s"), "
                + "store \(store), key \(key)"
        }

        /// Prints the findings.
        func report(_ console: Console) {
            for finding in findings {
                console.warn((finding.description + (finding.help.map { "; \($0)" } ?? "")).printable)
            }
        }
    }

    /// Of the version that was loaded last.
    let lastSummary = Lock<Summary?>(nil)

    private func version(creating: Bool) async throws -> (version: GatewayVersion, summary: Summary) {
        var failures: [Failure] = []
        func attempt<Value>(_ body: () async throws -> Value) async -> Value? {
            do {
                return try await body()
            } catch {
                failures.append(Failure(describing: error))
                return nil
            }
        }
        let inputs = self.inputs()
        let file: SourceFile
        do throws(SourceFileError) {
            file = try SourceFile(readingFrom: options.path)
        } catch {
            throw GatewayMistakes([Failure(describing: error)])
        }
        let read = GatewayFile(file)
        guard let rules = read.rules, !read.diagnostics.contains(where: { $0.severity == .error }) else {
            throw GatewayMistakes(read.diagnostics, in: file)
        }
        let gateway = try Gateway(read)
        let sources: ProviderSources
        let registrations: Registrations
        do {
            sources = try ProviderSources(
                ProviderOptions.parse(options.providers.flatMap { ["--providers", $0] }), context)
            registrations = try Registrations(
                ClientOptions.parse(options.clients.map { ["--clients", $0] } ?? []), sources.registry, context)
        } catch {
            throw GatewayMistakes([Failure(describing: error)])
        }
        let findings = Linter(others: [GatewayFiles(registry: sources.registry)]).lint(files: [file]).diagnostics
        let refused = findings.filter { GatewayRuleCatalog.refused.contains($0.code) }
        guard refused.isEmpty else { throw GatewayMistakes(refused, in: file) }
        let found: OpenStore? = await attempt { try await self.store(rules, creating: creating) }
        let tokens: any TokenStore = found?.tokens ?? memory
        let known = self.clients.withLock { $0 }
        var clients: [(parts: GatewayClientParts, client: OAuthClient)] = []
        for provider in rules.providers {
            let secret = provider.clientSecret.flatMap {
                try? places.value(of: $0, "client_secret", provider.line(of:), environment)
            }
            let parts = GatewayClientParts(provider, secret, origin: rules.origin.site, inputs.registrations)
            if let same = known.first(where: { $0.parts == parts }) {
                clients.append(same)
                continue
            }
            let made: OAuthClient? = await attempt {
                let entry = try sources.entry(provider.id.rawValue)
                var failure = ProviderFailure(entry: entry)
                failure.writing = writing(provider, entry.descriptor)
                return try await failure.explaining {
                    try await self.client(of: provider, entry.descriptor, rules, registrations, tokens)
                }
            }
            if let made { clients.append((parts, made)) }
        }
        let secret: Secret?? = await attempt { () async throws -> Secret? in
            guard let place = rules.proxy.secret else { return nil }
            return try self.places.value(of: place, "secret", rules.proxy.line(of:), self.environment)
        }
        let signing: [ClientKey]? = await attempt {
            try self.identityKeys(rules, found?.keys ?? self.memoryKeys)
        }
        for place in rules.secretPlaces { places.checkMode(of: place, console) }
        if let secret = secret ?? nil, secret.reveal().utf8.count < Self.shortestSecret {
            places.warn("proxy.secret is short enough to be guessed; make one: openssl rand -hex 32", console)
        }
        guard failures.isEmpty, let found else { throw GatewayMistakes(failures) }
        let table = ProviderClients(clients.map(\.client), inOrder: rules.providers.map(\.id))
        let web = try WebSignIn(
            table, origin: rules.origin.site, keys: found.keys, paths: GatewayPaths.web,
            sessionLifetime: Double(rules.session.lifetime), claims: rules.claimNames, pages: rules.signInPages,
            logger: logger)
        let issuers = try rules.bearer.map { issuer in
            // A rule of lint rejects a file with another one.
            guard let client = table[issuer.provider] else { throw Failure(.usage, "bearer has an unknown provider") }
            return TokenIssuer(
                client, audiences: issuer.audiences, introspectsOpaqueTokens: issuer.introspects)
        }
        let version = GatewayVersion(
            gateway, web: web, issuers: issuers, usedProofs: tokens as? any UsedTokenStore ?? usedProofs,
            proxySecret: secret ?? nil, identityKeys: signing ?? [])
        let summary = Summary(rules: rules, store: found.name, key: found.key, findings: findings)
        lastSummary.withLock { $0 = summary }
        if creating { self.clients.withLock { $0 = clients } }
        return (version, summary)
    }

    /// In bytes.
    private static let shortestSecret = 16

    /// The store that the gateway opened; `nil` with a sandbox.
    var store: GatewayStore? { opened.withLock { $0?.store } }

    private struct OpenStore {
        let tokens: any TokenStore
        let keys: KeyRing
        let name: String
        let key: String
    }

    private func store(_ rules: GatewayRules, creating: Bool) async throws -> OpenStore {
        guard sandbox == nil else {
            return OpenStore(tokens: memory, keys: memoryKeys, name: "in memory", key: "in memory")
        }
        let known = opened.withLock { $0 }
        if let known, known.places != rules.session.places {
            throw Failure(
                .usage, "session.store or session.key has changed, and needs a new start", next: ["restart the gateway"]
            )
        }
        do {
            let store = try known?.store ?? GatewayStore(rules.session, in: places, environment)
            let keys: KeyRing
            if creating {
                let (ring, made) = try await store.keysOfGateway()
                if let made { console.note("made the key of the sessions: \(made)".printable) }
                if known == nil { try await store.tokens.prepareToSave(ConnectionKey(provider: "", account: "")) }
                keys = ring
                opened.withLock { $0 = (rules.session.places, store) }
            } else {
                let ring = try await store.keys.read()
                guard ring != nil || store.keys.isOwn else { throw store.missingKey }
                try await store.checkForStart()
                keys = ring ?? memoryKeys
                if ring == nil { console.note("the gateway will make its key: \(store.keys.file ?? "")".printable) }
            }
            await warnAboutFormerKeys(keys, store)
            return OpenStore(
                tokens: store.tokens, keys: keys, name: store.name, key: keys.ids.joined(separator: ", "))
        } catch let error as TokenStoreError {
            // What keeps the gateway from its store is seldom its own fault.
            var failure = Failure(error)
            failure.status = .failed
            throw failure
        }
    }

    /// Says whose sessions end with a change of keys.
    private func warnAboutFormerKeys(_ keys: KeyRing, _ store: GatewayStore) async {
        let before = keyIDs.withLock { ids in
            defer { ids = keys.ids }
            return ids
        }
        guard before != keys.ids, let inventory = try? await store.tokens.inventory() else { return }
        for (id, count) in inventory.recordsByKeyID.sorted(by: { $0.key < $1.key }) where !keys.ids.contains(id) {
            let what =
                count == 1
                ? "1 session cannot be read: its person has" : "\(count) sessions cannot be read: their people have"
            console.warn(
                "the key \(id) of the sessions is no longer there, so \(what) to sign in again; to keep them, add the key in second place"
                    .printable)
        }
    }

    private func client(
        of provider: GatewayProvider, _ descriptor: ProviderDescriptor, _ rules: GatewayRules,
        _ registrations: Registrations, _ store: any TokenStore
    ) async throws -> OAuthClient {
        if let sandbox {
            return try await sandbox.client(
                of: descriptor.variant(provider.environment), scopes: provider.scopes,
                inputs: Dictionary(provider.inputs.items.map { ($0.name, $0.value) }) { $1 }, at: rules.origin,
                store: store)
        }
        var own = ClientSource()
        own.clientID = provider.clientID
        if let name = provider.clientIDVariable {
            own.clientID = try places.value(of: .environment(name), "client_id", provider.line(of:), environment)
                .reveal()
        }
        own.clientSecret = try provider.clientSecret.map {
            try places.value(of: $0, "client_secret", provider.line(of:), environment)
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
        guard source.clientID != nil else { throw missingClientID(of: provider, descriptor, rules) }
        var registration = try registrations.registration(for: descriptor, from: source.at(rules, provider.id))
        let resolved = try descriptor.variant(registration.environment).resolve(inputs: registration.inputs)
        try resolved.requireProfile()
        if !provider.scopes.isEmpty {
            registration.scopes = (registration.scopes ?? resolved.defaultScopes(of: registration)) + provider.scopes
        }
        return try OAuthClient(
            descriptor, registration: registration,
            transport: makeNetworkTransport(localAccess: .named(by: resolved)), store: store,
            usedTokens: store as? any UsedTokenStore,
            observer: console.isVerbose ? VerboseObserver(console: console) : nil, logger: logger)
    }

    /// Where an operator writes what a registration lacks.
    private func writing(_ provider: GatewayProvider, _ descriptor: ProviderDescriptor) -> ProviderFailure.Writing {
        let place = places.place(provider.line(of: "inputs"))
        // A registration of the file is complete.
        let isWhole = provider.clientID != nil || provider.clientIDVariable != nil
        return ProviderFailure.Writing(
            place: places.place(provider.span.start.line),
            input: { input in
                ["write inputs: { \(input): VALUE } at providers, \(place)"]
                    + (isWhole ? [] : Registrations.waysToGive(input, of: descriptor, isOption: false))
            },
            secret: "write client_secret_env: NAME or client_secret_file: PATH at providers, \(place)")
    }

    private func missingClientID(
        of provider: GatewayProvider, _ descriptor: ProviderDescriptor, _ rules: GatewayRules
    ) -> Failure {
        let place = places.place(provider.span.start.line)
        let redirectURI = rules.origin.site + GatewayPaths.callback(of: provider.id)
        return Failure(
            .usage, "\(place): \(provider.id) has no client_id",
            details: [Failure.Detail(name: "redirect_uri", text: redirectURI)],
            next: descriptor.registrationSteps + [
                "register the redirect URI \(redirectURI)",
                "then write { id: \(provider.id), client_id: ID, client_secret_env: NAME } at providers, \(place),",
                "or set \(ClientSource.variable(provider.id, "CLIENT_ID"))",
            ])
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
            let text = try places.value(of: place, "key", token.line(of:), environment)
            let signing = try ClientKey.keys(in: text, id: nil, source: "identity_token.key").filter(\.canSign)
            guard !signing.isEmpty else {
                throw Failure(
                    .usage, "identity_token.key has no key that can sign",
                    next: ["write a private key: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256"])
            }
            return signing
        } catch let error as ClientKeyError {
            throw Failure(.usage, "\(error.source) \(error.reason)", next: [error.hint].compactMap { $0 })
        }
    }
}

extension Provider {
    /// - Throws: `Failure` if nothing says who signs in.
    func requireProfile() throws {
        guard self.canHaveProfile else {
            throw Failure(
                .usage, "\(self.id) has no profile, and the gateway needs one to know who signed in",
                next: ["remove it from providers, or add profile to a descriptor of yours"])
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
    fileprivate var secretPlaces: [SecretPlace?] {
        [session.store, session.key, proxy.secret, identityToken?.key] + providers.map(\.clientSecret)
    }

    /// The paths of the files that have secrets, as written.
    fileprivate var secretFiles: [String] {
        secretPlaces.compactMap { if case .file(let path)? = $0 { path } else { nil } }
    }
}
