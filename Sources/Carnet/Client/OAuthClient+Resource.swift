public import CarnetDescriptors
public import CarnetProtocol
public import Logging

extension OAuthClient {
    /// A client for a protected resource that no descriptor describes. The resource's metadata names its authorization
    /// server (RFC 9728), where the client registers itself.
    ///
    /// All tokens are for this resource only (RFC 8707). If a descriptor has the same issuer, its knowledge of the
    /// authorization server is used.
    ///
    /// - Parameters:
    ///   - resource: The URL of the resource, exactly as its metadata names it.
    ///   - challenge: The response of the resource to a request without a token, if there was one already. By default, the
    ///     resource is asked.
    ///   - registering: Finds or makes the client's registration.
    ///   - registry: The descriptors to compare the issuer with.
    ///   - store: Keeps the tokens; this process's memory by default.
    ///   - clock: The system's by default.
    ///   - logger: No log by default.
    /// - Throws: `OAuthError` at step `discovery` or `registration`; `ResolutionError` if the URL is invalid; errors of the
    ///   registration's store.
    public convenience init(
        resource: String,
        challenge: IncomingResponse? = nil,
        registering: AutomaticRegistration,
        registry: ProviderRegistry = ProviderRegistry(),
        transport: any Transport,
        store: (any TokenStore)? = nil,
        limits: TransportLimits = TransportLimits(),
        clock: (any WallClock)? = nil,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) async throws {
        let descriptor = try await Discovery(transport: transport, limits: limits, logger: logger)
            .entry(ofResource: resource, challenge: challenge, among: registry).descriptor
        try self.init(
            descriptor, registration: try await registering.registration(at: try descriptor.resolve()),
            transport: transport, store: store, limits: limits, clock: clock, logger: logger)
    }
}
