public import CarnetDescriptors
public import CarnetFoundation

/// The client as it is registered at the provider. It belongs to the host's configuration, never to a descriptor.
public struct ClientRegistration: SharedValue, Sendable {
    /// The credentials with which the client authenticates, and its other keys.
    public enum Credentials: Sendable {
        /// None: a public client (RFC 6749, section 2.1).
        case publicClient
        case secret(Secret)
        /// The private key that signs client assertions (RFC 7523) and authorization requests (RFC 9101).
        case signingKey(ClientKey)
        /// The certificate for the TLS handshake (RFC 8705).
        case certificate(ClientCertificate)
        /// A private key that decrypts ID tokens and other signed responses (RFC 7516).
        case decryptionKey(ClientKey)
        /// One key that all tokens are bound to, instead of a new key for each sign-in (RFC 9449).
        case dpopKey(ClientKey)
        /// Several of these. A client may have any number of decryption keys, and one of each other kind.
        indirect case all([Credentials])
    }

    @usableFromInline package var shared: Shared<Members>

    package var clientID: String { shared.value.clientID }

    @usableFromInline
    package struct Members: Sendable {
        package var clientID: String
        package var clientSecret: Secret?
        package var signingKey: ClientKey?
        package var certificate: ClientCertificate?
        package var decryptionKeys: [ClientKey] = []
        package var dpopKey: ClientKey?
        /// The redirect URI as registered. A loopback URI may omit its port (RFC 8252, section 7.3).
        package var redirectURI: String
        /// The post-logout redirect URI as registered (OpenID Connect RP-Initiated Logout, section 3.1).
        package var postLogoutRedirectURI: String?
        /// Values of the descriptor's inputs.
        package var inputs: [String: String]
        /// Whether hosts that the inputs name may be on this machine or the local network.
        package var allowsLocalInputs: Bool
        /// The environment of the provider where it is registered, such as a sandbox.
        package var environment: String?
        /// Scopes to request instead of the descriptor's default.
        package var scopes: [String]?
        /// The registered method of client authentication; `nil` for the first of the descriptor that fits.
        package var authenticationMethod: ClientAuthenticationMethod?
        /// Whether tokens are bound to a key of each sign-in (RFC 9449, section 5.2); `nil` for the descriptor's default.
        package var dpopBoundAccessTokens: Bool?
        /// Whether tokens are bound to the client certificate (RFC 8705, section 3.4); `nil` for the descriptor's
        /// default.
        package var certificateBoundAccessTokens: Bool?
        /// The origins that may receive the secret, assertions and certificate; `nil` for those that the descriptor names.
        package var origins: [String]?
    }

    /// - Parameters:
    ///   - redirectURI: As registered. A loopback URI may omit its port (RFC 8252, section 7.3).
    ///   - postLogoutRedirectURI: As registered (OpenID Connect RP-Initiated Logout, section 3.1).
    ///   - inputs: Values of the descriptor's inputs.
    ///   - environment: The environment of the provider where the client is registered, such as a sandbox.
    ///   - scopes: Scopes to request instead of the descriptor's default.
    ///   - authenticationMethod: The registered method of client authentication; `nil` for the first of the descriptor
    ///     that fits.
    ///   - dpopBoundAccessTokens: Whether tokens are bound to a key of each sign-in (RFC 9449, section 5.2); `nil` for the
    ///     descriptor's default.
    ///   - certificateBoundAccessTokens: Whether tokens are bound to the client certificate (RFC 8705, section 3.4); `nil`
    ///     for the descriptor's default.
    ///   - origins: The origins that may receive the secret, assertions and certificate, e.g. `https://id.acme.example`;
    ///     `nil` for those that the descriptor names.
    ///   - allowsLocalInputs: Whether hosts that the inputs name may be on this machine or the local network: the inputs
    ///     come from the host program's configuration, and not from a user.
    public init(
        clientID: String,
        credentials: Credentials = .publicClient,
        redirectURI: String,
        postLogoutRedirectURI: String? = nil,
        inputs: [String: String] = [:],
        environment: String? = nil,
        scopes: [String]? = nil,
        authenticationMethod: ClientAuthenticationMethod? = nil,
        dpopBoundAccessTokens: Bool? = nil,
        certificateBoundAccessTokens: Bool? = nil,
        origins: [String]? = nil,
        allowsLocalInputs: Bool = false
    ) {
        var members = Members(
            clientID: clientID, redirectURI: redirectURI, postLogoutRedirectURI: postLogoutRedirectURI, inputs: inputs,
            allowsLocalInputs: allowsLocalInputs, environment: environment, scopes: scopes,
            authenticationMethod: authenticationMethod, dpopBoundAccessTokens: dpopBoundAccessTokens,
            certificateBoundAccessTokens: certificateBoundAccessTokens, origins: origins)
        members.add(credentials)
        shared = Shared(members)
    }

    /// Whether tokens at a provider are bound to a key that the client proves to have.
    package func usesDPoP(at provider: some ProviderStage) -> Bool {
        self.dpopBoundAccessTokens ?? (self.dpopKey != nil || provider.client.dpopBoundAccessTokens)
    }

    /// The key for new tokens: the client's own, else a new one; `nil` if they are not bound.
    ///
    /// - Throws: `OAuthError` of kind `badRegistration` for a key that cannot sign with ES256.
    package func keyForTokens(at provider: some ProviderStage, random: any RandomSource) throws(OAuthError) -> DPoPKey?
    {
        guard usesDPoP(at: provider) else { return nil }
        if let dpopKey = self.dpopKey { return try DPoPKey(dpopKey) }
        return try DPoPKey(random: random)
    }

    /// Whether the client presents its certificate with its access tokens as well.
    package func bindsTokensToCertificate(at provider: some ProviderStage) -> Bool {
        self.certificateBoundAccessTokens ?? provider.client.certificateBoundAccessTokens
    }
}

extension ClientRegistration.Credentials {
    /// Those of these that are there.
    package static func available(
        secret: Secret? = nil, signingKey: ClientKey? = nil, certificate: ClientCertificate? = nil,
        decryptionKeys: [ClientKey] = [], dpopKey: ClientKey? = nil
    ) -> Self {
        let single = [
            secret.map { .secret($0) }, signingKey.map { .signingKey($0) }, certificate.map { .certificate($0) },
            dpopKey.map { Self.dpopKey($0) },
        ]
        return .all(single.compactMap { $0 } + decryptionKeys.map { .decryptionKey($0) })
    }
}

extension ClientRegistration.Members {
    fileprivate mutating func add(_ credentials: ClientRegistration.Credentials) {
        switch credentials {
        case .publicClient: break
        case .secret(let secret): clientSecret = secret
        case .signingKey(let key): signingKey = key
        case .certificate(let certificate): self.certificate = certificate
        case .decryptionKey(let key): decryptionKeys.append(key)
        case .dpopKey(let key): dpopKey = key
        case .all(let several): for one in several { add(one) }
        }
    }
}
