import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetProtocol
import CarnetResourceServer
import CarnetStorage
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
    let sandbox: GatewaySandbox?
    let logger: Logger
    let places: GatewayPlaces
    /// Opened once: a version with another store needs a new start. `nil` with a sandbox.
    let opened = Lock<(places: [SecretPlace?], store: GatewayStore)?>(nil)
    /// The ids of the keys that were in use last.
    let keyIDs = Lock<[String]?>(nil)
    private let clients = Lock<[(parts: GatewayClientParts, client: OAuthClient)]>([])
    /// For a store that does not remember used proofs.
    private let usedProofs = MemoryUsedTokenStore.ofProofs()
    let memory = MemoryTokenStore()
    let memoryKeys: KeyRing

    init(_ options: Options, _ context: CommandContext, sandbox: GatewaySandbox?, logger: Logger) throws {
        (self.options, self.context, self.sandbox, self.logger) = (options, context, sandbox, logger)
        places = GatewayPlaces(file: options.path)
        memoryKeys = KeyRing(try EncryptionKey(SystemRandomSource().bytes(count: 32)))
    }

    var environment: HostEnvironment { context.environment }
    var console: Console { context.console }

    /// What the file, its secrets, the clients files and the folders of providers contain now.
    func inputs() -> Inputs {
        var inputs = Inputs()
        func read(_ path: String) -> SourceFile? { try? SourceFile(readingFrom: path, maximumBytes: 1 << 18) }
        inputs.gateway = try? SourceFile(readingFrom: options.path)
        let rules = inputs.gateway.flatMap { GatewayFile($0).rules }
        inputs.secrets = (rules?.secretFiles ?? []).map { read(Path.below(places.folder, $0)) }
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
    func load() async throws -> GatewayVersion { try await version(creating: true).version }

    /// What a gateway would start with. Nothing is created.
    ///
    /// - Throws: As `load`.
    func check() async throws -> Summary { try await version(creating: false).summary }

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
        func require<Value>(_ value: @autoclosure () throws -> Value) throws -> Value {
            do { return try value() } catch { throw GatewayMistakes([Failure(describing: error)]) }
        }
        let inputs = self.inputs()
        let file = try require(try SourceFile(readingFrom: options.path))
        let read = GatewayFile(file)
        guard let rules = read.rules else { throw GatewayMistakes(read.diagnostics, in: file) }
        let gateway = try Gateway(read)
        let folders = options.providers.flatMap { ["--providers", $0] }
        let sources = try require(try ProviderSources(ProviderOptions.parse(folders), context))
        let clientsFile = options.clients.map { ["--clients", $0] } ?? []
        let registrations = try require(try Registrations(ClientOptions.parse(clientsFile), sources.registry, context))
        // Without the descriptor, the gateway file would have the mistake.
        for provider in rules.providers {
            guard let document = sources.registry.brokenDocument(for: provider.id.rawValue) else { continue }
            throw GatewayMistakes(document.diagnostics, in: document.file)
        }
        let findings = Linter(others: [GatewayFiles(registry: sources.registry)]).lint(files: [file]).diagnostics
        let refused = findings.filter { GatewayRuleCatalog.refused.contains($0.code) }
        guard refused.isEmpty else { throw GatewayMistakes(refused, in: file) }
        let found = await attempt { try await self.store(rules, creating: creating) }
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
            let made = await attempt {
                let entry = try sources.entry(provider.id.rawValue)
                var failure = ProviderFailure(entry: entry)
                failure.writing = writing(provider, entry.descriptor)
                return try await failure.explaining {
                    try await self.client(of: provider, entry.descriptor, rules, registrations, tokens)
                }
            }
            if let made { clients.append((parts, made)) }
        }
        let secret = await attempt {
            try rules.proxy.secret.map { try places.value(of: $0, "secret", rules.proxy.line(of:), environment) }
        }
        let signing = await attempt { try self.identityKeys(rules, found?.keys ?? self.memoryKeys) }
        for place in rules.secretPlaces { places.checkMode(of: place, console) }
        if let secret = secret ?? nil, secret.reveal().utf8.count < Self.shortestSecret {
            places.warn("proxy.secret is short enough to be guessed; make one: openssl rand -hex 32", console)
        }
        guard failures.isEmpty, let found else { throw GatewayMistakes(failures) }
        let all = Dictionary(clients.map { ($0.client.provider.id, $0.client) }) { $1 }
        let signingIn = rules.providers.filter(\.signsIn).map(\.id)
        let table = ProviderClients(signingIn.compactMap { all[$0] }, inOrder: signingIn)
        let web = try WebSignIn(
            table, origin: rules.origin.site, keys: found.keys, paths: GatewayPaths.web,
            sessionLifetime: Double(rules.session.lifetime), claims: rules.claimNames, pages: rules.signInPages,
            patience: .seconds(3), idleTime: rules.session.idle == 0 ? nil : Double(rules.session.idle), logger: logger)
        let issuers = try rules.bearer.map { issuer in
            // A rule of lint rejects a file with another one.
            guard let client = all[issuer.provider] else { throw Failure(.usage, "bearer has an unknown provider") }
            return TokenIssuer(client, audiences: issuer.audiences, introspectsOpaqueTokens: issuer.introspects)
        }
        let version = GatewayVersion(
            gateway, web: web, issuers: issuers, usedProofs: tokens as? any UsedTokenStore ?? usedProofs,
            proxySecret: secret ?? nil, identityKeys: signing ?? [])
        let summary = Summary(
            rules: rules, store: found.name, key: found.key, findings: findings, clients: clients.map(\.client))
        lastSummary.withLock { $0 = summary }
        if creating { self.clients.withLock { $0 = clients } }
        return (version, summary)
    }

    /// In bytes.
    private static let shortestSecret = 16
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
