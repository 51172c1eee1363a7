public import CarnetDescriptors
public import Foundation

/// What a sign-in asks for beyond the descriptor and the registration.
public struct AuthorizationOptions: Sendable {
    /// What the provider is to show, or not to (OpenID Connect Core, section 3.1.2.1).
    public enum Prompt: String, Hashable, Sendable, CaseIterable {
        /// Nothing: fail where the user would have to do something. It goes with no other.
        case none
        case login
        case consent
        case selectAccount = "select_account"
        /// The page of a new account (OpenID Connect Prompt Create).
        case create
    }

    /// The scopes to ask for; `nil` for the registration's, else the descriptor's default.
    public var scopes: [String]?
    /// The redirect URI with the port in it, where the registered one leaves it out.
    public var redirectURI: String?
    /// Whether a refresh token is wanted.
    public var isOffline: Bool
    /// Whether the provider shall ask for consent again.
    public var asksForConsent: Bool
    /// The resource servers that the tokens are for: absolute URIs (RFC 8707).
    public var resource: [String]
    /// What exactly is asked for: objects with a `type` (RFC 9396).
    public var authorizationDetails: [JSONValue]
    /// The claims wanted one by one, under `userinfo` and `id_token` (OpenID Connect Core, section 5.5).
    public var claims: JSONObject?
    /// How many seconds ago the user may have signed in at most. The ID token must prove it.
    public var maxAge: Int?
    /// The acceptable classes of authentication, best first. An ID token must name one of them.
    public var acrValues: [String]
    /// Whom the provider is to expect: an address, a name.
    public var loginHint: String?
    public var prompt: [Prompt]
    /// The user's languages, best first (RFC 5646).
    public var uiLocales: [String]
    /// Whether the parameters go to the server directly (RFC 9126), where the descriptor leaves the choice.
    public var isPushed: Bool?
    /// Whether the parameters are signed with the registration's key (RFC 9101), where the descriptor leaves the choice.
    public var isSigned: Bool?
    /// How the answer is to come, where the descriptor leaves that to the provider: as a signed one, say.
    public var responseMode: ResponseMode?
    /// Further parameters. They cannot replace one of the protocol's.
    public var parameters: [Named<String>]
    /// How long the callback may take.
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
        if !stepUp.acrValues.isEmpty { options.acrValues = stepUp.acrValues }
        if let maxAge = stepUp.maxAge { options.maxAge = min(maxAge, options.maxAge ?? maxAge) }
        return options
    }
}
