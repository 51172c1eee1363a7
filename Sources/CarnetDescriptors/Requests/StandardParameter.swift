/// A parameter of a standard that the engine sends.
package enum StandardParameter: String, CaseIterable, Sendable {
    case acrValues = "acr_values"
    case actorToken = "actor_token"
    case actorTokenType = "actor_token_type"
    case assertion
    case audience
    case authorizationDetails = "authorization_details"
    case claims
    case clientAssertion = "client_assertion"
    case clientAssertionType = "client_assertion_type"
    case clientID = "client_id"
    case clientSecret = "client_secret"
    case code
    case codeChallenge = "code_challenge"
    case codeChallengeMethod = "code_challenge_method"
    case codeVerifier = "code_verifier"
    case deviceCode = "device_code"
    case dpopThumbprint = "dpop_jkt"
    case grantType = "grant_type"
    case idTokenHint = "id_token_hint"
    case loginHint = "login_hint"
    case maxAge = "max_age"
    case nonce
    case postLogoutRedirectURI = "post_logout_redirect_uri"
    case prompt
    case redirectURI = "redirect_uri"
    case refreshToken = "refresh_token"
    case request
    case requestURI = "request_uri"
    case requestedTokenType = "requested_token_type"
    case resource
    case responseMode = "response_mode"
    case responseType = "response_type"
    case scope
    case state
    case subjectToken = "subject_token"
    case subjectTokenType = "subject_token_type"
    case token
    case tokenTypeHint = "token_type_hint"
    case uiLocales = "ui_locales"

    /// Whether the value is new for each sign-in: a constant protects nothing.
    package var isPerAttempt: Bool {
        switch self {
        case .state, .nonce, .codeChallenge, .codeVerifier: true
        default: false
        }
    }

    /// Whether the value is a code, a token or a credential, which logs must not hold.
    package var isSecret: Bool {
        switch self {
        case .code, .codeVerifier, .clientSecret, .clientAssertion, .refreshToken, .token, .deviceCode, .subjectToken,
            .actorToken, .assertion:
            true
        default: false
        }
    }
}

/// A parameter of one request.
package struct RequestParameter: Sendable {
    package let name: StandardParameter
    /// Where a standard defines it for this request.
    package let source: String
    package let rule: ParameterRule
}

/// What a descriptor can do to a parameter besides renaming it.
package enum ParameterRule: Hashable, Sendable {
    /// The engine always sends it. A descriptor can omit it, and can then send another value under its name.
    case replaceable
    /// The engine sends it if a host asks for it or a client has a key. A descriptor can set it too.
    case settable
    /// A key of the descriptor sets it, so `parameters` cannot.
    case keyed(String)
    /// It protects the sign-in, and can neither be omitted nor replaced.
    case protected
    /// It contains all other parameters (RFC 9101; RFC 9126).
    case carrier
}
