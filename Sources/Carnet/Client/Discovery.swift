package import CarnetDescriptors
package import CarnetProtocol
package import Logging

/// Fetches a provider's metadata, afresh each time (OpenID Connect Discovery, section 4; RFC 8414, section 3).
package struct Discovery: Sendable {
    private let exchanger: Exchanger

    /// - Parameters:
    ///   - observer: Sees each exchange.
    ///   - logger: Silent unless given.
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

    /// The metadata at the first well-known place that has it.
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package func metadata(of provider: Provider) async throws -> ProviderMetadata {
        var failure: (any Error)?
        for location in try ProviderMetadata.locations(for: provider) {
            do {
                let response = try await exchanger.send(try ProviderMetadata.request(location), within: .none)
                return try ProviderMetadata(judging: response, for: provider)
            } catch let error as OAuthError where [400, 401, 403, 404, 405, 410].contains(error.status) {
                // The other well-known form may be there; not every server says 404 for what it does not have. The
                // first answer is the one worth telling.
                failure = failure ?? error
            }
        }
        throw failure ?? OAuthError(.discovery, .badDescriptor, "there is nowhere to look for metadata")
    }
}
