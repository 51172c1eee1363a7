import CarnetDescriptors

extension JSONWebSignature {
    private static let maximumCandidates = 8

    /// Checks the signature with the keys that fit its key id and the algorithm that the caller accepts.
    ///
    /// - Parameter name: The token's name in errors.
    /// - Throws: `OAuthError` of kind `keyNotFound`, `badSignature`.
    func check(
        with keys: JSONWebKeySet, _ algorithm: SignatureAlgorithm, step: OAuthError.Step, name: String
    ) throws(OAuthError) {
        let candidates = keys.candidates(keyID: keyID, algorithm: algorithm)
        guard !candidates.isEmpty else {
            throw OAuthError(
                step, .keyNotFound,
                "no key fits \(name), which has " + (keyID.map { "the kid \"\($0.quotable(limit: 40))\"" } ?? "no kid")
                    + " and the algorithm \(algorithm.rawValue): \(keys.shown)", descriptorKey: "endpoints.jwks")
        }
        let isValid = candidates.prefix(Self.maximumCandidates).contains { key in
            key.isValid(signature, for: signingInput, algorithm: algorithm)
        }
        guard isValid else { throw OAuthError(step, .badSignature, "\(name)'s signature is invalid") }
    }
}
