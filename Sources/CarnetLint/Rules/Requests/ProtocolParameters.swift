/// The parameters that Carnet sends itself, by request.
enum ProtocolParameters {
    /// RFC 6749, section 4.1.1; RFC 7636, section 4.3; OpenID Connect Core 1.0, section 3.1.2.1.
    static let authorization: Set<String> = [
        "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method",
        "nonce",
    ]

    /// RFC 6749, sections 2.3.1 and 4.1.3; RFC 7636, section 4.5.
    static let token: Set<String> = [
        "grant_type", "code", "redirect_uri", "code_verifier", "client_id", "client_secret",
    ]

    /// RFC 6749, section 6.
    static let refresh: Set<String> = ["grant_type", "refresh_token", "scope", "client_id", "client_secret"]

    /// RFC 6749, section 4.4.2; RFC 8707, section 2.2.
    static let clientCredentials: Set<String> = ["grant_type", "scope", "resource", "client_id", "client_secret"]

    /// RFC 8693, section 2.1.
    static let tokenExchange: Set<String> = [
        "grant_type", "resource", "audience", "scope", "requested_token_type", "subject_token", "subject_token_type",
        "actor_token", "actor_token_type", "client_id", "client_secret",
    ]

    /// RFC 7523, section 2.1; RFC 8707, section 2.2.
    static let jwtBearer: Set<String> = ["grant_type", "assertion", "scope", "resource", "client_id", "client_secret"]

    /// RFC 8628, section 3.1.
    static let device: Set<String> = ["scope", "resource", "client_id", "client_secret"]

    /// RFC 8628, section 3.4.
    static let devicePoll: Set<String> = ["grant_type", "device_code", "client_id", "client_secret"]

    /// RFC 7009, section 2.1.
    static let revocation: Set<String> = ["token", "token_type_hint", "client_id", "client_secret"]

    /// RFC 7662, section 2.1.
    static let introspection: Set<String> = ["token", "token_type_hint", "client_id", "client_secret"]

    /// OpenID Connect RP-Initiated Logout 1.0, section 2.
    static let logout: Set<String> = [
        "id_token_hint", "logout_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales",
    ]

    /// RFC 6749, sections 4.1.2 and 4.1.2.1; RFC 9207.
    static let callback: Set<String> = ["state", "code", "error", "error_description", "error_uri", "iss"]

    /// Parameters that change where or how the answer comes, so that it would not be understood.
    static let answerChanging: Set<String> = ["response_mode", "request", "request_uri"]

    /// RFC 7521, section 4.2.
    private static let assertion: Set<String> = ["client_assertion", "client_assertion_type"]

    /// What is sent if a host asks for it or a client has a key, so that a descriptor can rename it and can also set it:
    /// RFC 8707, section 2.1; RFC 9396, section 2; RFC 9449, section 10; OpenID Connect Core 1.0, sections 3.1.2.1 and 5.5.
    static let optional: [String: Set<String>] = [
        "authorization": [
            "resource", "authorization_details", "dpop_jkt", "claims", "max_age", "acr_values", "login_hint", "prompt",
            "ui_locales",
        ],
        "token": assertion.union(["resource"]),
        "refresh": assertion,
        "client_credentials": assertion,
        "token_exchange": assertion,
        "device": assertion,
        "revocation": assertion,
    ]

    /// Made anew for each sign-in: as a constant they protect nothing.
    static let perAttempt: Set<String> = ["state", "nonce", "code_challenge", "code_verifier"]

    static let all = authorization.union(token).union(answerChanging).union(["refresh_token"])

    /// The requests of a descriptor: the path of the section, what is sent in it, and the keys that add parameters to it.
    static let requests: [(section: [String], parameters: Set<String>, additions: [String])] = [
        (["authorization"], authorization, ["parameters", "offline_parameters", "reconsent_parameters"]),
        (["token"], token, ["parameters"]),
        (["refresh"], refresh, ["parameters"]),
        (["client_credentials"], clientCredentials, ["parameters"]),
        (["token_exchange"], tokenExchange, ["parameters"]),
        (["jwt_bearer"], jwtBearer, ["parameters"]),
        (["device"], device, ["parameters"]),
        (["device", "token"], devicePoll, ["parameters"]),
        (["revocation"], revocation, ["parameters"]),
        (["introspection"], introspection, ["parameters"]),
        (["logout"], logout, ["parameters"]),
    ]
}
