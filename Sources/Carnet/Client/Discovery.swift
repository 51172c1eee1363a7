package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol
package import Logging

/// Fetches a provider's metadata, without a cache (OpenID Connect Discovery, section 4; RFC 8414, section 3; RFC 9728,
/// section 3).
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

    /// The provider with its metadata. If only a resource is known of it, the metadata of the resource is read first.
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package func discovered(_ provider: Provider) async throws -> DiscoveredProvider {
        let provider = try await found(provider)
        return provider.merging(try await metadata(of: provider))
    }

    /// The metadata at the first well-known URL that has it.
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package func metadata(of provider: Provider) async throws -> ProviderMetadata {
        let exchanger = exchanger.reaching(provider)
        let found = try await Self.first(of: try ProviderMetadata.locations(for: provider)) { location in
            let response = try await exchanger.document(at: location, ProviderMetadata.request)
            return try ProviderMetadata(validating: response, for: provider)
        }
        guard let found else {
            throw OAuthError(
                .discovery, .badDescriptor, "the metadata cannot be requested: the descriptor has no issuer")
        }
        return found
    }

    /// The result at the first place that has one.
    ///
    /// - Returns: `nil` if there is no place.
    /// - Throws: The error of the first place if no place has one; at once what makes a document untrustworthy.
    private static func first<Place, Result>(
        of places: [Place], _ read: (Place) async throws -> Result
    ) async throws -> Result? {
        var failure: OAuthError?
        for place in places {
            do {
                return try await read(place)
            } catch let error as OAuthError
                where error.status != nil && ![.issuerMismatch, .resourceMismatch].contains(error.kind)
            {
                // Another well-known form may be there: servers return 404, 500 or a login page for what they do not
                // have. The first response is the one to report.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }
}

extension Discovery {
    /// The descriptor of a resource that no file describes, with what its metadata says, and with what a descriptor of the
    /// same issuer says of the authorization server.
    ///
    /// - Parameter challenge: The response of the resource to a request without a token, if there was one already.
    /// - Throws: `OAuthError` at step `discovery`; `ResolutionError` if the URL is invalid.
    package func entry(
        ofResource url: String, challenge: IncomingResponse? = nil, among registry: ProviderRegistry
    ) async throws -> ProviderRegistry.Entry {
        let resource = try ProviderDescriptor.resourceURL(url)
        let unknown = try ProviderDescriptor(resource: url).resolve()
        let found = try await found(unknown, challenge: challenge)
        return try registry.entry(
            ofResource: resource, named: found.resource, issuer: found.issuer, scopes: found.resourceScopes)
    }
}

extension Discovery {
    /// How long a resource may take to refuse a request without a token. One that needs none may stream forever.
    private static let longestProbe = Duration.seconds(10)

    /// The provider of a resource with the issuer that the resource's metadata names, and the scopes that it needs (RFC
    /// 9728, section 5); the provider itself if the descriptor has an issuer, or no resource.
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package func found(_ provider: Provider, challenge given: IncomingResponse? = nil) async throws -> Provider {
        guard provider.issuer == nil, provider.discoveryURL == nil, let resource = provider.resource else {
            return provider
        }
        let exchanger = exchanger.reaching(provider)
        let named =
            if let given { try ResourceChallenge(given, of: resource) } else {
                try await challenge(of: resource, by: exchanger)
            }
        let metadata: ResourceMetadata?
        do {
            metadata = try await Self.first(of: try ResourceMetadata.locations(of: resource, named: named)) {
                place in
                let response = try await exchanger.document(at: place.url, ResourceMetadata.request)
                return try ResourceMetadata(validating: response, at: place, of: resource)
            }
        } catch let error as OAuthError where error.status == 404 && named?.metadata == nil {
            metadata = nil
        }
        let scopes = named.map(\.scopes).flatMap { $0.isEmpty ? nil : $0 } ?? metadata?.scopes ?? []
        if let metadata { return provider.found(metadata.resource, issuer: try metadata.issuer(), scopes: scopes) }
        // Before RFC 9728, a resource was its own authorization server. The metadata at its origin says whether it is.
        let own = provider.found(
            resource, issuer: "\(resource.scheme)://\(resource.authority)", scopes: scopes)
        do {
            _ = try await self.metadata(of: own)
            return own
        } catch let error as OAuthError where error.status != nil {
            throw error.meaning(
                .missingField, "the resource does not say which authorization server it has",
                hint: "check its URL; if it is right, write issuer beside resource in a descriptor")
        }
    }

    /// What the resource says to a request without a token; `nil` if it says nothing.
    private func challenge(of resource: WebURL, by exchanger: Exchanger) async throws -> ResourceChallenge? {
        var exchanger = exchanger
        exchanger.limits.deadline = min(exchanger.limits.deadline, Self.longestProbe)
        let response: IncomingResponse
        do {
            response = try await exchanger.send(try ResourceMetadata.request(resource), within: .anyServer)
        } catch let error as OAuthError where error.kind == .transport {
            // The metadata has a URL of its own.
            return nil
        }
        return try ResourceChallenge(response, of: resource)
    }
}

extension Exchanger {
    private static let mostRedirects = 3

    /// Requests a metadata document, without any credential. A redirect to the same origin is followed: the issuer or resource
    /// in the document is compared afterwards, as if the document were at the first address.
    fileprivate func document(
        at first: WebURL, _ request: (WebURL) throws -> PreparedRequest
    ) async throws -> IncomingResponse {
        var url = first
        for _ in 0..<Self.mostRedirects {
            let response = try await send(try request(url), within: .anyServer)
            guard let next = response.redirect(from: url) else { return response }
            url = next
        }
        return try await send(try request(url), within: .anyServer)
    }

    /// The same, which may also reach the local hosts that the provider's descriptor names.
    func reaching(_ provider: some ProviderStage) -> Exchanger {
        var exchanger = self
        exchanger.limits.localHosts.formUnion(provider.ownHosts)
        return exchanger
    }
}
