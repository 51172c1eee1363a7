import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// A private key with the one algorithm that it signs with (RFC 7518, section 3; RFC 8037).
struct SigningKey: Sendable {
    private enum Secret: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    let id: String
    let algorithm: SignatureAlgorithm
    private let secret: Secret

    init(_ algorithm: SignatureAlgorithm, id: String, rsaKey: () throws -> _RSA.Signing.PrivateKey) throws {
        self.id = id
        self.algorithm = algorithm
        secret =
            switch algorithm {
            case .RS256, .RS384, .RS512, .PS256, .PS384, .PS512: .rsa(try rsaKey())
            case .ES256: .p256(P256.Signing.PrivateKey())
            case .ES384: .p384(P384.Signing.PrivateKey())
            case .ES512: .p521(P521.Signing.PrivateKey())
            case .EdDSA: .ed25519(Curve25519.Signing.PrivateKey())
            }
    }

    func signature(for message: [UInt8]) throws -> [UInt8] {
        switch secret {
        case .rsa(let key):
            let padding: _RSA.Signing.Padding =
                switch algorithm {
                case .PS256, .PS384, .PS512: .PSS
                default: .insecurePKCS1v1_5
                }
            return switch algorithm {
            case .RS384, .PS384:
                Array(try key.signature(for: SHA384.hash(data: message), padding: padding).rawRepresentation)
            case .RS512, .PS512:
                Array(try key.signature(for: SHA512.hash(data: message), padding: padding).rawRepresentation)
            default: Array(try key.signature(for: SHA256.hash(data: message), padding: padding).rawRepresentation)
            }
        case .p256(let key): return Array(try key.signature(for: message).rawRepresentation)
        case .p384(let key): return Array(try key.signature(for: message).rawRepresentation)
        case .p521(let key): return Array(try key.signature(for: message).rawRepresentation)
        case .ed25519(let key): return Array(try key.signature(for: message))
        }
    }

    /// The hash that `at_hash` is made with (OpenID Connect Core, section 3.1.3.6).
    func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch algorithm {
        case .RS256, .PS256, .ES256: Array(SHA256.hash(data: bytes))
        case .RS384, .PS384, .ES384: Array(SHA384.hash(data: bytes))
        case .RS512, .PS512, .ES512, .EdDSA: Array(SHA512.hash(data: bytes))
        }
    }

    /// The public key as a JWK (RFC 7517, section 4).
    func publicJWK() throws -> JSONValue {
        var jwk = JSONObject()
        func set(_ name: String, _ bytes: some Sequence<UInt8>) { jwk[name] = .string(Base64URL.encode(bytes)) }
        func set(curve: String, _ point: Data) {
            jwk["kty"] = "EC"
            jwk["crv"] = .string(curve)
            set("x", point.prefix(point.count / 2))
            set("y", point.suffix(point.count / 2))
        }
        switch secret {
        case .rsa(let key):
            let numbers = try key.publicKey.getKeyPrimitives()
            jwk["kty"] = "RSA"
            set("n", numbers.modulus)
            set("e", numbers.publicExponent)
        case .p256(let key): set(curve: "P-256", key.publicKey.rawRepresentation)
        case .p384(let key): set(curve: "P-384", key.publicKey.rawRepresentation)
        case .p521(let key): set(curve: "P-521", key.publicKey.rawRepresentation)
        case .ed25519(let key):
            jwk["kty"] = "OKP"
            jwk["crv"] = "Ed25519"
            set("x", key.publicKey.rawRepresentation)
        }
        jwk["use"] = "sig"
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["kid"] = .string(id)
        return .object(jwk)
    }
}
