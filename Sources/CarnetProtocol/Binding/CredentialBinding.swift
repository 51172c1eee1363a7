package import CarnetDescriptors
package import CarnetFoundation

/// The places that may receive the credentials of a sign-in: those that the descriptor and the metadata named then.
///
/// A place is an origin, such as `https://id.acme.example:443`, or a host pattern of the descriptor's `trusted_hosts`,
/// such as `*.acme.example`, where the host of a URL is known only at run time.
package struct CredentialBinding: Codable, Hashable, Sendable {
    /// The places that may receive refresh tokens, ID tokens and the client's credentials.
    package var servers: [String]
    /// The places that may receive access tokens only.
    package var resources: [String]
    /// The issuer, if the metadata of a resource named it: the next time, it may name another one at the same server.
    package var issuer: String?
    /// The protected resource. Another one may have the same id, and the same origin.
    package var resource: String?

    package init(servers: [String], resources: [String]) {
        self.servers = servers
        self.resources = resources
    }

    /// The places that a provider names, including those of its metadata if the metadata was merged in.
    package init(to provider: DiscoveredProvider) {
        servers = provider.shared.serverPlaces
        resources = provider.shared.resourcePlaces
        issuer = provider.isIssuerFound ? provider.issuer : nil
        resource = provider.resource?.text
    }
}

extension OAuthError.Step {
    /// Whether a request of this step contains an access token and no credential that is for the authorization server
    /// only.
    package var isOfResource: Bool { [.resource, .profile, .connection].contains(self) }
}

extension WebURL {
    /// Whether the URL is at one of the places of a binding.
    package func isAt(anyOf places: [String]) -> Bool {
        let origin = origin
        return places.contains { place in
            place.holds("://") ? place.isSameBytes(as: origin) : HostPattern(checked: place).matches(self)
        }
    }
}
