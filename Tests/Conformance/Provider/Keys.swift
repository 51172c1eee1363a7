import Crypto
import CryptoExtras
import Foundation

/// A private or symmetric key, which signs (RFC 7515, RFC 7518).
package struct PrivateKey: Sendable {
    private enum Material {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case secret([UInt8])
    }

    private let material: Material
    package var id: String?

    package static func rsa(id: String? = nil) throws -> PrivateKey {
        PrivateKey(material: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)), id: id)
    }

    package static func p256(id: String? = nil) -> PrivateKey { PrivateKey(material: .p256(.init()), id: id) }

    package static func p256(pem: String, id: String? = nil) throws -> PrivateKey {
        PrivateKey(material: .p256(try .init(pemRepresentation: pem)), id: id)
    }

    package static func ed25519(id: String? = nil) -> PrivateKey { PrivateKey(material: .ed25519(.init()), id: id) }

    package static func secret(_ text: String) -> PrivateKey { PrivateKey(material: .secret(Array(text.utf8))) }

    /// The PKCS#8 form; `nil` for a symmetric key.
    package var pem: String? {
        switch material {
        case .rsa(let key): key.pemRepresentation
        case .p256(let key): key.pemRepresentation
        case .ed25519, .secret: nil
        }
    }

    /// The public part (RFC 7517); `nil` for a symmetric key.
    package func jwk(_ more: [String: String] = [:]) -> Members? {
        var jwk: Members
        switch material {
        case .rsa(let key):
            guard let primitives = try? key.publicKey.getKeyPrimitives() else { return nil }
            jwk = [
                "kty": "RSA", "n": Base64URL.encode(primitives.modulus),
                "e": Base64URL.encode(primitives.publicExponent),
            ]
        case .p256(let key):
            let point = key.publicKey.rawRepresentation
            jwk = [
                "kty": "EC", "crv": "P-256", "x": Base64URL.encode(point.prefix(32)),
                "y": Base64URL.encode(point.suffix(32)),
            ]
        case .ed25519(let key):
            jwk = ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(key.publicKey.rawRepresentation)]
        case .secret: return nil
        }
        jwk["kid"] = id
        return jwk.merging(more) { $1 }
    }

    /// The thumbprint of the public part (RFC 7638).
    package var thumbprint: String { PublicKey.thumbprint(of: jwk() ?? [:]) }

    func signature(_ algorithm: String, over input: [UInt8]) -> [UInt8]? {
        switch (material, algorithm) {
        case (.rsa(let key), "RS256"):
            (try? key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5)).map {
                Array($0.rawRepresentation)
            }
        case (.rsa(let key), "PS256"):
            (try? key.signature(for: SHA256.hash(data: input), padding: .PSS)).map { Array($0.rawRepresentation) }
        case (.p256(let key), "ES256"): (try? key.signature(for: input)).map { Array($0.rawRepresentation) }
        case (.ed25519(let key), "EdDSA"): (try? key.signature(for: input)).map { Array($0) }
        case (.secret(let secret), "HS256"):
            Array(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: secret)))
        default: nil
        }
    }
}

/// A key that verifies.
enum PublicKey {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    case secret([UInt8])

    init?(jwk: Members) {
        func bytes(_ name: String) -> [UInt8] { (jwk[name] as? String).flatMap { Base64URL.decode($0) } ?? [] }
        switch (jwk["kty"] as? String, jwk["crv"] as? String) {
        case ("RSA", _):
            guard bytes("n").count >= 256, let key = try? _RSA.Signing.PublicKey(n: bytes("n"), e: bytes("e"))
            else { return nil }
            self = .rsa(key)
        case ("EC", "P-256"):
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: bytes("x") + bytes("y")) else { return nil }
            self = .p256(key)
        case ("OKP", "Ed25519"):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes("x")) else { return nil }
            self = .ed25519(key)
        default: return nil
        }
    }

    func verifies(_ signature: [UInt8], _ algorithm: String, over input: [UInt8]) -> Bool {
        switch (self, algorithm) {
        case (.rsa(let key), "RS256"):
            return key.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5)
        case (.rsa(let key), "PS256"):
            return key.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: input), padding: .PSS)
        case (.p256(let key), "ES256"):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case (.ed25519(let key), "EdDSA"): return key.isValidSignature(signature, for: input)
        case (.secret(let secret), "HS256"):
            return HMAC<SHA256>.isValidAuthenticationCode(
                signature, authenticating: input, using: SymmetricKey(data: secret))
        default: return false
        }
    }

    /// RFC 7638, section 3.
    static func thumbprint(of jwk: Members) -> String {
        let required = jwk.filter { ["crv", "e", "k", "kty", "n", "x", "y"].contains($0.key) }
        return Base64URL.encode(SHA256.hash(data: JSON.bytes(required)))
    }
}

/// The part of a hash that `at_hash`, `x5t#S256`, `ath` and a code challenge have (S256).
package enum Hash {
    package static func s256(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }

    static func s256(_ bytes: [UInt8]) -> String { Base64URL.encode(SHA256.hash(data: bytes)) }

    /// OpenID Connect Core, section 3.1.3.6.
    static func left(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Array(text.utf8)).prefix(16)) }
}
