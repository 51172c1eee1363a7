import Carnet
import CarnetDescriptors
import CarnetFoundation

/// What a client must be for people to sign in with it at a site.
extension WebSignIn {
    /// Asked when the site starts, and of clients that come later before each sign-in.
    ///
    /// - Throws: `OAuthError` of step `configuration`.
    func check(_ client: OAuthClient) throws(OAuthError) {
        let (provider, registration) = (client.provider, client.registration)
        guard provider.hasSignInPage else {
            throw OAuthError(
                .configuration, .missingEndpoint, "\(provider.name) has \(provider.obstacleToSites ?? "")",
                descriptorKey: "endpoints.authorization", hint: "name it only where no person signs in")
        }
        guard isPage(registration.redirectURI) else {
            throw misplaced("redirect URI", of: provider, usually: usualRedirectURI(of: provider))
        }
        guard registration.postLogoutRedirectURI.map(isPage) ?? true else {
            throw misplaced("post-logout redirect URI", of: provider, usually: "\(origin.text)\(paths.signedOut)")
        }
        try checkMixUp(client)
        if provider.logout.frontChannel { try client.requireSessionIndex() }
    }

    private func misplaced(_ uri: String, of provider: Provider, usually example: String) -> OAuthError {
        OAuthError(
            .configuration, .badRegistration, "the \(uri) of \(provider.name) is not on the site \(origin.text)",
            hint: "register one such as \(example)")
    }

    /// A redirect URI of its own shows which server sent a browser there; `iss` does, where it must be there (RFC 9700,
    /// section 4.4.2). Without either, a code of one server could be sent to another.
    private func checkMixUp(_ client: OAuthClient) throws(OAuthError) {
        let path = (try? WebURL(client.registration.redirectURI))?.path ?? ""
        let sharers = clients.providers(receivingCallbacksAt: path).compactMap { clients[$0] }
        guard sharers.count > 1, let lax = sharers.first(where: { !$0.provider.callbackNamesIssuer }) else { return }
        throw OAuthError(
            .configuration, .badRegistration,
            "\(sharers.map(\.provider.name).joined(separator: " and ")) share the redirect URI "
                + "\(client.registration.redirectURI), and callbacks of \(lax.provider.name) need no iss parameter",
            descriptorKey: "callback.iss",
            hint:
                "register one for each, such as \(usualRedirectURI(of: lax.provider)), or set callback.iss: required for all"
        )
    }

    private func usualRedirectURI(of provider: Provider) -> String {
        "\(origin.text)\(startPath(of: provider.id))/callback"
    }

    private func isPage(_ uri: String) -> Bool {
        guard let url = try? WebURL(uri) else { return false }
        return url.origin == origin.origin && !url.path.isEmpty
    }
}

extension ProviderSections {
    /// Whether every callback that brings a code names the issuer, according to the descriptor: metadata is the
    /// server's, who may be the one that mixes up.
    fileprivate var callbackNamesIssuer: Bool {
        callback.requiresIssuer || authorization.responseMode?.isSigned ?? false
    }
}
