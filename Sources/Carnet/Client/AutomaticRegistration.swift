import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol

/// Becomes a client of each server where one is needed, once for each server and each origin of a resource.
///
/// A client that registered earlier is used again, by all processes that share a store. Otherwise the client names
/// itself by the URL of its metadata if the server accepts that, or registers itself (RFC 7591). The registration is
/// bound to the server: another issuer gets another one. Resources of different origins have different clients, so that
/// what a person granted to one does not count for another.
public actor AutomaticRegistration {
    private let metadata: ClientMetadata
    private let document: String?
    private let registrar: ClientRegistrar
    private let store: any TokenStore
    private let clock: any WallClock
    private var underWay: [ByteKey: Task<RegisteredClient, any Error>] = [:]
    /// Registrations that the store could not save.
    private var unsaved: [ByteKey: RegisteredClient] = [:]

    /// - Parameters:
    ///   - document: The URL at which the program's vendor serves the metadata, as `ClientMetadata.document(at:)` makes them.
    ///     A server that accepts client ID metadata documents takes this URL as the client id, and nothing is registered.
    ///   - transport: Sends the registration request.
    ///   - store: Keeps the registered clients, encrypted if the store encrypts; by default in this process's memory. The
    ///     processes that share it register one client together.
    ///   - clock: Decides when a client's secret has expired; the system's by default.
    public init(
        _ metadata: ClientMetadata,
        document: String? = nil,
        transport: any Transport,
        store: (any TokenStore)? = nil,
        clock: (any WallClock)? = nil
    ) {
        self.init(
            metadata, document: document, by: ClientRegistrar(transport: transport), store: store ?? MemoryTokenStore(),
            clock: clock ?? SystemWallClock())
    }

    package init(
        _ metadata: ClientMetadata, document: String?, by registrar: ClientRegistrar, store: any TokenStore,
        clock: any WallClock = SystemWallClock()
    ) {
        (self.metadata, self.document, self.registrar) = (metadata, document, registrar)
        (self.store, self.clock) = (store, clock)
    }

    /// The registration at a provider: the stored client, or a new one if there is none or its secret has expired.
    ///
    /// Concurrent callers share one request, which continues if one of them is cancelled. A client that could not be
    /// saved is not registered again: the next call saves it.
    ///
    /// - Throws: `OAuthError` at step `registration` or `discovery`; of kind `missingEndpoint` if the server registers no
    ///   clients by itself; `TokenStoreError`.
    public func registration(
        at provider: Provider, initialAccessToken: Secret? = nil
    ) async throws -> ClientRegistration {
        if let known = try await knownRegistration(at: provider) { return known }
        let discovered = try await registrar.discovered(provider)
        if let document, discovered.acceptsClientDocuments {
            return try metadata.registration(at: discovered, document: document)
        }
        return registration(of: try await client(of: discovered, initialAccessToken), at: provider)
    }

    /// Removes a stored client that the server no longer knows: it responds with `invalid_client`. The next call of
    /// `registration(at:)` registers another one. Accounts of the old client must sign in again.
    ///
    /// - Throws: `TokenStoreError`.
    public func forget(at provider: Provider) async throws {
        guard let server = provider.registeringServer else { return }
        unsaved[ByteKey(server)] = nil
        try await store.remove(.registration(at: server))
    }

    /// The registration of a client that registered earlier; `nil` if there is none. No request is sent.
    ///
    /// - Parameter evenExpired: Whether its secret may have expired: the tokens of an account are valid nevertheless, and the
    ///   server decides about a refresh.
    package func knownRegistration(
        at provider: Provider, evenExpired: Bool = false
    ) async throws -> ClientRegistration? {
        guard let server = provider.registeringServer,
            let client = try await stored(for: server, evenExpired: evenExpired)
        else { return nil }
        return registration(of: client, at: provider)
    }

    private func registration(of client: RegisteredClient, at provider: Provider) -> ClientRegistration {
        var registration = ClientRegistration(client, of: metadata)
        registration.inputs = provider.inputs.merging(provider.secretInputs) { $1 }
        registration.environment = provider.environment
        return registration
    }

    /// The client that registered earlier, if its secret has not expired.
    private func stored(for server: String, evenExpired: Bool = false) async throws -> RegisteredClient? {
        guard unsaved[ByteKey(server)] == nil,
            let kept = try await store.load(.registration(at: server))?.connection.registration,
            evenExpired || kept.secretExpiresAt.map({ $0 > clock.now }) ?? true
        else { return nil }
        return kept
    }

    private func client(of provider: DiscoveredProvider, _ initialAccessToken: Secret?) async throws -> RegisteredClient
    {
        let server = ByteKey(provider.registeringServer ?? provider.id.rawValue)
        let task =
            underWay[server]
            ?? Task {
                defer { underWay[server] = nil }
                // Another process may be registering a client at the same moment.
                return try await store.withLock(on: .registration(at: server.text)) {
                    try await self.newClient(of: provider, server, initialAccessToken)
                }
            }
        underWay[server] = task
        return try await task.value
    }

    private func newClient(
        of provider: DiscoveredProvider, _ server: ByteKey, _ initialAccessToken: Secret?
    ) async throws -> RegisteredClient {
        if let kept = try await stored(for: server.text) { return kept }
        var client: RegisteredClient
        if let waiting = unsaved[server] {
            client = waiting
        } else {
            client = try await registrar.register(
                metadata.announced(at: provider), at: provider, initialAccessToken: initialAccessToken)
            // A time that has passed says nothing, such as a lifetime in place of a time.
            if let end = client.secretExpiresAt, end <= clock.now { client.secretExpiresAt = nil }
            unsaved[server] = client
        }
        _ = try await store.save(Connection(client, at: server.text, now: clock.now), replacing: nil)
        unsaved[server] = nil
        return client
    }
}

extension ProviderStage {
    /// The server that a client is registered at: its issuer, or the registration endpoint of a server that has none; and the
    /// origin of the resource, if there is one. `nil` if only the metadata of a resource says which server it is.
    fileprivate var registeringServer: String? {
        if let issuer = self.issuer { return issuer + (self.resource.map { " \($0.origin)" } ?? "") }
        return self.resource == nil ? self.endpoints[.registration]?.text ?? self.id.rawValue : nil
    }
}

extension ConnectionKey {
    /// No provider has this id, because of its first character.
    private static let registrations = "#registration"

    /// The key of a client that registered itself.
    fileprivate static func registration(at server: String) -> ConnectionKey {
        ConnectionKey(provider: registrations, account: server)
    }

    /// Whether the record is that of a client, and not of an account.
    package var isRegistration: Bool { provider.isSameBytes(as: Self.registrations) }
}

extension Connection {
    /// The record of a client that registered itself. It has no tokens.
    fileprivate init(_ client: RegisteredClient, at server: String, now: Date) {
        self.init(
            key: .registration(at: server), clientID: client.clientID,
            tokens: TokenSet(accessToken: Secret(""), tokenType: "", scopes: [], issuedAt: now),
            binding: CredentialBinding(servers: client.origins ?? [], resources: []))
        self.registration = client
    }
}
