import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

extension JSONWebSignature {
    /// A compact JWS (RFC 7515, section 7.1) with the headers `alg`, `typ` and perhaps `kid` and `x5t#S256`.
    static func sign(
        _ claims: JSONObject, type: String = "JWT", keyID: String?, certificate: String? = nil,
        algorithm: String, with signature: ([UInt8]) throws(ClientKeyError) -> [UInt8]
    ) throws(ClientKeyError) -> Secret {
        var header = JSONObject()
        header["alg"] = .string(algorithm)
        header["typ"] = .string(type)
        header["kid"] = keyID.map { .string($0) }
        header["x5t#S256"] = certificate.map { .string($0) }
        let input =
            Base64URL.encode(JSONValue.object(header).jsonText().utf8) + "."
            + Base64URL.encode(JSONValue.object(claims).jsonText().utf8)
        return Secret(input + "." + Base64URL.encode(try signature(Array(input.utf8))))
    }

    /// The HMAC of RFC 7518, section 3.2.
    ///
    /// - Returns: `nil` for an unknown algorithm, and for a key that is shorter than the hash.
    static func hmac(_ data: [UInt8], _ algorithm: AssertionAlgorithm, key bytes: [UInt8]) -> [UInt8]? {
        let key = SymmetricKey(data: bytes)
        switch algorithm {
        case .HS256 where bytes.count >= 32: return Array(HMAC<SHA256>.authenticationCode(for: data, using: key))
        case .HS384 where bytes.count >= 48: return Array(HMAC<SHA384>.authenticationCode(for: data, using: key))
        case .HS512 where bytes.count >= 64: return Array(HMAC<SHA512>.authenticationCode(for: data, using: key))
        default: return nil
        }
    }
}

extension JSONObject {
    /// The claims of a JWT for one use: issuer, subject, audience, lifetime and id.
    static func claims(
        from issuer: String, about subject: String? = nil, to audience: String, lifetime: Int,
        random: any RandomSource, now: Date
    ) throws(OAuthError) -> JSONObject {
        let seconds = Int(now.timeIntervalSince1970)
        var claims = JSONObject()
        claims["iss"] = .string(issuer)
        claims["sub"] = subject.map { .string($0) }
        claims["aud"] = .string(audience)
        claims["iat"] = .number(String(seconds))
        claims["exp"] = .number(String(seconds + lifetime))
        claims["jti"] = .string(try random.secret().reveal())
        return claims
    }
}
