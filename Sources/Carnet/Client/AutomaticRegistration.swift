import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol

/// A client that registers itself when it is first needed, once for each server. Concurrent callers share one
/// registration.
///
/// Create one for each program, or several on one store. Processes that start together without a stored client may
/// register one each; the last one saved is used.
public actor AutomaticRegistration {
    private let metadata: ClientMetadata
    private let registrar: ClientRegistrar
    private let store: any RegistrationStore
    private let clock: any WallClock
    private var underWay: [ByteKey: Task<RegisteredClient, any Error>] = [:]
    /// Registrations that the store could not save.
    private var unsaved: [ByteKey: RegisteredClient] = [:]

    /// - Parameters:
    ///   - transport: Sends the registration request.
    ///   - store: Keeps the registered clients; by default in this process's memory.
    ///   - clock: Decides when a client's secret has expired; the system's by default.
    public init(
        _ metadata: ClientMetadata,
        transport: any Transport,
        store: (any RegistrationStore)? = nil,
        clock: (any WallClock)? = nil
    ) {
        self.metadata = metadata
        registrar = ClientRegistrar(transport: transport)
        self.store = store ?? MemoryRegistrationStore()
        self.clock = clock ?? SystemWallClock()
    }

    /// The registration at a provider: the stored client, or a new one if there is none or its secret has expired.
    ///
    /// Concurrent callers share one request, which continues if one of them is cancelled. A client that could not be
    /// saved is not registered again: the next call saves it.
    ///
    /// - Throws: `OAuthError` at step `registration` or `discovery`; errors of the store.
    public func registration(
        at provider: Provider, initialAccessToken: Secret? = nil
    ) async throws -> ClientRegistration {
        let server = provider.issuer ?? provider.endpoints[.registration]?.text ?? provider.id.rawValue
        let task =
            underWay[ByteKey(server)] ?? Task { try await client(of: server, at: provider, initialAccessToken) }
        underWay[ByteKey(server)] = task
        var registration = ClientRegistration(try await task.value, of: metadata)
        registration.inputs = provider.inputs.merging(provider.secretInputs) { $1 }
        registration.environment = provider.environment
        return registration
    }

    private func client(
        of server: String, at provider: Provider, _ initialAccessToken: Secret?
    ) async throws -> RegisteredClient {
        defer { underWay[ByteKey(server)] = nil }
        let client: RegisteredClient
        if let waiting = unsaved[ByteKey(server)] {
            client = waiting
        } else if let kept = try await store.load(server), kept.secretExpiresAt.map({ $0 > clock.now }) ?? true {
            return kept
        } else {
            client = try await registrar.register(
                metadata, at: try await registrar.discovered(provider), initialAccessToken: initialAccessToken)
            unsaved[ByteKey(server)] = client
        }
        try await store.save(client, for: server)
        unsaved[ByteKey(server)] = nil
        return client
    }
}
