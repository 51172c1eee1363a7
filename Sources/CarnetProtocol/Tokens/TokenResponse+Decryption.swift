public import CarnetDescriptors

extension TokenResponse {
    /// The same response with the signed ID token out of the encrypted one (OpenID Connect Core, section 16.14). What is
    /// validated, kept and sent as a hint is the signed token (section 3.1.2.1).
    ///
    /// - Throws: `OAuthError` if it is encrypted otherwise than registered, or not although it should be.
    public func decryptingIDToken(
        for registration: ClientRegistration, from provider: Provider
    ) throws(OAuthError) -> TokenResponse {
        guard let token = idToken else { return self }
        let isEncrypted = JSONWebEncryption.hasForm(of: token)
        guard let encryption = registration.idTokenEncryption ?? provider.idTokenEncryption else {
            guard !isEncrypted else {
                throw OAuthError(
                    .idToken,
                    .unsupportedAlgorithm,
                    "the ID token is encrypted, and nothing says that it may be",
                    descriptorKey: "id_token.encryption",
                    hint: "say in the descriptor or the registration which algorithms were registered"
                )
            }
            return self
        }
        guard isEncrypted else {
            throw OAuthError(
                .idToken, .malformedToken, "the ID token is not encrypted, though it should be",
                descriptorKey: "id_token.encryption")
        }
        guard !registration.decryptionKeys.isEmpty else {
            throw OAuthError(
                .idToken, .missingClientKey, "the ID token is encrypted, and the registration has no key to open it",
                descriptorKey: "id_token.encryption")
        }
        var response = self
        response.idToken = try JSONWebEncryption(token, step: .idToken)
            .decrypt(with: registration.decryptionKeys, expecting: encryption)
        return response
    }
}
