import CarnetDescriptors
import CarnetFoundation

/// A JWT that a client signed with one of its registered keys.
struct ReceivedToken {
    let type: String?
    let claims: JSONObject

    /// - Parameters:
    ///   - algorithms: Those that are taken; all that sign with a key if empty.
    ///   - rule: What the header must say of the key.
    init(
        _ token: String, signedBy client: SandboxClient, algorithms: [String],
        keyID rule: ResolvedAssertion.KeyID = .ofKey
    ) throws(OAuthError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]).flatMap({ try? JSONValue(parsing: $0) }),
            let claims = JSONWebToken.claims(of: token)?.object, let signature = Base64URL.decode(parts[2]),
            let algorithm = header["alg"]?.string.flatMap(AssertionAlgorithm.init), !algorithm.isSymmetric,
            algorithms.isEmpty || algorithms.contains(algorithm.rawValue)
        else { throw .invalidRequest("the token is not a JWT of an accepted algorithm") }
        let signed = Array(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        let id = header["kid"]?.string
        let keys = client.keys.compactMap(RegisteredKey.init).filter { key in
            switch rule {
            case .ofKey: key.id == id
            case .absent: id == nil
            case .text(let text): id == text
            }
        }
        guard keys.contains(where: { $0.isValid(signature, over: signed, algorithm) }) else {
            throw .invalidRequest("the token is not signed with a registered key")
        }
        type = header["typ"]?.string
        self.claims = claims
    }
}
