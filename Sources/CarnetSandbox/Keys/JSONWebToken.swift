import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// A signed JWT in the compact form (RFC 7515, section 3.1).
enum JSONWebToken {
    static func sign(_ claims: JSONValue, type: String, with key: SigningKey) throws -> String {
        let header: JSONValue = [
            "alg": .string(key.algorithm.rawValue), "typ": .string(type), "kid": .string(key.id),
        ]
        let signed =
            Base64URL.encode(header.jsonText().utf8) + "." + Base64URL.encode(claims.jsonText().utf8)
        return signed + "." + Base64URL.encode(try key.signature(for: Array(signed.utf8)))
    }

    /// A token with the HMAC of a secret in the place of a signature (RFC 7518, section 3.2).
    static func sign(_ claims: JSONValue, withSecret secret: String) -> String {
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        let signed = Base64URL.encode(header.jsonText().utf8) + "." + Base64URL.encode(claims.jsonText().utf8)
        let key = SymmetricKey(data: Array(secret.utf8))
        return signed + "." + Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: key))
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
