package import CarnetDescriptors
import CarnetFoundation

/// The page where the user signs out at the provider itself (OpenID Connect RP-Initiated Logout, section 2).
package struct EndSessionRequest: Sendable {
    /// The URL to open in the user's browser. It may contain the ID token: do not log it.
    package let url: Secret
    /// The `state` that the browser brings back; `nil` if no post-logout redirect URI is registered.
    package let state: Secret?

    /// The longest URL that servers can be expected to accept, in bytes (RFC 9110, section 4.1).
    private static let longestURL = 8000

    /// Builds the request with the client id, the ID token as hint, and the post-logout redirect URI.
    ///
    /// An ID token that would make the URL too long, such as one that lists hundreds of groups, is not sent: it is only a
    /// hint, and the provider asks the user instead.
    ///
    /// - Throws: `OAuthError` of kind `missingEndpoint` if the provider has no such page, `badRegistration` if the
    ///   post-logout redirect URI is invalid.
    package init(
        for tokens: TokenSet, at provider: FilledProvider, as registration: ClientRegistration, random: any RandomSource
    ) throws(OAuthError) {
        let endpoint = try provider.endpoint(.endSession, for: .signOut)
        var parameters = RequestParameters(.signOut, .logout, provider.logout.request)
        if let idToken = tokens.idToken { try parameters.add(.idTokenHint, idToken) }
        try parameters.add(.clientID, registration.clientID)
        var state: Secret?
        if let target = registration.postLogoutRedirectURI {
            guard ResourceIndicator.isAbsoluteURI(target) else {
                throw OAuthError(
                    .signOut, .badRegistration,
                    "the post-logout redirect URI \"\(target.quotable(limit: 100))\" is not an absolute URI",
                    hint: "use the URI that is registered at the provider, without a fragment")
            }
            let fresh = try random.secret()
            try parameters.add(.postLogoutRedirectURI, target)
            try parameters.add(.state, fresh)
            state = fresh
        }
        try parameters.addExtra(provider.logout.request.parameters, key: "logout.parameters")
        try parameters.refuseRepeats(of: parameters.items, inQueryOf: endpoint, key: "endpoints.end_session")
        let whole = endpoint.appendingQuery(parameters.items.encoded)
        let isTooLong = whole.utf8.count > Self.longestURL
        let short = parameters.items.filter { $0.standardName != StandardParameter.idTokenHint.rawValue }
        url = Secret(isTooLong ? endpoint.appendingQuery(short.encoded) : whole)
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
    package static func isReturn(
        _ request: AuthorizationCallback, state: Secret?, at provider: some ProviderStage
    )
        -> Bool
    {
        let name = provider.logout.request.rename["state"] ?? "state"
        let values = (PercentEncoding.decodeForm(request.encodedParameters) ?? []).filter { $0.name == name }
        guard let state, values.count == 1 else { return false }
        return Secret(values[0].value) == state
    }
}
