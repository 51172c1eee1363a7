public import CarnetDescriptors

/// What the provider knows this client by: host configuration, never part of a descriptor.
public struct ClientRegistration: Sendable {
    public var clientID: String
    /// `nil` for a public client (RFC 6749, section 2.1).
    public var clientSecret: Secret?
    /// The key that signs its assertions (RFC 7523).
    public var signingKey: ClientKey?
    /// The keys for which ID tokens may be encrypted.
    public var decryptionKeys: [ClientKey]
    /// How its ID tokens are encrypted, where it registered that and the descriptor does not say it.
    public var idTokenEncryption: IDTokenEncryption?
    /// The redirect URI as registered; a loopback URI may leave its port out (RFC 8252, section 7.3).
    public var redirectURI: String
    /// Where the provider sends the browser after a sign-out, as registered (OpenID Connect RP-Initiated Logout,
    /// section 3.1); `nil` if nothing is registered.
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

    public init(
        clientID: String,
        clientSecret: Secret? = nil,
        signingKey: ClientKey? = nil,
        decryptionKeys: [ClientKey] = [],
        idTokenEncryption: IDTokenEncryption? = nil,
        redirectURI: String,
        postLogoutRedirectURI: String? = nil,
        inputs: [String: String] = [:],
        environment: String? = nil,
        scopes: [String]? = nil,
        authenticationMethod: ClientAuthenticationMethod? = nil,
        dpopBoundAccessTokens: Bool? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.signingKey = signingKey
        self.decryptionKeys = decryptionKeys
        self.idTokenEncryption = idTokenEncryption
        self.redirectURI = redirectURI
        self.postLogoutRedirectURI = postLogoutRedirectURI
        self.inputs = inputs
        self.environment = environment
        self.scopes = scopes
        self.authenticationMethod = authenticationMethod
        self.dpopBoundAccessTokens = dpopBoundAccessTokens
    }

    /// Whether the client proves the possession of a key at a provider.
    public func usesDPoP(at provider: Provider) -> Bool {
        dpopBoundAccessTokens ?? provider.client.dpopBoundAccessTokens
    }
}
