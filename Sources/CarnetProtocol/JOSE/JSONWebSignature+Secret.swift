import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

extension JSONWebSignature {
    /// Whether the signature is the HMAC with SHA-256 of a secret (RFC 7518, section 3.2).
    func isValid(with secret: Secret) -> Bool {
        let key = SymmetricKey(data: Array(secret.reveal().utf8))
        return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signingInput, using: key)
    }
}

extension DiscoveredProvider {
    /// The secret that signs ID tokens; `nil` where public keys do.
    ///
    /// - Throws: `OAuthError` if the registration has no usable secret. A secret shorter than the hash could be
    /// guessed from one token (RFC 7518, section 3.2).
    func signatureSecret(of registration: ClientRegistration) throws(OAuthError) -> Secret? {
        guard self.idToken.hs256 != nil else { return nil }
        guard let secret = registration.clientSecret else {
            throw OAuthError(
                .idToken, .missingClientSecret,
                "the ID token is signed with the client's secret, and the registration has none",
                descriptorKey: "id_token.hs256")
        }
        let text = secret.reveal()
        let isPublicKey = text.contains("-----BEGIN") || (try? JSONValue(parsing: text))?.object != nil
        guard text.utf8.count >= 32, !isPublicKey else {
            throw OAuthError(
                .idToken, .badRegistration,
                isPublicKey
                    ? "the client's secret is a public key, which cannot sign"
                    : "the client's secret is too short to sign with; the minimum is 32 bytes",
                descriptorKey: "id_token.hs256")
        }
        return secret
    }
}
