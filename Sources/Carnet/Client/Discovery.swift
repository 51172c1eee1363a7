package import CarnetDescriptors
package import CarnetProtocol
package import Logging

/// Fetches a provider's metadata, without a cache (OpenID Connect Discovery, section 4; RFC 8414, section 3).
package struct Discovery: Sendable {
    private let exchanger: Exchanger

    /// - Parameters:
    ///   - observer: Receives each exchange.
    ///   - logger: No log by default.
    package init(
        transport: any Transport,
        limits: TransportLimits = TransportLimits(),
        observer: (any ExchangeObserver)? = nil,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        exchanger = Exchanger(transport: transport, limits: limits, observer: observer, logger: logger)
    }

    init(_ exchanger: Exchanger) {
        self.exchanger = exchanger
    }

    /// The metadata at the first well-known URL that has it.
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package func metadata(of provider: Provider) async throws -> ProviderMetadata {
        var failure: (any Error)?
        for location in try ProviderMetadata.locations(for: provider) {
            do {
                let response = try await exchanger.send(try ProviderMetadata.request(location), within: .anyServer)
                return try ProviderMetadata(validating: response, for: provider)
            } catch let error as OAuthError where error.status != nil && error.kind != .issuerMismatch {
                // The other well-known form may be there: servers return 404, 500 or a login page for what they do not
                // have. The first response is the one to report.
                failure = failure ?? error
            }
        }
        throw failure
            ?? OAuthError(.discovery, .badDescriptor, "the metadata cannot be requested: the descriptor has no issuer")
    }
}
