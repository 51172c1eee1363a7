public import CarnetDescriptors

/// The page at which the user signs out of the provider itself (OpenID Connect RP-Initiated Logout, section 2).
public enum EndSessionRequest {
    /// The URL to show, with the client id, where to go afterwards if that is registered, and the ID token that names
    /// the session if there is one.
    ///
    /// - Throws: `OAuthError` of kind `missingEndpoint` if the provider has no such page.
    public static func url(
        for tokens: TokenSet,
        at provider: Provider,
        as registration: ClientRegistration
    ) throws(OAuthError) -> Secret {
        let endpoint = try provider.endpoint(.endSession, for: .signOut)
        var parameters = RequestParameters(.signOut, "logout", provider.logout)
        if let idToken = tokens.idToken { try parameters.add("id_token_hint", idToken) }
        try parameters.add("client_id", registration.clientID)
        if let target = registration.postLogoutRedirectURI {
            try parameters.add("post_logout_redirect_uri", target)
        }
        try parameters.addExtra(provider.logout.parameters, key: "logout.parameters")
        try parameters.refuseRepeats(of: parameters.items, inQueryOf: endpoint, key: "endpoints.end_session")
        return Secret(endpoint.appendingQuery(parameters.items.encoded))
    }
}
