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
    /// - Parameters:
    ///   - challenge: The response of the resource to a request without a token, if there was one already.
    ///   - accepting: Returns those of the endpoints at another origin than the issuer's of which a person said that they are
    ///     the issuer's.
    /// - Throws: `OAuthError` at step `discovery`, also if the authorization endpoint is another server's (mix-up);
    ///   `ResolutionError` if the URL is invalid.
    package func entry(
        ofResource url: String, challenge: IncomingResponse? = nil, among registry: ProviderRegistry,
        accepting: (_ foreign: [EndpointName: WebURL], _ issuer: String) async throws -> [EndpointName: WebURL] = {
            _, _ in [:]
        }
    ) async throws -> ProviderRegistry.Entry {
        let resource = try ProviderDescriptor.resourceURL(url)
        let unknown = try ProviderDescriptor(resource: url).resolve()
        let found = try await found(unknown, challenge: challenge)
        func made(_ endpoints: [EndpointName: WebURL]) throws -> ProviderRegistry.Entry {
            try registry.entry(
                ofResource: resource, named: found.resource, issuer: found.issuer, scopes: found.resourceScopes,
                furtherScopes: found.furtherScopes, endpoints: endpoints)
        }
        let entry = try made([:])
        let provider = try entry.descriptor.resolve()
        guard provider.needsMetadata, let issuer = found.issuer else { return entry }
        let metadata = try await metadata(of: provider)
        try Self.check(metadata, of: provider, among: registry, issuer: issuer)
        guard !metadata.foreignEndpoints.isEmpty else { return entry }
        let accepted = try await accepting(metadata.foreignEndpoints, issuer)
        if accepted[.authorization] == nil { try metadata.requireOwnAuthorizationEndpoint() }
        return accepted.isEmpty ? entry : try made(accepted)
    }

    /// - Throws: `OAuthError` of kind `issuerMismatch` for endpoints of a provider that has another token endpoint.
    private static func check(
        _ metadata: ProviderMetadata, of provider: Provider, among registry: ProviderRegistry, issuer: String
    ) throws(OAuthError) {
        guard let token = metadata.endpoints[.token] ?? provider.endpoints[.token],
            let known = registry.provider(contradicting: metadata.endpointsBeforeToken, token: token, issuer: issuer)
        else { return }
        throw OAuthError(
            .discovery, .issuerMismatch,
            "the authorization server \(issuer) names \(known.endpoint.text.quotable()), which is at the host of \(known.id), "
                + "and a token endpoint at \(token.origin), which is not \(known.id)'s",
            descriptorKey: "resource", hint: "do not sign in: what \(known.id) issues would go to another server")
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
        } catch let error as OAuthError
            where named?.metadata == nil && error.saysThatNothingIsThere
        {
            metadata = nil
        }
        let scopes = named.map(\.scopes).flatMap { $0.isEmpty ? nil : $0 } ?? metadata?.scopes ?? []
        if let metadata {
            return provider.found(
                metadata.resource, issuer: try metadata.issuer(), scopes: scopes, further: metadata.scopes)
        }
        // Before RFC 9728, a resource was its own authorization server. The metadata at its origin says whether it is.
        // Nobody stated this issuer, and both spellings are one URL (RFC 3986, section 6.2.3).
        let origin = "\(resource.scheme)://\(resource.authority)"
        var failure: OAuthError?
        for issuer in [origin, origin + "/"] {
            let own = provider.found(resource, issuer: issuer, scopes: scopes)
            do {
                _ = try await self.metadata(of: own)
                return own
            } catch let error as OAuthError where error.kind == .issuerMismatch {
                failure = failure ?? error
            } catch let error as OAuthError where error.status != nil {
                throw error.meaning(
                    .missingField,
                    "the resource \(resource.text) does not say which authorization server it has, and \(origin) is none",
                    hint:
                        "check its URL; it may need no sign-in; if it does, write issuer beside resource in a descriptor"
                )
            }
        }
        throw failure ?? OAuthError(.discovery, .missingField, "the resource has no authorization server")
    }

    /// What the resource says to a request without a token; `nil` if it says nothing.
    private func challenge(of resource: WebURL, by exchanger: Exchanger) async throws -> ResourceChallenge? {
        var exchanger = exchanger
        exchanger.limits.deadline = min(exchanger.limits.deadline, Self.longestProbe)
        // Many servers of the Model Context Protocol refuse a GET without saying more.
        var found: ResourceChallenge?
        for request in [try ResourceMetadata.request(resource), try ResourceMetadata.initialization(of: resource)] {
            do {
                let response = try await exchanger.send(request, within: .anyServer)
                found = try ResourceChallenge(response, of: resource) ?? found
                if let found, found.metadata != nil || !found.scopes.isEmpty { return found }
            } catch let error as OAuthError where error.kind == .transport {
                // The metadata has a URL of its own, and a GET may open a stream that is silent.
                continue
            }
        }
        return found
    }
}

extension OAuthError {
    /// Whether a server has no document at an address: servers also refuse requests for what they do not have.
    fileprivate var saysThatNothingIsThere: Bool {
        [.unexpectedStatus, .serverError].contains(kind) && (400..<500).contains(status ?? 0)
    }
}

extension Exchanger {
    private static let mostRedirects = 3

    /// Requests a document, without any credential. A redirect to the same origin is followed, because the origin could have
    /// sent the document itself: what it says is validated as if it were at the first address.
    func document(
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
