import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// A private key with the one algorithm that it signs with (RFC 7518, section 3; RFC 8037).
struct SigningKey: Sendable {
    let id: String
    let algorithm: SignatureAlgorithm
    /// The public key as a JWK (RFC 7517, section 4).
    let publicJWK: JSONValue
    let sign: @Sendable ([UInt8]) throws -> [UInt8]

    init(_ algorithm: SignatureAlgorithm, id: String, rsaKey: () throws -> _RSA.Signing.PrivateKey) throws {
        var jwk = JSONObject()
        func set(_ name: String, _ bytes: some Sequence<UInt8>) { jwk[name] = .string(Base64URL.encode(bytes)) }
        func set(curve: String, _ point: Data) {
            jwk["kty"] = "EC"
            jwk["crv"] = .string(curve)
            set("x", point.prefix(point.count / 2))
            set("y", point.suffix(point.count / 2))
        }
        func rsa<Hash: HashFunction & Sendable>(
            _ hash: Hash.Type, _ padding: _RSA.Signing.Padding
        ) throws -> @Sendable ([UInt8]) throws -> [UInt8] {
            let key = try rsaKey()
            let numbers = try key.publicKey.getKeyPrimitives()
            jwk["kty"] = "RSA"
            set("n", numbers.modulus)
            set("e", numbers.publicExponent)
            return { Array(try key.signature(for: Hash.hash(data: $0), padding: padding).rawRepresentation) }
        }
        switch algorithm {
        case .RS256: sign = try rsa(SHA256.self, .insecurePKCS1v1_5)
        case .RS384: sign = try rsa(SHA384.self, .insecurePKCS1v1_5)
        case .RS512: sign = try rsa(SHA512.self, .insecurePKCS1v1_5)
        case .PS256: sign = try rsa(SHA256.self, .PSS)
        case .PS384: sign = try rsa(SHA384.self, .PSS)
        case .PS512: sign = try rsa(SHA512.self, .PSS)
        case .ES256:
            let key = P256.Signing.PrivateKey()
            set(curve: "P-256", key.publicKey.rawRepresentation)
            sign = { Array(try key.signature(for: $0).rawRepresentation) }
        case .ES384:
            let key = P384.Signing.PrivateKey()
            set(curve: "P-384", key.publicKey.rawRepresentation)
            sign = { Array(try key.signature(for: $0).rawRepresentation) }
        case .ES512:
            let key = P521.Signing.PrivateKey()
            set(curve: "P-521", key.publicKey.rawRepresentation)
            sign = { Array(try key.signature(for: $0).rawRepresentation) }
        case .EdDSA:
            let key = Curve25519.Signing.PrivateKey()
            jwk["kty"] = "OKP"
            jwk["crv"] = "Ed25519"
            set("x", key.publicKey.rawRepresentation)
            sign = { Array(try key.signature(for: $0)) }
        }
        jwk["use"] = "sig"
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["kid"] = .string(id)
        (self.id, self.algorithm, publicJWK) = (id, algorithm, .object(jwk))
    }

    /// The hash that `at_hash` is made with (OpenID Connect Core, section 3.1.3.6).
    func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch algorithm {
        case .RS256, .PS256, .ES256: Array(SHA256.hash(data: bytes))
        case .RS384, .PS384, .ES384: Array(SHA384.hash(data: bytes))
        case .RS512, .PS512, .ES512, .EdDSA: Array(SHA512.hash(data: bytes))
        }
    }
}

/// The keys of one authorization server: one for each algorithm, the first of which signs.
struct KeySet: Sendable {
    let signer: SigningKey
    let keys: [SigningKey]

    /// - Parameter algorithms: At least one; RS256 if empty.
    init(_ algorithms: [SignatureAlgorithm], _ seams: Seams) throws {
        var shared: _RSA.Signing.PrivateKey?
        func rsaKey() throws -> _RSA.Signing.PrivateKey {
            if let shared { return shared }
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            shared = key
            return key
        }
        func key(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
            try SigningKey(algorithm, id: Base64URL.encode(seams.randomBytes(12)), rsaKey: rsaKey)
        }
        signer = try key(algorithms.first ?? .RS256)
        keys = try [signer] + algorithms.dropFirst().map(key)
    }

    /// The key set document (RFC 7517, section 5).
    var document: JSONValue { ["keys": .array(keys.map(\.publicJWK))] }
}
