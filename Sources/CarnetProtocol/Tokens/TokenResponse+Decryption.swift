package import CarnetDescriptors

extension TokenResponse {
    /// The same response with the signed ID token out of the encrypted one (OpenID Connect Core, section 16.14). What is
    /// validated, kept and sent as a hint is the signed token (section 3.1.2.1).
    ///
    /// - Throws: `OAuthError` if it is encrypted otherwise than registered, or not although it should be.
    package func decryptingIDToken(
        for registration: ClientRegistration, from provider: Provider
    ) throws(OAuthError) -> TokenResponse {
        guard let token = idToken else { return self }
        var response = self
        response.idToken = try JSONWebEncryption.signedToken(
            in: token, encryptedAs: registration.idTokenEncryption ?? provider.idTokenEncryption, for: registration,
            step: .idToken, name: "the ID token", key: "id_token.encryption")
        return response
    }
}
