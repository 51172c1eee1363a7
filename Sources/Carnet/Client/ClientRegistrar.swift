public import CarnetDescriptors
public import CarnetProtocol
public import Logging

/// Registers clients with providers that let them register themselves (RFC 7591).
public struct ClientRegistrar: Sendable {
    private let exchanger: Exchanger

    /// - Parameters:
    ///   - observer: Sees each exchange.
    ///   - logger: Silent unless given.
    public init(
        transport: any Transport,
        limits: TransportLimits = TransportLimits(),
        observer: (any ExchangeObserver)? = nil,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        exchanger = Exchanger(transport: transport, limits: limits, observer: observer, logger: logger)
    }

    /// Registers a client. Each call makes another one: keep the answer, sealed.
    ///
    /// - Throws: `OAuthError` at step `registration` or `discovery`.
    public func register(
        _ metadata: ClientMetadata,
        at provider: Provider,
        initialAccessToken: Secret? = nil
    ) async throws -> RegisteredClient {
        var provider = provider
        if provider.endpoints[.registration] == nil, provider.issuer != nil, provider.discovery != .off {
            provider = provider.merging(try await Discovery(exchanger).metadata(of: provider))
        }
        let request = try metadata.request(at: provider, initialAccessToken: initialAccessToken)
        return try RegisteredClient(judging: try await exchanger.send(request), to: request, for: metadata)
    }

    /// What the server has registered (RFC 7592, section 2.1). Keep the answer, sealed: its token may be a new one.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    public func read(_ client: RegisteredClient) async throws -> RegisteredClient {
        let request = try client.readRequest()
        return try client.judge(try await exchanger.send(request), to: request)
    }

    /// Registers other metadata in the place of the old (RFC 7592, section 2.2). Keep the answer, sealed: token and secret
    /// may be new ones.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    public func update(
        _ client: RegisteredClient, to metadata: ClientMetadata, at provider: Provider
    ) async throws -> RegisteredClient {
        let request = try client.updateRequest(metadata, at: provider)
        return try client.judge(try await exchanger.send(request), to: request, for: metadata)
    }

    /// Takes a registration back (RFC 7592, section 2.3).
    ///
    /// - Throws: `OAuthError` at step `registration`.
    public func delete(_ client: RegisteredClient) async throws {
        let request = try client.deleteRequest()
        try client.judgeDeletion(try await exchanger.send(request), to: request)
    }
}
