import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// A public key that a client registered (RFC 7517, section 4).
struct RegisteredKey: Sendable {
    private let jwk: JSONValue

    /// - Returns: `nil` for an entry without a key type.
    init?(_ jwk: JSONValue) {
        guard jwk["kty"]?.string != nil else { return nil }
        self.jwk = jwk
    }

    var id: String? { jwk["kid"]?.string }
    var isForSignatures: Bool { jwk["use"].map { $0 == "sig" } ?? true }
    var isForEncryption: Bool { jwk["use"].map { $0 == "enc" } ?? true }

    private func bytes(_ name: String) -> [UInt8]? { jwk[name]?.string.flatMap { Base64URL.decode($0) } }

    private var point: [UInt8]? {
        guard let x = bytes("x"), let y = bytes("y") else { return nil }
        return [0x04] + x + y
    }

    /// Whether a signature of RFC 7518, section 3 or RFC 8037 is the key's.
    func isValid(_ signature: [UInt8], over message: [UInt8], _ algorithm: AssertionAlgorithm) -> Bool {
        guard isForSignatures, jwk["alg"].map({ $0.string == algorithm.rawValue }) ?? true else { return false }
        return (try? verify(signature, message, algorithm)) ?? false
    }

    private func verify(_ signature: [UInt8], _ message: [UInt8], _ algorithm: AssertionAlgorithm) throws -> Bool {
        switch (algorithm, jwk["kty"]?.string, jwk["crv"]?.string) {
        case (.RS256, "RSA"?, _): try rsa(signature, SHA256.hash(data: message), .insecurePKCS1v1_5)
        case (.RS384, "RSA"?, _): try rsa(signature, SHA384.hash(data: message), .insecurePKCS1v1_5)
        case (.RS512, "RSA"?, _): try rsa(signature, SHA512.hash(data: message), .insecurePKCS1v1_5)
        case (.PS256, "RSA"?, _): try rsa(signature, SHA256.hash(data: message), .PSS)
        case (.PS384, "RSA"?, _): try rsa(signature, SHA384.hash(data: message), .PSS)
        case (.PS512, "RSA"?, _): try rsa(signature, SHA512.hash(data: message), .PSS)
        case (.ES256, "EC"?, "P-256"?):
            try P256.Signing.PublicKey(x963Representation: point ?? [])
                .isValidSignature(P256.Signing.ECDSASignature(rawRepresentation: signature), for: message)
        case (.ES384, "EC"?, "P-384"?):
            try P384.Signing.PublicKey(x963Representation: point ?? [])
                .isValidSignature(P384.Signing.ECDSASignature(rawRepresentation: signature), for: message)
        case (.ES512, "EC"?, "P-521"?):
            try P521.Signing.PublicKey(x963Representation: point ?? [])
                .isValidSignature(P521.Signing.ECDSASignature(rawRepresentation: signature), for: message)
        case (.EdDSA, "OKP"?, "Ed25519"?):
            try Curve25519.Signing.PublicKey(rawRepresentation: bytes("x") ?? [])
                .isValidSignature(signature, for: message)
        default: false
        }
    }

    private func rsa(_ signature: [UInt8], _ digest: some Digest, _ padding: _RSA.Signing.Padding) throws -> Bool {
        guard let n = bytes("n"), let e = bytes("e") else { return false }
        return try _RSA.Signing.PublicKey(n: n, e: e)
            .isValidSignature(.init(rawRepresentation: signature), for: digest, padding: padding)
    }

    // MARK: - Encryption

    /// An ephemeral public key with the secret that it makes with this key (RFC 7518, section 4.6); `nil` if none can be
    /// agreed on.
    func agreement() throws -> (ephemeral: JSONValue, secret: SharedSecret)? {
        func ephemeral(_ curve: String, _ raw: Data) -> JSONValue {
            let half = raw.count / 2
            return [
                "kty": "EC", "crv": .string(curve), "x": .string(Base64URL.encode(raw.prefix(half))),
                "y": .string(Base64URL.encode(raw.suffix(half))),
            ]
        }
        switch (jwk["crv"]?.string, point) {
        case ("P-256"?, let point?):
            let key = P256.KeyAgreement.PrivateKey()
            let secret = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
            return (ephemeral("P-256", key.publicKey.rawRepresentation), secret)
        case ("P-384"?, let point?):
            let key = P384.KeyAgreement.PrivateKey()
            let secret = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
            return (ephemeral("P-384", key.publicKey.rawRepresentation), secret)
        case ("P-521"?, let point?):
            let key = P521.KeyAgreement.PrivateKey()
            let secret = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
            return (ephemeral("P-521", key.publicKey.rawRepresentation), secret)
        case ("X25519"?, _):
            guard let x = bytes("x") else { return nil }
            let key = Curve25519.KeyAgreement.PrivateKey()
            let secret = try key.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: x))
            let coordinate = JSONValue.string(Base64URL.encode(key.publicKey.rawRepresentation))
            return (["kty": "OKP", "crv": "X25519", "x": coordinate], secret)
        default: return nil
        }
    }

    func encrypted(_ key: [UInt8], _ padding: _RSA.Encryption.Padding) throws -> [UInt8]? {
        guard jwk["kty"] == "RSA", let n = bytes("n"), let e = bytes("e") else { return nil }
        return Array(try _RSA.Encryption.PublicKey(n: n, e: e).encrypt(key, padding: padding))
    }
}
