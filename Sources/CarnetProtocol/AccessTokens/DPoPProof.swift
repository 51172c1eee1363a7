import CarnetCrypto
import CarnetDescriptors
package import CarnetFoundation

/// A valid proof that the sender of a request has a key (RFC 9449, section 4.3). The caller checks whether it is the key of
/// the token, and whether `id` was used before.
package struct DPoPProof: Sendable {
    /// The thumbprint of the key.
    package let thumbprint: String
    /// The `jti`.
    package let id: String
    /// When the proof is no longer accepted, so that its id may be forgotten.
    package let expiresAt: Date
    package let nonce: String?

    /// How far `iat` may be from the present, in seconds.
    package static let window: TimeInterval = 60

    private static let algorithms: [SignatureAlgorithm] = [.ES256, .EdDSA, .RS256, .PS256]
    /// The names of the accepted algorithms, for those who make proofs.
    package static let algorithmNames = algorithms.map(\.rawValue)

    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// - Parameters:
    ///   - target: The URL of the request without query and fragment, with scheme and host in lower case and no default
    ///     port.
    ///   - accessToken: The token that the request brings.
    /// - Throws: `OAuthError` at step `accessToken`.
    package init(
        validating proof: Secret, method: String, target: String, accessToken: Secret, now: Date
    ) throws(OAuthError) {
        let policy = JWTPolicy.dpopProof
        let signature = try JSONWebSignature(proof, step: policy.step)
        try policy.checkType(of: signature)
        let algorithm = try policy.algorithm(of: signature, among: Self.algorithms)
        guard let jwk = signature.ownKey, !Self.privateMembers.contains(where: { jwk[$0] != nil }),
            let key = try? JSONWebKey(jwk), key.canVerify(algorithm), let thumbprint = JSONWebKey.thumbprint(of: jwk)
        else { throw Self.refused(.malformedKeys, "its header has no public key for its algorithm") }
        guard key.isValid(signature.signature, for: signature.signingInput, algorithm: algorithm) else {
            throw Self.refused(.badSignature, "it is not signed with its key")
        }
        let claims = try JWTClaims(of: signature, policy)
        guard try claims.string("htm", longest: 64).isSameBytes(as: method) else {
            throw Self.refused(.wrongTokenUse, "it is for another method")
        }
        guard let named = Self.normalized(try claims.string("htu", longest: 8 * 1024)),
            let own = Self.normalized(target), named.isSameBytes(as: own)
        else { throw Self.refused(.wrongTokenUse, "it is for another URL") }
        let issued = try claims.requiredTime("iat")
        guard abs(issued.timeIntervalSince(now)) <= Self.window else {
            throw Self.refused(.expiredToken, "it was not made just now")
        }
        let hash = Base64URL.encode(accessToken.fingerprint)
        guard try claims.string("ath", longest: 64).isSameBytes(as: hash) else {
            throw Self.refused(.accessTokenHashMismatch, "it is for another access token")
        }
        id = try claims.string("jti", longest: 256)
        nonce = claims["nonce"]?.string
        self.thumbprint = thumbprint
        expiresAt = issued + Self.window + 1
    }

    /// Without query and fragment; a missing path is `/`, and a default port is left out (RFC 9449, section 4.3, rule 9).
    ///
    /// - Returns: `nil` for text that is no URL, which is equal to no other.
    private static func normalized(_ url: String) -> String? {
        let bytes = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let parsed = try? WebURL(String(Substring(bytes))) else { return nil }
        let isDefault = parsed.port == nil || parsed.port == (parsed.scheme == "https" ? 443 : 80)
        let port = isDefault ? "" : ":\(parsed.effectivePort)"
        return "\(parsed.scheme)://\(parsed.host)\(port)\(parsed.path.isEmpty ? "/" : parsed.path)"
    }

    private static func refused(_ kind: OAuthError.Kind, _ reason: String) -> OAuthError {
        OAuthError(.accessToken, kind, "the DPoP proof is invalid: \(reason)")
    }
}

/// The nonces that a resource server requires in proofs (RFC 9449, section 9). They need no memory: a nonce is the
/// authenticated number of a period.
package struct DPoPServerNonces: Sendable {
    private let key: SymmetricKey

    /// How long a nonce is given out, in seconds. It is accepted in the following period, too.
    package static let period: TimeInterval = 300

    /// - Parameter secret: The same for all processes of the server.
    package init(_ secret: Secret) { key = SymmetricKey(data: Array(secret.reveal().utf8)) }

    package func nonce(at now: Date) -> String { nonce(of: Self.number(now)) }

    package func accepts(_ nonce: String?, at now: Date) -> Bool {
        guard let nonce else { return false }
        let number = Self.number(now)
        return [number, number - 1].contains { constantTimeEquals(nonce.utf8, self.nonce(of: $0).utf8) }
    }

    private static func number(_ now: Date) -> Int { Int(now.timeIntervalSince1970 / period) }

    private func nonce(of number: Int) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("carnet dpop nonce \(number)".utf8), using: key)
        return Base64URL.encode(Array(code).prefix(18))
    }
}

extension Secret {
    /// The SHA-256 hash, as the key of a table that must not contain the secret itself.
    package var fingerprint: [UInt8] { Array(SHA256.hash(Array(reveal().utf8))) }
}
