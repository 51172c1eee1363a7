public import CarnetDescriptors

/// The client as it is registered at the provider. It belongs to the host's configuration, never to a descriptor.
public struct ClientRegistration: Sendable {
    public var clientID: String
    /// `nil` for a public client (RFC 6749, section 2.1).
    public var clientSecret: Secret?
    /// The private key that signs client assertions (RFC 7523).
    public var signingKey: ClientKey?
    /// The certificate for the TLS handshake (RFC 8705).
    public var certificate: ClientCertificate?
    /// The private keys that decrypt ID tokens.
    public var decryptionKeys: [ClientKey]
    /// The algorithms that ID tokens are encrypted with, if they are registered and not in the descriptor.
    public var idTokenEncryption: TokenEncryption?
    /// The redirect URI as registered. A loopback URI may omit its port (RFC 8252, section 7.3).
    public var redirectURI: String
    /// The post-logout redirect URI as registered (OpenID Connect RP-Initiated Logout,
    /// section 3.1).
    public var postLogoutRedirectURI: String?
    /// Values of the descriptor's inputs.
    public var inputs: [String: String]
    /// Whether hosts that the inputs name may be on this machine or the local network: the inputs come from the host
    /// program's configuration, and not from a user.
    public var allowsLocalInputs: Bool
    /// The environment of the provider where it is registered, such as a sandbox.
    public var environment: String?
    /// Scopes to request instead of the descriptor's default.
    public var scopes: [String]?
    /// The registered method of client authentication; `nil` for the first of the descriptor that fits.
    public var authenticationMethod: ClientAuthenticationMethod?
    /// Whether tokens are bound to a key of each sign-in (RFC 9449, section 5.2); `nil` for the descriptor's default.
    public var dpopBoundAccessTokens: Bool?
    /// One key that all tokens are bound to, instead of a new key for each sign-in.
    public var dpopKey: ClientKey?
    /// Whether tokens are bound to the client certificate (RFC 8705, section 3.4); `nil` for the descriptor's
    /// default.
    public var certificateBoundAccessTokens: Bool?
    /// The origins that may receive the secret, assertions and certificate, e.g. `https://id.acme.example`; `nil` for
    /// those that the descriptor names.
    public var origins: [String]?

    public init(
        clientID: String,
        clientSecret: Secret? = nil,
        signingKey: ClientKey? = nil,
        certificate: ClientCertificate? = nil,
        decryptionKeys: [ClientKey] = [],
        idTokenEncryption: TokenEncryption? = nil,
        redirectURI: String,
        postLogoutRedirectURI: String? = nil,
        inputs: [String: String] = [:],
        environment: String? = nil,
        scopes: [String]? = nil,
        authenticationMethod: ClientAuthenticationMethod? = nil,
        dpopBoundAccessTokens: Bool? = nil,
        dpopKey: ClientKey? = nil,
        certificateBoundAccessTokens: Bool? = nil,
        origins: [String]? = nil,
        allowsLocalInputs: Bool = false
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.signingKey = signingKey
        self.certificate = certificate
        self.decryptionKeys = decryptionKeys
        self.idTokenEncryption = idTokenEncryption
        self.redirectURI = redirectURI
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.inputs = inputs
        self.environment = environment
        self.scopes = scopes
        self.authenticationMethod = authenticationMethod
        self.dpopBoundAccessTokens = dpopBoundAccessTokens
        self.dpopKey = dpopKey
        self.certificateBoundAccessTokens = certificateBoundAccessTokens
        self.origins = origins
        self.allowsLocalInputs = allowsLocalInputs
    }

    /// Whether tokens at a provider are bound to a key that the client proves to have.
    package func usesDPoP(at provider: Provider) -> Bool {
        dpopBoundAccessTokens ?? (dpopKey != nil || provider.client.dpopBoundAccessTokens)
    }

    /// The key for new tokens: the client's own, else a new one; `nil` if they are not bound.
    ///
    /// - Throws: `OAuthError` of kind `badRegistration` for a key that cannot sign with ES256.
    package func keyForTokens(at provider: Provider, random: any RandomSource) throws(OAuthError) -> DPoPKey? {
        guard usesDPoP(at: provider) else { return nil }
        if let dpopKey { return try DPoPKey(dpopKey) }
        return try DPoPKey(random: random)
    }

    /// Whether the client presents its certificate with its access tokens as well.
    package func bindsTokensToCertificate(at provider: Provider) -> Bool {
        certificateBoundAccessTokens ?? provider.client.certificateBoundAccessTokens
    }
}
