import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// One public key for signatures (RFC 7517, section 4; RFC 7518, section 6; RFC 8037, section 2).
struct JSONWebKey: Sendable {
    private enum Material {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    let id: String?
    private let algorithm: String?
    private let material: Material

    /// Why an entry of a key set is no usable signature key.
    struct Unusable: Error {
        let reason: String
    }

    init(_ entry: JSONValue) throws(Unusable) {
        guard let type = entry[stated: "kty"]?.string else { throw Unusable(reason: "it has no kty") }
        // Some servers send null, an empty string or an empty list for missing members.
        if let use = entry[stated: "use"], use.string != "sig" { throw Unusable(reason: "its use is not sig") }
        if let operations = entry[stated: "key_ops"], operations != [], operations.array?.contains("verify") != true {
            throw Unusable(reason: "its key_ops have no verify")
        }
        if let algorithm = entry[stated: "alg"], algorithm.string == nil {
            throw Unusable(reason: "its alg is no string")
        }
        id = entry[stated: "kid"]?.scalarText
        algorithm = entry[stated: "alg"]?.string
        func bytes(_ name: String) throws(Unusable) -> [UInt8] {
            guard let text = entry[stated: name]?.string else { throw Unusable(reason: "it has no \(name)") }
            // The keys are the provider's in any encoding; servers send base64 with padding.
            let unpadded = text.utf8.map {
                $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
            }
            let padding = unpadded.reversed().prefix { $0 == UInt8(ascii: "=") }.count
            guard padding < 3, let bytes = Base64URL.decode(unpadded.dropLast(padding)) else {
                throw Unusable(reason: "\(name) is not base64url")
            }
            return bytes
        }
        let curve = entry[stated: "crv"]?.string
        let material: Material?
        switch (type, curve) {
        case ("RSA", _):
            material = Self.rsa(modulus: try bytes("n"), exponent: try bytes("e")).map(Material.rsa)
        case ("EC", "P-256"?):
            material = Self.point(try bytes("x"), try bytes("y"), 32)
                .flatMap { try? P256.Signing.PublicKey(x963Representation: $0) }.map(Material.p256)
        case ("EC", "P-384"?):
            material = Self.point(try bytes("x"), try bytes("y"), 48)
                .flatMap { try? P384.Signing.PublicKey(x963Representation: $0) }.map(Material.p384)
        case ("EC", "P-521"?):
            material = Self.point(try bytes("x"), try bytes("y"), 66)
                .flatMap { try? P521.Signing.PublicKey(x963Representation: $0) }.map(Material.p521)
        case ("OKP", "Ed25519"?):
            let point = try bytes("x")
            material =
                Ed25519Point.isOfSmallOrder(point)
                ? nil : (try? Curve25519.Signing.PublicKey(rawRepresentation: point)).map(Material.ed25519)
        default:
            let kind = "\(type)\(curve.map { " with \($0)" } ?? "")".quotable(limit: 40)
            throw Unusable(reason: "keys of the type \(kind) are not supported")
        }
        guard let material else { throw Unusable(reason: "it is not a valid \(type) key of an accepted size") }
        self.material = material
    }

    /// RFC 7518, section 3.3 requires at least 2048 bits. Above 8192 a signature is slow without a benefit.
    static func rsa(modulus: [UInt8], exponent: [UInt8]) -> _RSA.Signing.PublicKey? {
        let significant = modulus.drop { $0 == 0 }
        let bits = significant.count * 8 - (significant.first?.leadingZeroBitCount ?? 0)
        let publicExponent = exponent.drop { $0 == 0 }
        guard (2048...8192).contains(bits), let last = publicExponent.last, last & 1 == 1, publicExponent.count <= 4,
            !publicExponent.elementsEqual([1])
        else { return nil }
        return try? _RSA.Signing.PublicKey(n: Array(significant), e: Array(publicExponent))
    }

    private static func point(_ x: [UInt8], _ y: [UInt8], _ length: Int) -> [UInt8]? {
        guard x.count == length, y.count == length else { return nil }
        return [0x04] + x + y
    }

    /// Whether the key's type fits the algorithm, and the key does not name another algorithm.
    func canVerify(_ algorithm: SignatureAlgorithm) -> Bool {
        guard
            self.algorithm == nil || self.algorithm == algorithm.rawValue || (isEd25519 && self.algorithm == "Ed25519")
        else { return false }
        return switch (material, algorithm) {
        case (.rsa, .RS256), (.rsa, .RS384), (.rsa, .RS512), (.rsa, .PS256), (.rsa, .PS384), (.rsa, .PS512): true
        case (.p256, .ES256), (.p384, .ES384), (.p521, .ES512), (.ed25519, .EdDSA): true
        default: false
        }
    }

    /// For messages: its id and what it is for.
    var shown: String {
        let type =
            switch material {
            case .rsa: "RSA"
            case .p256: "P-256"
            case .p384: "P-384"
            case .p521: "P-521"
            case .ed25519: "Ed25519"
            }
        return
            "\(id.map { "\"\($0.quotable(limit: 40))\"" } ?? "one without a kid") (\((algorithm ?? type).quotable(limit: 20)))"
    }

    private var isEd25519: Bool { if case .ed25519 = material { true } else { false } }

    func isValid(_ signature: [UInt8], for data: [UInt8], algorithm: SignatureAlgorithm) -> Bool {
        switch (material, algorithm) {
        case (.rsa(let key), .RS256): verify(key, signature, SHA256.hash(data), .insecurePKCS1v1_5)
        case (.rsa(let key), .RS384): verify(key, signature, SHA384.hash(data), .insecurePKCS1v1_5)
        case (.rsa(let key), .RS512): verify(key, signature, SHA512.hash(data), .insecurePKCS1v1_5)
        case (.rsa(let key), .PS256): verify(key, signature, SHA256.hash(data), .PSS)
        case (.rsa(let key), .PS384): verify(key, signature, SHA384.hash(data), .PSS)
        case (.rsa(let key), .PS512): verify(key, signature, SHA512.hash(data), .PSS)
        case (.p256(let key), .ES256):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: SHA256.hash(data)) } ?? false
        case (.p384(let key), .ES384):
            (try? P384.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: SHA384.hash(data)) } ?? false
        case (.p521(let key), .ES512):
            (try? P521.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: SHA512.hash(data)) } ?? false
        case (.ed25519(let key), .EdDSA): key.isValidSignature(signature, for: data)
        default: false
        }
    }

    private func verify(
        _ key: _RSA.Signing.PublicKey, _ signature: [UInt8], _ digest: some Digest, _ padding: _RSA.Signing.Padding
    ) -> Bool {
        key.isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: padding)
    }
}

extension JSONWebKey {
    /// The SHA-256 thumbprint of a public key (RFC 7638); `nil` for one that lacks a member.
    static func thumbprint(of jwk: JSONValue) -> String? {
        let names: [String]
        switch jwk["kty"]?.string {
        case "RSA"?: names = ["e", "kty", "n"]
        case "EC"?: names = ["crv", "kty", "x", "y"]
        case "OKP"?: names = ["crv", "kty", "x"]
        default: return nil
        }
        var members = JSONObject()
        for name in names { members[name] = jwk[name]?.string.map { .string($0) } }
        return members.members.count == names.count ? thumbprint(members) : nil
    }

    /// - Parameter members: The required members in the order of their names (RFC 7638, section 3.2).
    static func thumbprint(_ members: JSONObject) -> String {
        Base64URL.encode(SHA256.hash(Array(JSONValue.object(members).jsonText().utf8)))
    }
}
