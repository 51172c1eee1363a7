import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// A signed JWT in the compact form (RFC 7515, section 3.1), unchecked.
struct JSONWebToken {
    let header: JSONValue
    let claims: JSONValue
    let signature: [UInt8]
    /// What the signature is made of.
    let signed: [UInt8]

    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]).flatMap({ try? JSONValue(parsing: $0) }),
            let claims = Self.claims(of: token), let signature = Base64URL.decode(parts[2])
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    static func sign(_ claims: JSONValue, type: String, with key: SigningKey) throws -> String {
        try token(
            ["alg": .string(key.algorithm.rawValue), "typ": .string(type), "kid": .string(key.id)], claims, key.sign)
    }

    /// A token with the HMAC of a secret in the place of a signature (RFC 7518, section 3.2).
    static func sign(_ claims: JSONValue, withSecret secret: String) -> String {
        let key = SymmetricKey(data: Array(secret.utf8))
        return token(["alg": "HS256", "typ": "JWT"], claims) {
            Array(HMAC<SHA256>.authenticationCode(for: $0, using: key))
        }
    }

    private static func token(
        _ header: JSONValue, _ claims: JSONValue, _ sign: ([UInt8]) throws -> [UInt8]
    ) rethrows -> String {
        let signed = Base64URL.encode(header.jsonText().utf8) + "." + Base64URL.encode(claims.jsonText().utf8)
        return signed + "." + Base64URL.encode(try sign(Array(signed.utf8)))
    }

    /// The same claims in a token that says itself that nobody signed it (RFC 7519, section 6).
    static func withoutSignature(_ token: String) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return token }
        let header: JSONValue = ["alg": "none", "typ": "JWT"]
        return "\(Base64URL.encode(header.jsonText().utf8)).\(parts[1])."
    }

    /// The same token with one bit of its signature turned over.
    static func withBrokenSignature(_ token: String) -> String {
        guard let dot = token.lastIndex(of: "."),
            var signature = Base64URL.decode(token[token.index(after: dot)...]), let last = signature.popLast()
        else { return token }
        return token[...dot] + Base64URL.encode(signature + [last ^ 1])
    }

    /// The claims, unchecked.
    static func claims(of token: String) -> JSONValue? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return nil }
        return try? JSONValue(parsing: bytes)
    }
}

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
