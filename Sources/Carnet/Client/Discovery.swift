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
        transport: any Transport, limits: TransportLimits = TransportLimits(), observer: (any ExchangeObserver)? = nil,
        logger: Logger = Logger(label: "carnet", factory: { _ in SwiftLogNoOpLogHandler() })
    ) { exchanger = Exchanger(transport: transport, limits: limits, observer: observer, logger: logger) }

    init(_ exchanger: Exchanger) { self.exchanger = exchanger }

    /// The provider with its metadata. If only a resource is known of it, the metadata of the resource is read first.
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package func discovered(_ provider: Provider) async throws -> DiscoveredProvider {
        let found = try await found(provider)
        guard !found.isUnstated else {
            let endpoints = try found.defaultEndpoints()
            return found.withoutMetadata.changed { $0.endpoints.urls.merge(endpoints) { own, _ in own } }
        }
        guard provider.issuer == nil, provider.discoveryURL == nil, let resource = found.resource else {
            return found.merging(try await metadata(of: found))
        }
        let (named, metadata) = try await Self.anySpelling(of: found) { ($0, try await self.metadata(of: $0)) }
        try Self.requireListed(resource, by: metadata)
        return named.merging(metadata)
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
    /// - Throws: If no place has one, the error of the first place that says more than that nothing is there; at once what
    ///   makes a document untrustworthy.
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
                // have. The first response is the one to report, unless it only says that nothing is there.
                if failure.map({ $0.saysThatNothingIsThere && !error.saysThatNothingIsThere }) ?? true {
                    failure = error
                }
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
    ///   - hosts: Those of the authorization server to use if the resource names several.
    ///   - accepting: Returns those of the endpoints at another origin than the issuer's of which a person said that they are
    ///     the issuer's.
    /// - Throws: `OAuthError` at step `discovery`, also if the authorization endpoint is another server's (mix-up);
    ///   `ResolutionError` if the URL is invalid.
    package func entry(
        ofResource url: String, challenge: IncomingResponse? = nil, among registry: ProviderRegistry,
        at hosts: [String] = [],
        accepting: (_ foreign: [EndpointName: WebURL], _ issuer: String) async throws -> [EndpointName: WebURL] = {
            _, _ in [:]
        }
    ) async throws -> ProviderRegistry.Entry {
        let resource = try ProviderDescriptor.resourceURL(url)
        let unknown = try ProviderDescriptor(resource: url).resolve()
        let found = try await found(unknown, challenge: challenge, at: hosts)
        func made(_ found: Provider, _ endpoints: [EndpointName: WebURL]) throws -> ProviderRegistry.Entry {
            try registry.entry(
                ofResource: resource, named: found.resource, issuer: found.issuer, scopes: found.resourceScopes,
                furtherScopes: found.furtherScopes, endpoints: endpoints)
        }
        guard !found.isUnstated else { return try made(found, try found.defaultEndpoints()) }
        let (named, entry, read) = try await Self.anySpelling(of: found) { found in
            let entry = try made(found, [:])
            let provider = try entry.descriptor.resolve()
            guard provider.needsMetadata else { return (found, entry, (Provider, ProviderMetadata)?.none) }
            return (found, entry, (provider, try await metadata(of: provider)))
        }
        guard let (provider, metadata) = read, let issuer = named.issuer else { return entry }
        try Self.check(metadata, of: provider, among: registry, issuer: issuer)
        try Self.requireListed(provider.resource ?? resource, by: metadata)
        guard !metadata.foreignEndpoints.isEmpty else { return entry }
        let accepted = try await accepting(metadata.foreignEndpoints, issuer)
        if accepted[.authorization] == nil { try metadata.requireOwnAuthorizationEndpoint() }
        return accepted.isEmpty ? entry : try made(named, accepted)
    }

    /// The metadata of an issuer that a resource led to. Without a path, it is one URL with and without a slash at the end
    /// (RFC 3986, section 6.2.3), and its metadata says which of both it is called.
    private static func anySpelling<Result>(
        of found: Provider, _ read: (Provider) async throws -> Result
    ) async throws -> Result {
        do {
            return try await read(found)
        } catch let error as OAuthError where error.kind == .issuerMismatch {
            guard let issuer = found.issuer, let resource = found.resource, let url = try? WebURL(issuer),
                ["", "/"].contains(url.path), url.query == nil
            else { throw error }
            let other = found.found(
                resource, issuer: issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer + "/",
                scopes: found.resourceScopes, further: found.furtherScopes)
            do {
                return try await read(other)
            } catch let second as OAuthError where second.kind == .issuerMismatch {
                throw error
            }
        }
    }

    /// A server that lists its resources lists this one, or what it grants is not for it (RFC 9728, section 4).
    ///
    /// - Throws: `OAuthError` of kind `resourceMismatch`.
    private static func requireListed(_ resource: WebURL, by metadata: ProviderMetadata) throws(OAuthError) {
        // A slash at the end leads to the same server.
        let names = resource.resourceNames.flatMap { [$0, $0 + "/"] }
        guard let list = metadata.document["protected_resources"]?.array?.compactMap(\.string), !list.isEmpty,
            !list.contains(where: { names.containsBytes(of: $0) })
        else { return }
        throw OAuthError(
            .discovery, .resourceMismatch,
            "\(resource.text) names the authorization server \(metadata.issuer.quotable()), which serves other resources: "
                + list.prefix(3).map { $0.quotable(limit: 100) }.joined(separator: ", "),
            descriptorKey: "resource",
            hint: "do not sign in: the resource would receive what you grant to others; or ask its operator to list it")
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
    package func found(
        _ provider: Provider, challenge given: IncomingResponse? = nil, at hosts: [String] = []
    ) async throws -> Provider {
        guard provider.issuer == nil, provider.discoveryURL == nil, let resource = provider.resource else {
            return provider
        }
        let exchanger = exchanger.reaching(provider)
        let (named, response, place): (ResourceChallenge?, IncomingResponse?, WebURL?) =
            if let given { (try ResourceChallenge(given, of: resource), given, nil) } else {
                try await challenge(of: resource, by: exchanger)
            }
        let metadata: ResourceMetadata?
        var isSaidToBeMissing = true
        do {
            metadata = try await Self.first(of: try ResourceMetadata.locations(of: resource, at: place, named: named)) {
                location in
                let response = try await exchanger.document(at: location.url, ResourceMetadata.request)
                return try ResourceMetadata(validating: response, at: location, of: resource)
            }
        } catch let error as OAuthError
            where named?.metadata == nil && (error.saysThatNothingIsThere || error.isAnotherPage)
        {
            metadata = nil
            isSaidToBeMissing = error.saysThatNothingIsThere
        }
        let scopes = named.map(\.scopes).flatMap { $0.isEmpty ? nil : $0 } ?? metadata?.scopes ?? []
        if let metadata, !metadata.issuers.isEmpty {
            return provider.found(
                metadata.resource, issuer: try metadata.issuer(at: hosts), scopes: scopes, further: metadata.scopes)
        }
        // Before RFC 9728, a resource was its own authorization server. The metadata at its origin says whether it is.
        let origin = "\(resource.scheme)://\(resource.authority)"
        let own = provider.found(resource, issuer: origin, scopes: scopes)
        do {
            return try await Self.anySpelling(of: own) { own in
                _ = try await self.metadata(of: own)
                return own
            }
        } catch let error as OAuthError where named != nil && isSaidToBeMissing && error.saysThatNothingIsThere {
            return provider.found(resource, issuer: origin, scopes: scopes, isUnstated: true)
        } catch let error as OAuthError where error.status != nil && error.kind != .issuerMismatch {
            throw error.meaning(
                .missingField,
                "the resource \(resource.text) does not say which authorization server it has, and \(origin) is none"
                    + (response?.outcome ?? ""),
                hint: (300..<400).contains(response?.status ?? 0)
                    ? "if the server has moved there, use that address as the URL" : nil)
        }
    }

    /// What the resource says to a request without a token, and its last response; `nil` for what it does not say. Many
    /// servers redirect /mcp to /mcp/ before they demand a token; the last URL is the one that responded.
    private func challenge(
        of resource: WebURL, by exchanger: Exchanger
    ) async throws -> (ResourceChallenge?, IncomingResponse?, WebURL) {
        let exchanger = changing(exchanger) { $0.limits.deadline = min($0.limits.deadline, Self.longestProbe) }
        // Many servers of the Model Context Protocol refuse a GET without saying more.
        var found: ResourceChallenge?
        var last: IncomingResponse?
        var place = resource
        let requests: [(WebURL) throws -> PreparedRequest] = [
            { try ResourceMetadata.request($0) }, { try ResourceMetadata.initialization(of: $0) },
        ]
        for request in requests {
            do {
                var response = try await exchanger.send(try request(place), within: .anyServer)
                if let next = response.redirect(from: place), next.text.isSameBytes(as: resource.otherSpelling ?? "") {
                    place = next
                    response = try await exchanger.send(try request(place), within: .anyServer)
                }
                last = response
                found = try ResourceChallenge(response, of: place) ?? found
                if let found, found.metadata != nil || !found.scopes.isEmpty { break }
            } catch let error as OAuthError where error.kind == .transport {
                // The metadata has a URL of its own, and a GET may open a stream that is silent.
                continue
            }
        }
        return (found, last, place)
    }
}

extension IncomingResponse {
    /// How a resource responded to a request without a token, for a message.
    fileprivate var outcome: String {
        switch status {
        case 200..<300: "; the resource may need no sign-in, because it responded with \(status)"
        case 300..<400: "; the resource redirects to \(location ?? "no address")"
        default: "; the resource responded with \(status)" + (words(hiding: []).map { ": \"\($0)\"" } ?? "")
        }
    }
}

extension Provider {
    /// Where the endpoints of a server of the Model Context Protocol are that has no metadata, and demands a token: at its own
    /// origin, which could have stated them in metadata (revision 2025-03-26, "Fallbacks for Servers without Metadata
    /// Discovery").
    fileprivate func defaultEndpoints() throws(OAuthError) -> [EndpointName: WebURL] {
        do throws(WebURLError) {
            return [
                .authorization: try WebURL("\(self.issuer ?? "")/authorize"),
                .token: try WebURL("\(self.issuer ?? "")/token"),
                .registration: try WebURL("\(self.issuer ?? "")/register"),
            ]
        } catch {
            throw OAuthError(.discovery, .badDescriptor, "the resource is invalid: \(error.reason)")
        }
    }
}

extension OAuthError {
    /// Whether a server has no document at an address: servers also refuse requests for what they do not have.
    fileprivate var saysThatNothingIsThere: Bool {
        [.unexpectedStatus, .serverError].contains(kind) && (400..<500).contains(status ?? 0)
    }

    /// Whether a web application sent its page, as many do at each address that they do not know.
    fileprivate var isAnotherPage: Bool { kind == .unexpectedContentType && (200..<300).contains(status ?? 0) }
}

extension Exchanger {
    private static let mostRedirects = 3

    /// Requests a document, without any credential. A redirect to the same origin is followed, because the origin could have
    /// sent the document itself: what it says is validated as if it were at the first address.
    func document(at first: WebURL, _ request: (WebURL) throws -> PreparedRequest) async throws -> IncomingResponse {
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
        changing(self) { $0.limits.localHosts.formUnion(provider.ownHosts) }
    }
}
