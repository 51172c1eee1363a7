import CarnetCrypto
import CarnetDescriptors
package import CarnetFoundation

extension ClientKey {
    /// Whether it can sign with some algorithm.
    package var canSign: Bool { !signatureAlgorithms.isEmpty }

    /// The algorithms that it can sign with, the most widely supported one first; at most one if the key names one.
    var signatureAlgorithms: [SignatureAlgorithm] {
        let all: [SignatureAlgorithm] =
            switch material {
            case .rsa: [.RS256, .PS256, .RS384, .PS384, .RS512, .PS512]
            case .p256: [.ES256]
            case .p384: [.ES384]
            case .p521: [.ES512]
            case .ed25519: [.EdDSA]
            case .x25519: []
            }
        guard use != .encryption else { return [] }
        guard let algorithm else { return all }
        // RFC 9864, section 2.2 has another name for EdDSA with this curve.
        return all.filter { $0.rawValue == algorithm || ($0 == .EdDSA && algorithm == "Ed25519") }
    }

    /// The algorithm to sign with: the first that the provider accepts, or any if it names none.
    ///
    /// - Throws: `OAuthError` of kind `badRegistration` if the key has no such algorithm.
    func algorithm(
        among wanted: [String], at provider: some ProviderStage, descriptorKey: String
    ) throws(OAuthError) -> SignatureAlgorithm {
        let possible = signatureAlgorithms
        if let chosen = possible.first(where: { wanted.isEmpty || wanted.contains($0.rawValue) }) { return chosen }
        throw OAuthError(
            .configuration, .badRegistration,
            possible.isEmpty
                ? "the client's key cannot sign"
                : "the client's key can sign with \(possible.map(\.rawValue).joined(separator: ", ")), and "
                    + "\(provider.name) requires \(wanted.joined(separator: ", "))", descriptorKey: descriptorKey)
    }

    /// - Throws: `ClientKeyError` if the key does not support the algorithm.
    func signature(for data: [UInt8], _ algorithm: SignatureAlgorithm) throws(ClientKeyError) -> [UInt8] {
        do {
            switch (material, algorithm) {
            case (.rsa(let key), .RS256): return try sign(key, SHA256.hash(data), .insecurePKCS1v1_5)
            case (.rsa(let key), .RS384): return try sign(key, SHA384.hash(data), .insecurePKCS1v1_5)
            case (.rsa(let key), .RS512): return try sign(key, SHA512.hash(data), .insecurePKCS1v1_5)
            case (.rsa(let key), .PS256): return try sign(key, SHA256.hash(data), .PSS)
            case (.rsa(let key), .PS384): return try sign(key, SHA384.hash(data), .PSS)
            case (.rsa(let key), .PS512): return try sign(key, SHA512.hash(data), .PSS)
            case (.p256(let key), .ES256):
                return Array(try key.signature(for: SHA256.hash(data)).rawRepresentation)
            case (.p384(let key), .ES384):
                return Array(try key.signature(for: SHA384.hash(data)).rawRepresentation)
            case (.p521(let key), .ES512):
                return Array(try key.signature(for: SHA512.hash(data)).rawRepresentation)
            case (.ed25519(let key), .EdDSA): return Array(try key.signature(for: data))
            default: break
            }
        } catch {}
        throw ClientKeyError("the key \(id.quotable(limit: 80))", "cannot sign with \(algorithm.rawValue)")
    }

    private func sign(
        _ key: _RSA.Signing.PrivateKey, _ digest: some Digest, _ padding: _RSA.Signing.Padding
    ) throws -> [UInt8] {
        Array(try key.signature(for: digest, padding: padding).rawRepresentation)
    }
}

extension ClientKey {
    /// A JWT (RFC 7519) with the key's first algorithm.
    ///
    /// - Throws: `ClientKeyError` if the key cannot sign.
    package func signedToken(_ claims: JSONObject, type: String = "JWT") throws(ClientKeyError) -> Secret {
        guard let algorithm = signatureAlgorithms.first else {
            throw ClientKeyError("the key \(id.quotable(limit: 80))", "cannot sign")
        }
        return try signedToken(claims, type: type, algorithm)
    }

    func signedToken(
        _ claims: JSONObject, type: String, _ algorithm: SignatureAlgorithm
    ) throws(ClientKeyError) -> Secret {
        try JSONWebSignature.sign(claims, type: type, keyID: id, algorithm: algorithm.rawValue) {
            data throws(ClientKeyError) in try signature(for: data, algorithm)
        }
    }

    /// The P-256 key whose private number is these 32 bytes, for ES256.
    ///
    /// - Throws: `ClientKeyError` for the few numbers that are no private key.
    package static func p256(_ number: [UInt8], source: String) throws(ClientKeyError) -> ClientKey {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: number) else {
            throw ClientKeyError(source, "is not a usable key")
        }
        return try ClientKey(.p256(key), use: .signature, algorithm: SignatureAlgorithm.ES256.rawValue, source: source)
    }
}
