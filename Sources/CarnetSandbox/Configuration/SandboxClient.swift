public import CarnetDescriptors
public import CarnetFoundation

/// A client that is registered at the sandbox.
public struct SandboxClient: Sendable {
    package var clientID: String
    package var clientSecret: String?
    /// Its public keys (RFC 7517, section 4), for assertions and for encryption.
    package var keys: [JSONValue]
    /// Its certificate in DER form, for client authentication in TLS (RFC 8705).
    package var certificate: [UInt8]?
    /// Compared byte by byte, except for the port on `127.0.0.1` and `[::1]` (RFC 8252, section 7.3).
    package var redirectURIs: [String]
    /// The post-logout redirect URIs (OpenID Connect RP-Initiated Logout, section 3.1).
    package var postLogoutRedirectURIs: [String]
    /// The back-channel logout URI (OpenID Connect Back-Channel Logout, section 2.2).
    package var backChannelLogoutURI: String?
    /// The front-channel logout URI, for descriptors with `logout.front_channel` (OpenID Connect Front-Channel
    /// Logout, section 2).
    package var frontChannelLogoutURI: String?
    /// The method of client authentication. `nil`: the descriptor's first method that uses the client's key or
    /// secret, else `none`.
    package var authenticationMethod: ClientAuthenticationMethod?

    public init(
        clientID: String, clientSecret: String? = nil, keys: [JSONValue] = [], certificate: [UInt8]? = nil,
        redirectURIs: [String], postLogoutRedirectURIs: [String] = [], backChannelLogoutURI: String? = nil,
        frontChannelLogoutURI: String? = nil, authenticationMethod: ClientAuthenticationMethod? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.keys = keys
        self.certificate = certificate
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.backChannelLogoutURI = backChannelLogoutURI
        self.frontChannelLogoutURI = frontChannelLogoutURI
        self.authenticationMethod = authenticationMethod
    }

    func method(for rules: ResolvedClient) -> ClientAuthenticationMethod {
        let usable = rules.authentication.filter(canUse)
        return authenticationMethod ?? usable.first(where: \.usesCertificate) ?? usable.first(where: \.usesKey)
            ?? usable.first(where: \.usesSecret) ?? .none
    }

    /// Whether it has the credentials of a method.
    func canUse(_ method: ClientAuthenticationMethod) -> Bool {
        if method.usesCertificate { return certificate != nil }
        if method.usesKey { return keys.compactMap(RegisteredKey.init).contains(where: \.isForSignatures) }
        return method == .none || clientSecret != nil
    }

    func allows(redirectURI: String) -> Bool {
        redirectURIs.contains { registered in
            registered.isSameBytes(as: redirectURI)
                || Self.loopbackWithoutPort(registered).map { $0 == Self.loopbackWithoutPort(redirectURI) } ?? false
        }
    }

    /// The URI of a loopback IP literal without its port; `nil` for any other, `localhost` included.
    private static func loopbackWithoutPort(_ uri: String) -> [UInt8]? {
        for host in ["http://127.0.0.1", "http://[::1]"] where uri.hasPrefix(host) {
            var rest = Array(uri.utf8.dropFirst(host.utf8.count))[...]
            if rest.first == UInt8(ascii: ":") {
                rest = rest.dropFirst()
                let digits = rest.prefix { (0x30...0x39).contains($0) }
                guard let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0 else { return nil }
                rest = rest.dropFirst(digits.count)
            }
            return Array(host.utf8) + rest
        }
        return nil
    }
}

extension SandboxClient: Described {
    package var summary: String { "SandboxClient(\(clientID))" }
}
