public import CarnetDescriptors
public import CarnetFoundation

/// What one sign-in requests beyond the descriptor and the registration.
public struct AuthorizationOptions: Sendable {
    /// Which pages the provider shows, or must not show (OpenID Connect Core, section 3.1.2.1).
    public enum Prompt: String, Hashable, Sendable, CaseIterable {
        /// No page: the provider returns an error if the user would have to act. It cannot be combined with another
        /// value.
        case none
        case login
        /// The page that asks for consent, also if the user consented before. A descriptor may name the parameters for it.
        case consent
        case selectAccount = "select_account"
        /// The page for a new account (OpenID Connect Prompt Create).
        case create
    }

    /// What the tokens allow, besides the scopes.
    public struct Access: Sendable {
        package var resource: [String]
        package var authorizationDetails: [JSONValue]
        package var claims: JSONObject?

        /// - Parameters:
        ///   - resource: The resource servers that the tokens are for: absolute URIs (RFC 8707).
        ///   - authorizationDetails: Fine-grained permissions to request: objects with a `type` (RFC 9396).
        ///   - claims: Single claims to request, under `userinfo` and `id_token` (OpenID Connect Core, section 5.5).
        ///     With `"id_token": {"acr": {"essential": true, "values": [...]}}` an ID token must name one of these
        ///     classes (section 5.5.1.1).
        public init(resource: [String] = [], authorizationDetails: [JSONValue] = [], claims: JSONObject? = nil) {
            self.resource = resource
            self.authorizationDetails = authorizationDetails
            self.claims = claims
        }
    }

    /// How the authorization request and its response are sent.
    public struct Delivery: Sendable {
        package var isPushed: Bool?
        package var isSigned: Bool?
        package var responseMode: ResponseMode?

        /// - Parameters:
        ///   - isPushed: Whether to push the parameters to the server (RFC 9126); `nil` for the descriptor's default. Ignored
        ///     if the descriptor decides.
        ///   - isSigned: Whether to sign the parameters with the registration's key (RFC 9101); `nil` for the descriptor's
        ///     default. Ignored if the descriptor decides.
        ///   - responseMode: The response mode to request, for example a signed one, if the descriptor sets none.
        public init(isPushed: Bool? = nil, isSigned: Bool? = nil, responseMode: ResponseMode? = nil) {
            self.isPushed = isPushed
            self.isSigned = isSigned
            self.responseMode = responseMode
        }
    }

    package var scopes: [String]?
    package var extraScopes: [String: [String]]
    package var requestsRefreshToken: Bool
    package var access: Access
    package var authentication: AuthenticationRequirements
    package var prompt: [Prompt]
    package var loginHint: String?
    package var uiLocales: [String]
    package var delivery: Delivery
    package var parameters: [Named<String>]
    package var redirectURI: String?
    package var nonce: Secret?
    package var lifetime: TimeInterval

    /// - Parameters:
    ///   - scopes: The scopes to request; `nil` for the registration's, else the descriptor's default.
    ///   - extraScopes: Further scopes for other scope parameters, by their names in the descriptor's `scopes.extra`.
    ///   - requestsRefreshToken: Whether to request a refresh token.
    ///   - access: What the tokens allow, besides the scopes.
    ///   - authentication: How recently and how strongly the user must sign in.
    ///   - prompt: Which pages the provider shows.
    ///   - loginHint: A hint for the provider about the user: an e-mail address or a user name.
    ///   - uiLocales: The user's languages, best first (RFC 5646).
    ///   - delivery: How the authorization request and its response are sent.
    ///   - parameters: Additional parameters. They cannot replace a parameter of the protocol.
    ///   - redirectURI: The redirect URI with its port, if the registered one has none.
    ///   - nonce: The nonce of a server that validates the ID token too; a new one by default. A server's serves once.
    ///   - lifetime: The time until the callback must arrive, in seconds.
    public init(
        scopes: [String]? = nil,
        extraScopes: [String: [String]] = [:],
        requestsRefreshToken: Bool = true,
        access: Access = Access(),
        authentication: AuthenticationRequirements = AuthenticationRequirements(),
        prompt: [Prompt] = [],
        loginHint: String? = nil,
        uiLocales: [String] = [],
        delivery: Delivery = Delivery(),
        parameters: [String: String] = [:],
        redirectURI: String? = nil,
        nonce: String? = nil,
        lifetime: TimeInterval = 600
    ) {
        self.scopes = scopes
        self.extraScopes = extraScopes
        self.requestsRefreshToken = requestsRefreshToken
        self.access = access
        self.authentication = authentication
        self.prompt = prompt
        self.loginHint = loginHint
        self.uiLocales = uiLocales
        self.delivery = delivery
        self.parameters = parameters.sorted { $0.key < $1.key }.map { Named($0.key, $0.value) }
        self.redirectURI = redirectURI
        self.nonce = nonce.map { Secret($0) }
        self.lifetime = lifetime
    }
}

extension AuthorizationOptions {
    /// The classes of authentication of which an ID token must name one.
    var essentialACRs: [String] {
        guard let acr = access.claims?["id_token"]?["acr"], acr["essential"]?.bool == true else {
            return authentication.areRequired ? authentication.acrValues : []
        }
        return acr["values"]?.array?.compactMap(\.string) ?? acr["value"]?.string.map { [$0] } ?? []
    }
}
