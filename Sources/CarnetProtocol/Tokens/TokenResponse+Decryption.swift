package import CarnetDescriptors

extension TokenResponse {
    /// Decrypts the ID token (OpenID Connect Core, section 16.14). The signed token is validated, stored and sent as a
    /// hint (section 3.1.2.1). The authorization server of a resource may pass on the response of another one: an ID token
    /// that nobody requested there is dropped, and names nobody.
    ///
    /// - Parameter scopes: Those of the request.
    /// - Throws: `OAuthError` if the encryption differs from the registered one.
    package mutating func decryptIDToken(
        for registration: ClientRegistration, from provider: FilledProvider, requested scopes: [String]
    ) throws(OAuthError) {
        if provider.resource != nil, !scopes.contains("openid") { idToken = nil }
        guard let token = idToken else { return }
        idToken = try JSONWebEncryption.signedToken(
            in: token, .idToken, encryptedAs: provider.idToken.encryption, for: registration)
    }
}
