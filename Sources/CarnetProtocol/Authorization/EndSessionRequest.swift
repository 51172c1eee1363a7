package import CarnetDescriptors

/// The page at which the user signs out of the provider itself (OpenID Connect RP-Initiated Logout, section 2).
package struct EndSessionRequest: Sendable {
    /// Where to send the user's browser. It may carry the ID token: do not log it.
    package let url: Secret
    /// What comes back with the browser; `nil` if no post-logout redirect URI is registered.
    package let state: Secret?

    /// The page for a session, with the client id, the ID token that names the session, and where to go from there.
    ///
    /// - Throws: `OAuthError` of kind `missingEndpoint` if the provider has no such page, `badRegistration` if the
    ///   post-logout redirect URI is no URI.
    package init(
        for tokens: TokenSet,
        at provider: Provider,
        as registration: ClientRegistration,
        random: any RandomSource
    ) throws(OAuthError) {
        let endpoint = try provider.endpoint(.endSession, for: .signOut)
        var parameters = RequestParameters(.signOut, .logout, provider.logout)
        if let idToken = tokens.idToken { try parameters.add(.idTokenHint, idToken) }
        try parameters.add(.clientID, registration.clientID)
        var state: Secret?
        if let target = registration.postLogoutRedirectURI {
            guard ResourceIndicator.isAbsoluteURI(target) else {
                throw OAuthError(
                    .signOut,
                    .badRegistration,
                    "the post-logout redirect URI \"\(target.quotable(limit: 100))\" is no absolute URI",
                    hint: "give it as it is registered, without a fragment"
                )
            }
            let fresh = try random.secret()
            try parameters.add(.postLogoutRedirectURI, target)
            try parameters.add(.state, fresh)
            state = fresh
        }
        try parameters.addExtra(provider.logout.parameters, key: "logout.parameters")
        try parameters.refuseRepeats(of: parameters.items, inQueryOf: endpoint, key: "endpoints.end_session")
        url = Secret(endpoint.appendingQuery(parameters.items.encoded))
        self.state = state
    }
}

extension EndSessionRequest {
    /// Whether a request for the post-logout redirect URI is the browser's way back from the page (section 3).
    ///
    /// `false` is no error: the session here ended before the page was shown, so nothing depends on who comes back, and
    /// anybody can send a browser there. It only tells whether to say "you are signed out everywhere".
    ///
    /// - Parameter state: What `state` was when the page was made.
    package static func isReturn(_ request: AuthorizationCallback, answering state: Secret?, at provider: Provider)
        -> Bool
    {
        let name = provider.logout.rename["state"] ?? "state"
        let values = (PercentEncoding.decodeForm(request.encodedParameters) ?? []).filter { $0.name == name }
        guard let state, values.count == 1 else { return false }
        return Secret(values[0].value) == state
    }
}
