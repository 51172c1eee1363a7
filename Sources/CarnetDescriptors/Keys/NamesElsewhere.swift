/// The names that other programs have for keys of this language, in their configurations or in standards.
enum NamesElsewhere {
    /// What to write for a name at the top of a descriptor.
    static func atTop(_ name: String) -> String? {
        let word = folded(name)
        return credential(word) ?? endpoint(word).map { "it is endpoints.\($0.rawValue)" }
            ?? keys[word].map { "it is \($0)" }
    }

    /// The endpoint that a name of `endpoints` means.
    static func inEndpoints(_ name: String) -> String? {
        let word = folded(name)
        return (endpoint(word) ?? endpoint(word + "url")).map { "it is \($0.rawValue)" }
    }

    /// What to write for the URL in a section that shapes a request.
    static func url(_ name: String, of endpoint: EndpointName) -> String? {
        ["url", "uri", "endpoint"].contains(name) ? "it is endpoints.\(endpoint.rawValue)" : nil
    }

    /// What to say to somebody who writes the client's own data into a descriptor.
    static func credential(_ name: String) -> String? {
        switch folded(name) {
        case "clientid", "appid", "clientkey":
            "a descriptor is the same for all clients and contains no client id: pass it with --client-id, write it into "
                + "a clients file, or give it in code as ClientRegistration; one that the provider publishes for everyone is "
                + "client.published_id"
        case "clientsecret", "appsecret", "secret", "apikey", "apisecret", "password", "accesstoken", "refreshtoken":
            "a descriptor contains no secret, because everyone who uses the provider has it: pass the secret with "
                + "--client-secret-env, write it into a clients file, or give it in code as ClientRegistration; if this "
                + "file was ever shared, replace the secret at the provider"
        case "redirecturi", "redirecturl", "callbackurl":
            "the redirect URI belongs to the client: pass it with --redirect-uri, or write it into a clients file; "
                + "'redirects' lists the forms that the provider accepts"
        default: nil
        }
    }

    /// The endpoint that a section's key names.
    static func endpointMeant(_ name: String) -> String? {
        endpoint(of: name).map { "it is endpoints.\($0.rawValue)" }
    }

    /// The endpoint whose URL stands under a section's key.
    static func endpoint(of section: String) -> EndpointName? { endpoint(folded(section) + "url") }

    private static func folded(_ name: String) -> String {
        name.lowercased().filter { $0 != "_" && $0 != "-" }
    }

    private static func endpoint(_ word: String) -> EndpointName? {
        guard let suffix = ["endpoint", "url", "uri"].first(where: word.hasSuffix) else { return nil }
        return endpoints[String(word.dropLast(suffix.count))]
    }

    private static let endpoints: [String: EndpointName] = [
        "authorization": .authorization, "authorize": .authorization, "auth": .authorization, "login": .authorization,
        "token": .token, "accesstoken": .token, "refresh": .refresh, "refreshtoken": .refresh,
        "userinfo": .userinfo, "user": .userinfo, "profile": .userinfo, "jwks": .jwks,
        "revocation": .revocation, "revoke": .revocation, "introspection": .introspection, "introspect": .introspection,
        "endsession": .endSession, "logout": .endSession, "deviceauthorization": .deviceAuthorization,
        "pushedauthorizationrequest": .pushedAuthorizationRequest, "registration": .registration,
    ]

    private static let keys = [
        "authorize": "endpoints.authorization", "auth": "endpoints.authorization",
        "userinfo": "endpoints.userinfo", "scope": "scopes.default", "defaultscopes": "scopes.default",
        "defaultscope": "scopes.default", "scopeseparator": "scopes.separator", "scopedelimiter": "scopes.separator",
        "baseurl": "api.base_url", "apibaseurl": "api.base_url", "apiurl": "api.base_url",
        "authorizationparams": "authorization.parameters", "authparams": "authorization.parameters",
        "authorizationparameters": "authorization.parameters", "tokenparams": "token.parameters",
        "tokenparameters": "token.parameters", "tokenendpointauthmethod": "client.authentication",
        "tokenendpointauthmethods": "client.authentication",
        "tokenendpointauthmethodssupported": "client.authentication", "clientauthmethod": "client.authentication",
        "responsetype": "authorization.response_type", "responsemode": "authorization.response_mode",
        "granttype": "token.grant_type", "displayname": "name", "claims": "profile.claims",
        "wellknown": "issuer; for a document elsewhere, discovery_url",
        "wellknownurl": "issuer; for a document elsewhere, discovery_url",
        "metadataurl": "issuer; for a document elsewhere, discovery_url",
        "openidconfiguration": "issuer; for a document elsewhere, discovery_url",
        "pkce": "authorization.pkce; PKCE is on without it",
        "usepkce": "authorization.pkce; PKCE is on without it",
        "codechallengemethod": "authorization.pkce; PKCE with S256 is on without it",
    ]
}
