package import CarnetDescriptors

extension TokenResponse {
    /// Decrypts the ID token (OpenID Connect Core, section 16.14). The signed token is validated, stored and sent as a
    /// hint (section 3.1.2.1).
    ///
    /// - Throws: `OAuthError` if the encryption differs from the registered one.
    package mutating func decryptIDToken(
        for registration: ClientRegistration, from provider: FilledProvider
    ) throws(OAuthError) {
        guard let token = idToken else { return }
        idToken = try JSONWebEncryption.signedToken(
            in: token, encryptedAs: provider.idToken.encryption, for: registration,
            step: .idToken, name: "the ID token", key: "id_token.encryption")
    }
}
