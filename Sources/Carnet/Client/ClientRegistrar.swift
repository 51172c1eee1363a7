package import CarnetDescriptors
package import CarnetProtocol
package import Logging

/// Registers clients with providers that support dynamic registration (RFC 7591).
package struct ClientRegistrar: Sendable {
    private let exchanger: Exchanger

    /// - Parameters:
    ///   - observer: Receives each exchange.
    ///   - logger: No log by default.
    package init(
        transport: any Transport, limits: TransportLimits = TransportLimits(), observer: (any ExchangeObserver)? = nil,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) { exchanger = Exchanger(transport: transport, limits: limits, observer: observer, logger: logger) }

    /// Registers a client. Each call creates another one: store the result encrypted. `AutomaticRegistration` does
    /// both.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func register(
        _ metadata: ClientMetadata, at provider: DiscoveredProvider, initialAccessToken: Secret? = nil
    ) async throws -> RegisteredClient {
        let request = try metadata.request(at: provider, initialAccessToken: initialAccessToken)
        let response = try await exchanger.reaching(provider).send(request, within: .anyServer)
        var client = try RegisteredClient(validating: response, to: request, for: metadata)
        client.origins = CredentialBinding(to: provider).servers
        return client
    }

    /// The provider with its metadata, if only the metadata describes registration, the token endpoint or the methods
    /// of client authentication.
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package func discovered(_ provider: Provider) async throws -> DiscoveredProvider {
        guard provider.endpoints[.registration] == nil || provider.needsMetadata,
            provider.issuer != nil || provider.resource != nil, provider.discovery != .off
        else { return provider.withoutMetadata }
        return try await Discovery(exchanger).discovered(provider)
    }

    /// Reads the registration (RFC 7592, section 2.1). Store the result encrypted: its token may be new.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func read(_ client: RegisteredClient) async throws -> RegisteredClient {
        let request = try client.readRequest()
        return try client.validate(try await exchanger.send(request, within: .anyServer), to: request)
    }

    /// Replaces the registered metadata (RFC 7592, section 2.2). Store the result encrypted: token and secret may be
    /// new.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func update(
        _ client: RegisteredClient, to metadata: ClientMetadata, at provider: DiscoveredProvider
    ) async throws -> RegisteredClient {
        let request = try client.updateRequest(metadata, at: provider)
        return try client.validate(try await exchanger.send(request, within: .anyServer), to: request, for: metadata)
    }

    /// Deletes a registration (RFC 7592, section 2.3).
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func delete(_ client: RegisteredClient) async throws {
        let request = try client.deleteRequest()
        try client.validateDeletion(try await exchanger.send(request, within: .anyServer), to: request)
    }
}
