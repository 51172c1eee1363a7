package import CarnetDescriptors

/// The page where the user signs out at the provider itself (OpenID Connect RP-Initiated Logout, section 2).
package struct EndSessionRequest: Sendable {
    /// The URL to open in the user's browser. It may contain the ID token: do not log it.
    package let url: Secret
    /// The `state` that the browser brings back; `nil` if no post-logout redirect URI is registered.
    package let state: Secret?

    /// Builds the request with the client id, the ID token as hint, and the post-logout redirect URI.
    ///
    /// - Throws: `OAuthError` of kind `missingEndpoint` if the provider has no such page, `badRegistration` if the
    ///   post-logout redirect URI is invalid.
    package init(
        for tokens: TokenSet,
        at provider: Provider,
        as registration: ClientRegistration,
        random: any RandomSource
    ) throws(OAuthError) {
        let endpoint = try provider.endpoint(.endSession, for: .signOut)
        var parameters = RequestParameters(.signOut, .logout, provider.logout.request)
        if let idToken = tokens.idToken { try parameters.add(.idTokenHint, idToken) }
        try parameters.add(.clientID, registration.clientID)
        var state: Secret?
        if let target = registration.postLogoutRedirectURI {
            guard ResourceIndicator.isAbsoluteURI(target) else {
                throw OAuthError(
                    .signOut,
                    .badRegistration,
                    "the post-logout redirect URI \"\(target.quotable(limit: 100))\" is not an absolute URI",
                    hint: "use the URI that is registered at the provider, without a fragment"
                )
            }
            let fresh = try random.secret()
            try parameters.add(.postLogoutRedirectURI, target)
            try parameters.add(.state, fresh)
            state = fresh
        }
        try parameters.addExtra(provider.logout.request.parameters, key: "logout.parameters")
        try parameters.refuseRepeats(of: parameters.items, inQueryOf: endpoint, key: "endpoints.end_session")
        url = Secret(endpoint.appendingQuery(parameters.items.encoded))
        self.state = state
    }
}

extension EndSessionRequest {
    /// Whether a request for the post-logout redirect URI is the browser's way back from the page (section 3).
    ///
    /// `false` is not an error. The local session ended before the page was shown, and anybody can send a browser to
    /// this URI. The result only decides whether to show "you are signed out everywhere".
    ///
    /// - Parameter state: The `state` of the end-session request.
    package static func isReturn(_ request: AuthorizationCallback, answering state: Secret?, at provider: Provider)
        -> Bool
    {
        let name = provider.logout.request.rename["state"] ?? "state"
        let values = (PercentEncoding.decodeForm(request.encodedParameters) ?? []).filter { $0.name == name }
        guard let state, values.count == 1 else { return false }
        return Secret(values[0].value) == state
    }
}
