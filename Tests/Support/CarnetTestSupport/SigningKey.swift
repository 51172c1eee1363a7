import CarnetDescriptors
public import CarnetFoundation
import Crypto
import CryptoExtras
import Foundation

/// A private key of a simulated provider: signs tokens and gives its public half as a JWK.
public struct SigningKey: Sendable {
    private enum Material {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    private let material: Material

    /// Two RSA keys, made once for all tests because making one is slow.
    public static let rsa = SigningKey(rsaBits: 2048)
    public static let otherRSA = SigningKey(rsaBits: 2048)
    /// A key that RFC 7518, section 3.3 forbids.
    public static let weakRSA = SigningKey(rsaBits: 1024)
    public static let p256 = SigningKey(material: .p256(.init()))
    public static let otherP256 = SigningKey(material: .p256(.init()))
    public static let p384 = SigningKey(material: .p384(.init()))
    public static let p521 = SigningKey(material: .p521(.init()))
    public static let ed25519 = SigningKey(material: .ed25519(.init()))

    /// The first RSA key in PEM form.
    public static var rsaPEM: String { pem(of: rsa) }
    public static var weakRSAPEM: String { pem(of: weakRSA) }

    private static func pem(of key: SigningKey) -> String {
        if case .rsa(let key) = key.material { key.pemRepresentation } else { "" }
    }

    private init(material: Material) {
        self.material = material
    }

    private init(rsaBits: Int) {
        guard let key = try? _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: rsaBits)) else {
            preconditionFailure("no RSA key of \(rsaBits) bits can be made")
        }
        material = .rsa(key)
    }

    /// The public key (RFC 7517, section 4), with members of the test's own.
    public func jwk(_ members: [String: JSONValue] = [:]) throws -> JSONValue {
        var jwk: JSONValue
        switch material {
        case .rsa(let key):
            let primitives = try key.publicKey.getKeyPrimitives()
            jwk = [
                "kty": "RSA", "n": .string(base64URL(primitives.modulus)),
                "e": .string(base64URL(primitives.publicExponent)),
            ]
        case .p256(let key): jwk = Self.point(key.publicKey.rawRepresentation, "P-256")
        case .p384(let key): jwk = Self.point(key.publicKey.rawRepresentation, "P-384")
        case .p521(let key): jwk = Self.point(key.publicKey.rawRepresentation, "P-521")
        case .ed25519(let key):
            jwk = ["kty": "OKP", "crv": "Ed25519", "x": .string(base64URL(key.publicKey.rawRepresentation))]
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            jwk.set(value, at: JSONPointer(tokens: [name]))
        }
        return jwk
    }

    private static func point(_ raw: Data, _ curve: String) -> JSONValue {
        let half = raw.count / 2
        return [
            "kty": "EC", "crv": .string(curve), "x": .string(base64URL(raw.prefix(half))),
            "y": .string(base64URL(raw.suffix(half))),
        ]
    }

    /// The public key in the encodings that a careless verifier might take for an HMAC secret.
    public var publicEncodings: [Data] {
        get throws {
            guard case .rsa(let key) = material else { return [] }
            return [
                key.publicKey.derRepresentation, Data(key.publicKey.pemRepresentation.utf8),
                Data((key.publicKey.pemRepresentation + "\n").utf8), key.publicKey.pkcs1DERRepresentation,
                try key.publicKey.getKeyPrimitives().modulus, Data(try jwk().jsonText().utf8),
            ]
        }
    }

    /// The signature that an algorithm of RFC 7518 makes.
    public func signature(_ algorithm: String, over input: some DataProtocol) throws -> Data {
        switch (material, algorithm) {
        case (.rsa(let key), "RS256"): try rsa(key, SHA256.hash(data: input), .insecurePKCS1v1_5)
        case (.rsa(let key), "RS384"): try rsa(key, SHA384.hash(data: input), .insecurePKCS1v1_5)
        case (.rsa(let key), "RS512"): try rsa(key, SHA512.hash(data: input), .insecurePKCS1v1_5)
        case (.rsa(let key), "PS256"): try rsa(key, SHA256.hash(data: input), .PSS)
        case (.rsa(let key), "PS384"): try rsa(key, SHA384.hash(data: input), .PSS)
        case (.rsa(let key), "PS512"): try rsa(key, SHA512.hash(data: input), .PSS)
        case (.p256(let key), "ES256"): try key.signature(for: SHA256.hash(data: input)).rawRepresentation
        case (.p256(let key), "DER"): try key.signature(for: SHA256.hash(data: input)).derRepresentation
        case (.p384(let key), "ES384"): try key.signature(for: SHA384.hash(data: input)).rawRepresentation
        case (.p384(let key), "ES256"): try key.signature(for: SHA256.hash(data: input)).rawRepresentation
        case (.p521(let key), "ES512"): try key.signature(for: SHA512.hash(data: input)).rawRepresentation
        case (.ed25519(let key), "EdDSA"): try key.signature(for: input)
        default: throw FixtureError(reason: "the key cannot sign with \(algorithm)")
        }
    }

    private func rsa(_ key: _RSA.Signing.PrivateKey, _ digest: some Digest, _ padding: _RSA.Signing.Padding) throws
        -> Data
    {
        try key.signature(for: digest, padding: padding).rawRepresentation
    }

    /// A compact JWS (RFC 7515, section 7.1).
    public func token(
        _ claims: JSONValue,
        algorithm: String,
        keyID: String? = nil,
        header extra: [String: JSONValue] = [:]
    ) throws -> String {
        var header: JSONValue = ["alg": .string(algorithm)]
        if let keyID { header.set(.string(keyID), at: JSONPointer(tokens: ["kid"])) }
        for (name, value) in extra.sorted(by: { $0.key < $1.key }) {
            header.set(value, at: JSONPointer(tokens: [name]))
        }
        let input = Self.signingInput(header.jsonText(), claims.jsonText())
        return input + "." + base64URL(try signature(algorithm, over: Data(input.utf8)))
    }

    public static func signingInput(_ header: String, _ claims: String) -> String {
        base64URL(Data(header.utf8)) + "." + base64URL(Data(claims.utf8))
    }
}

/// Base64url without padding, by other means than the code under test.
public func base64URL(_ data: some DataProtocol) -> String {
    Data(data).base64EncodedString()
        .replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_")
        .replacingOccurrences(of: "=", with: "")
}
