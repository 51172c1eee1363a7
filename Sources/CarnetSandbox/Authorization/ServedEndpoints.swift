import CarnetDescriptors
import CarnetFoundation

/// The URLs at which one provider is impersonated.
///
/// What a descriptor leaves to discovery is invented below the issuer, or at the host of `discovery_url`, and the metadata documents name all of it.
struct ServedEndpoints: Sendable {
    let urls: [EndpointName: WebURL]
    let metadata: [WebURL]
    /// The metadata of the resource (RFC 9728, section 3.1).
    let resourceMetadata: WebURL?
    /// The page at which a person confirms a device's code.
    let verification: WebURL?

    init(of provider: FilledProvider) {
        var urls = provider.endpoints.urls
        var metadata: [WebURL] = []
        let issuer = provider.issuer.flatMap { try? WebURL($0) }
        // Without an issuer, the document at discovery_url names the endpoints all the same.
        if let base = issuer ?? provider.discoveryURL {
            let path = issuer == nil ? "" : base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
            let origin = "\(base.scheme)://\(base.authority)"
            let places = [
                "\(origin)\(path)/.well-known/openid-configuration",
                "\(origin)/.well-known/oauth-authorization-server\(path)",
                "\(origin)/.well-known/openid-configuration\(path)",
            ]
            if issuer != nil {
                metadata = (path.isEmpty ? places.dropLast() : places[...]).compactMap { try? WebURL($0) }
            }
            if provider.discovery != .off {
                for (name, suffix) in Self.inventedPaths where urls[name] == nil {
                    urls[name] = try? WebURL("\(origin)\(path)/\(suffix)")
                }
            }
        }
        if let url = provider.discoveryURL, !metadata.contains(url) { metadata.append(url) }
        resourceMetadata = provider.resource.flatMap { resource in
            let path = resource.path == "/" ? "" : resource.path
            let query = resource.query.map { "?\($0)" } ?? ""
            return try? WebURL(
                "\(resource.scheme)://\(resource.authority)/.well-known/oauth-protected-resource\(path)\(query)")
        }
        self.urls = urls
        verification = urls[.deviceAuthorization].flatMap { try? WebURL("\($0.scheme)://\($0.authority)/activate") }
        self.metadata = metadata
    }

    subscript(name: EndpointName) -> WebURL? { urls[name] }

    /// The endpoints that a request for a URL can reach: those at its path with the most of their own query.
    func endpoints(at url: WebURL) -> [EndpointName] {
        let found = EndpointName.allCases.filter { urls[$0]?.receives(url) ?? false }
        let most = found.compactMap { urls[$0]?.queryParts.count }.max()
        return found.filter { urls[$0]?.queryParts.count == most }
    }

    private static let inventedPaths: [(EndpointName, String)] = [
        (.authorization, "authorize"), (.token, "token"), (.userinfo, "userinfo"), (.jwks, "jwks"),
        (.revocation, "revoke"), (.introspection, "introspect"), (.endSession, "logout"),
        (.deviceAuthorization, "device"), (.pushedAuthorizationRequest, "par"),
        (.registration, "register"),
    ]
}
