import CarnetCrypto
package import CarnetDescriptors
public import CarnetFoundation

/// A private key of the client. It signs assertions, or decrypts tokens that are encrypted for the client.
///
/// Its description omits the private part, which never leaves it. `publicJWK` is the part for the provider.
public struct ClientKey: Sendable {
    /// The use of a key (RFC 7517, section 4.2).
    package enum Use: String, Hashable, Sendable {
        case signature = "sig"
        case encryption = "enc"
    }

    enum Material: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case x25519(Curve25519.KeyAgreement.PrivateKey)
    }

    /// The key id; by default the thumbprint.
    package let id: String
    /// The SHA-256 thumbprint of the public key (RFC 7638).
    package let thumbprint: String
    /// `nil` for both uses.
    package let use: Use?
    /// The only algorithm of the key (RFC 7517, section 4.4); `nil` for any.
    package let algorithm: String?
    let material: Material
    /// The required members of the public key, in the order of the thumbprint.
    private let publicMembers: JSONObject

    /// RFC 7518, section 3.3 requires at least 2048 bits. Above 8192 a signature is slow without a benefit.
    static let rsaBits = 2048...8192

    /// - Throws: `ClientKeyError` for an RSA key of another size.
    init(
        _ material: Material, id: String? = nil, use: Use? = nil, algorithm: String? = nil, source: String
    ) throws(ClientKeyError) {
        if case .rsa(let key) = material, !Self.rsaBits.contains(key.keySizeInBits) {
            throw ClientKeyError(
                source,
                "is an RSA key of \(key.keySizeInBits) bits; from \(Self.rsaBits.lowerBound) to "
                    + "\(Self.rsaBits.upperBound) are accepted")
        }
        guard let members = material.publicMembers else { throw ClientKeyError(source, "is not a usable key") }
        thumbprint = JSONWebKey.thumbprint(members)
        self.id = id ?? thumbprint
        self.use = use
        self.algorithm = algorithm
        self.material = material
        publicMembers = members
    }

    /// The public key (RFC 7517, section 4) with its id and, if known, its use and algorithm.
    package var publicJWK: JSONValue {
        var jwk = publicMembers
        jwk["kid"] = .string(id)
        if let use { jwk["use"] = .string(use.rawValue) }
        if let algorithm { jwk["alg"] = .string(algorithm) }
        return .object(jwk)
    }

    /// The key set that a host publishes for its providers (RFC 7517, section 5).
    public static func publicKeySet(_ keys: [ClientKey]) -> JSONValue {
        ["keys": .array(keys.map(\.publicJWK))]
    }

    /// A new key for an algorithm. An RSA key has 2048 bits and takes about a tenth of a second.
    package static func generate(_ algorithm: SignatureAlgorithm, id: String? = nil) throws -> ClientKey {
        let material: Material =
            switch algorithm {
            case .ES256: .p256(P256.Signing.PrivateKey())
            case .ES384: .p384(P384.Signing.PrivateKey())
            case .ES512: .p521(P521.Signing.PrivateKey())
            case .EdDSA: .ed25519(Curve25519.Signing.PrivateKey())
            default: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            }
        return try ClientKey(material, id: id, use: .signature, algorithm: algorithm.rawValue, source: "the new key")
    }

    /// A new key for encrypted ID tokens: P-256, or RSA with 2048 bits.
    package static func generate(for algorithm: KeyManagementAlgorithm, id: String? = nil) throws -> ClientKey {
        let material: Material =
            switch algorithm {
            case .rsaOAEP, .rsaOAEP256: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            case .ecdhES, .ecdhESA128KW, .ecdhESA256KW: .p256(P256.Signing.PrivateKey())
            }
        return try ClientKey(material, id: id, use: .encryption, algorithm: algorithm.rawValue, source: "the new key")
    }
}

extension ClientKey: Redacted {
    package var summary: String { "ClientKey(\(id.quotable(limit: 80)))" }
}

extension ClientKey.Material {
    /// The input of the thumbprint (RFC 7638, section 3.2), in its order.
    var publicMembers: JSONObject? {
        func text(_ bytes: some Sequence<UInt8>) -> JSONValue { .string(Base64URL.encode(bytes)) }
        func point(_ curve: JSONValue, _ raw: Data) -> JSONValue {
            ["crv": curve, "kty": "EC", "x": text(raw.prefix(raw.count / 2)), "y": text(raw.suffix(raw.count / 2))]
        }
        let members: JSONValue
        switch self {
        case .rsa(let key):
            guard let numbers = try? key.publicKey.getKeyPrimitives() else { return nil }
            members = ["e": text(numbers.publicExponent), "kty": "RSA", "n": text(numbers.modulus)]
        case .p256(let key): members = point("P-256", key.publicKey.rawRepresentation)
        case .p384(let key): members = point("P-384", key.publicKey.rawRepresentation)
        case .p521(let key): members = point("P-521", key.publicKey.rawRepresentation)
        case .ed25519(let key):
            members = ["crv": "Ed25519", "kty": "OKP", "x": text(key.publicKey.rawRepresentation)]
        case .x25519(let key):
            members = ["crv": "X25519", "kty": "OKP", "x": text(key.publicKey.rawRepresentation)]
        }
        return members.object
    }
}
