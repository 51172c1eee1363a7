public import CarnetDescriptors
public import Foundation

/// What one sign-in requests beyond the descriptor and the registration.
public struct AuthorizationOptions: Sendable {
    /// Which pages the provider shows, or must not show (OpenID Connect Core, section 3.1.2.1).
    public enum Prompt: String, Hashable, Sendable, CaseIterable {
        /// No page: the provider returns an error if the user would have to act. It cannot be combined with another
        /// value.
        case none
        case login
        case consent
        case selectAccount = "select_account"
        /// The page for a new account (OpenID Connect Prompt Create).
        case create
    }

    /// The scopes to request; `nil` for the registration's, else the descriptor's default.
    public var scopes: [String]?
    /// The redirect URI with its port, if the registered one has none.
    public var redirectURI: String?
    /// Whether to request a refresh token.
    public var isOffline: Bool
    /// Whether the provider asks the user for consent again.
    public var asksForConsent: Bool
    /// The resource servers that the tokens are for: absolute URIs (RFC 8707).
    public var resource: [String]
    /// Fine-grained permissions to request: objects with a `type` (RFC 9396).
    public var authorizationDetails: [JSONValue]
    /// The claims wanted one by one, under `userinfo` and `id_token` (OpenID Connect Core, section 5.5). With
    /// `"id_token": {"acr": {"essential": true, "values": [...]}}` an ID token must name one of these classes (section
    /// 5.5.1.1).
    public var claims: JSONObject?
    /// The maximum age of the user's authentication, in seconds. The ID token must prove it.
    public var maxAge: Int?
    /// The preferred classes of authentication, best first. The provider may choose another (OpenID Connect Core, section
    /// 3.1.2.1); `claims` requires one.
    public var acrValues: [String]
    /// Whether an ID token must name one of `acrValues`.
    var requiresACR = false
    /// A hint for the provider about the user: an e-mail address or a user name.
    public var loginHint: String?
    public var prompt: [Prompt]
    /// The user's languages, best first (RFC 5646).
    public var uiLocales: [String]
    /// Whether to push the parameters to the server (RFC 9126); `nil` for the descriptor's default. Ignored if the
    /// descriptor decides.
    public var isPushed: Bool?
    /// Whether to sign the parameters with the registration's key (RFC 9101); `nil` for the descriptor's default.
    /// Ignored if the descriptor decides.
    public var isSigned: Bool?
    /// The response mode to request, for example a signed one, if the descriptor sets none.
    public var responseMode: ResponseMode?
    /// Additional parameters. They cannot replace a parameter of the protocol.
    public var parameters: [Named<String>]
    /// The time until the callback must arrive, in seconds.
    public var lifetime: TimeInterval

    public init(
        scopes: [String]? = nil,
        redirectURI: String? = nil,
        isOffline: Bool = true,
        asksForConsent: Bool = false,
        resource: [String] = [],
        authorizationDetails: [JSONValue] = [],
        claims: JSONObject? = nil,
        maxAge: Int? = nil,
        acrValues: [String] = [],
        loginHint: String? = nil,
        prompt: [Prompt] = [],
        uiLocales: [String] = [],
        isPushed: Bool? = nil,
        isSigned: Bool? = nil,
        responseMode: ResponseMode? = nil,
        parameters: [Named<String>] = [],
        lifetime: TimeInterval = 600
    ) {
        self.scopes = scopes
        self.redirectURI = redirectURI
        self.isOffline = isOffline
        self.asksForConsent = asksForConsent
        self.resource = resource
        self.authorizationDetails = authorizationDetails
        self.claims = claims
        self.maxAge = maxAge
        self.acrValues = acrValues
        self.loginHint = loginHint
        self.prompt = prompt
        self.uiLocales = uiLocales
        self.isPushed = isPushed
        self.isSigned = isSigned
        self.responseMode = responseMode
        self.parameters = parameters
        self.lifetime = lifetime
    }
}

extension AuthorizationOptions {
    /// The options for a new sign-in that meets what a resource demands (RFC 9470, section 5).
    public func steppingUp(to stepUp: StepUp) -> AuthorizationOptions {
        var options = self
        if !stepUp.acrValues.isEmpty {
            (options.acrValues, options.requiresACR) = (stepUp.acrValues, true)
        }
        if let maxAge = stepUp.maxAge { options.maxAge = min(maxAge, options.maxAge ?? maxAge) }
        return options
    }
}

extension AuthorizationOptions {
    /// The classes of authentication of which an ID token must name one.
    var essentialACRs: [String] {
        guard let acr = claims?["id_token"]?["acr"], acr["essential"]?.bool == true else {
            return requiresACR ? acrValues : []
        }
        return acr["values"]?.array?.compactMap(\.string) ?? acr["value"]?.string.map { [$0] } ?? []
    }
}
