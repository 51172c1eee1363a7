import CarnetDescriptors
import CarnetFoundation

/// A JWT that a client signed with one of its registered keys.
struct ReceivedToken {
    let type: String?
    let claims: JSONObject

    /// - Parameters:
    ///   - only: The algorithm that is taken; each that signs with a key if `nil`.
    ///   - rule: What the header must say of the key.
    init(
        _ text: String, signedBy client: SandboxClient, algorithm only: String?,
        keyID rule: ResolvedAssertion.KeyID = .ofKey
    ) throws(OAuthError) {
        guard let token = JSONWebToken(text), let claims = token.claims.object,
            let algorithm = token.header["alg"]?.string.flatMap(AssertionAlgorithm.init), !algorithm.isSymmetric,
            only == nil || only == algorithm.rawValue
        else { throw .invalidRequest("the token is not a JWT of an accepted algorithm") }
        guard client.hasSigned(token, algorithm, keyID: rule) else {
            throw .invalidRequest("the token is not signed with a registered key")
        }
        type = token.header["typ"]?.string
        self.claims = claims
    }
}

extension SandboxClient {
    func hasSigned(
        _ token: JSONWebToken, _ algorithm: AssertionAlgorithm, keyID rule: ResolvedAssertion.KeyID
    ) -> Bool {
        let id = token.header["kid"]?.string
        return keys.compactMap(RegisteredKey.init).contains { key in
            let isNamed =
                switch rule {
                case .ofKey: key.id == id
                case .absent: id == nil
                case .text(let text): id == text
                }
            return isNamed && key.isValid(token.signature, over: token.signed, algorithm)
        }
    }
}
