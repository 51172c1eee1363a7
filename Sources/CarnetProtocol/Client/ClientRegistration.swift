public import CarnetDescriptors

/// What the provider knows this client by: host configuration, never part of a descriptor.
public struct ClientRegistration: Sendable {
    public var clientID: String
    /// `nil` for a public client (RFC 6749, section 2.1).
    public var clientSecret: Secret?
    /// The key that signs its assertions (RFC 7523).
    public var signingKey: ClientKey?
    /// What it presents in the TLS handshake (RFC 8705).
    public var certificate: ClientCertificate?
    /// The keys for which ID tokens may be encrypted.
    public var decryptionKeys: [ClientKey]
    /// How its ID tokens are encrypted, where it registered that and the descriptor does not say it.
    public var idTokenEncryption: TokenEncryption?
    /// The redirect URI as registered; a loopback URI may leave its port out (RFC 8252, section 7.3).
    public var redirectURI: String
    /// Where the provider may send the browser after a sign-out, as registered (OpenID Connect RP-Initiated Logout,
    /// section 3.1).
    public var postLogoutRedirectURI: String?
    /// Values for the descriptor's inputs.
    public var inputs: [String: String]
    /// The variant of the provider that it is registered at, such as its sandbox.
    public var environment: String?
    /// Scopes to ask for instead of the descriptor's default.
    public var scopes: [String]?
    /// The method registered at the provider, where the descriptor's first choice is not the one.
    public var authenticationMethod: ClientAuthenticationMethod?
    /// Whether its tokens are bound to a key of each sign-in (RFC 9449, section 5.2); `nil` for what the descriptor says.
    public var dpopBoundAccessTokens: Bool?
    /// The key that all its tokens are bound to, in the place of a new one for each sign-in.
    public var dpopKey: ClientKey?
    /// Whether its tokens are bound to its certificate (RFC 8705, section 3.4); `nil` for what the descriptor says.
    public var certificateBoundAccessTokens: Bool?
    /// The origins that its secret, assertions and certificate may be sent to, e.g. `https://id.acme.example`; `nil` for
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
        origins: [String]? = nil
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
    }

    /// Whether the client proves the possession of a key at a provider.
    package func usesDPoP(at provider: Provider) -> Bool {
        dpopBoundAccessTokens ?? (dpopKey != nil || provider.client.dpopBoundAccessTokens)
    }

    /// The key that new tokens are bound to: the client's own, else a new one; `nil` if they are not bound.
    ///
    /// - Throws: `OAuthError` of kind `badRegistration` for a key that cannot sign with ES256.
    package func keyForTokens(at provider: Provider, random: any RandomSource) throws(OAuthError) -> DPoPKey? {
        guard usesDPoP(at: provider) else { return nil }
        if let dpopKey { return try DPoPKey(dpopKey) }
        return try DPoPKey(random: random)
    }

    /// Whether the client presents its certificate with its tokens, too.
    package func bindsTokensToCertificate(at provider: Provider) -> Bool {
        certificateBoundAccessTokens ?? provider.client.certificateBoundAccessTokens
    }
}
