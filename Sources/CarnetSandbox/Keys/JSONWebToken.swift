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
