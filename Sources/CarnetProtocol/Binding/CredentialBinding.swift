package import CarnetDescriptors

/// Where the credentials of a sign-in may be sent: what the descriptor and the metadata of its provider named then.
///
/// A place is an origin, such as `https://id.acme.example:443`, or a host pattern of the descriptor's `trusted_hosts`, such
/// as `*.acme.example`, where the host of a URL is known only at run time.
package struct CredentialBinding: Codable, Hashable, Sendable {
    /// The places that may get refresh tokens, ID tokens and what authenticates the client.
    package var servers: [String]
    /// The places that may get access tokens alone.
    package var resources: [String]

    package init(servers: [String], resources: [String]) {
        self.servers = servers
        self.resources = resources
    }

    /// The places that a provider names, its metadata included where that was merged in.
    package init(to provider: borrowing Provider) {
        servers = provider.serverPlaces
        resources = provider.resourcePlaces
    }
}

extension OAuthError.Step {
    /// Whether a request of this step carries an access token and none of the credentials that are for the authorization
    /// server alone.
    package var isOfResource: Bool {
        switch self {
        case .resource, .profile, .connection: true
        default: false
        }
    }
}

extension WebURL {
    /// Whether the URL is at one of the places of a binding.
    package func isAt(anyOf places: [String]) -> Bool {
        let origin = origin
        return places.contains { place in
            place.contains("://") ? place.isSameBytes(as: origin) : HostPattern(checked: place).matches(self)
        }
    }
}
