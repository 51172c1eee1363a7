import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

extension ClientKey {
    /// Whether the key's type fits the algorithm, and the key does not name another algorithm.
    func canDecrypt(_ algorithm: KeyManagementAlgorithm) -> Bool {
        guard use != .signature, self.algorithm == nil || self.algorithm == algorithm.rawValue else { return false }
        return switch (material, algorithm) {
        case (.rsa, .rsaOAEP), (.rsa, .rsaOAEP256): true
        case (.rsa, _), (.ed25519, _): false
        case (_, .rsaOAEP), (_, .rsaOAEP256): false
        default: true
        }
    }

    /// The content encryption key of a JWE (RFC 7518, sections 4.3 and 4.6); `nil` if the key or the header does not
    /// fit.
    func contentKey(
        from encryptedKey: [UInt8], header: JSONValue, algorithm: KeyManagementAlgorithm, for content: ContentEncryption
    ) -> SymmetricKey? {
        switch algorithm {
        case .rsaOAEP: oaep(encryptedKey, .PKCS1_OAEP)
        case .rsaOAEP256: oaep(encryptedKey, .PKCS1_OAEP_SHA256)
        case .ecdhES:
            encryptedKey.isEmpty ? agreedKey(header, name: content.rawValue, length: content.keyLength) : nil
        case .ecdhESA128KW: unwrap(encryptedKey, header, algorithm, length: 16)
        case .ecdhESA256KW: unwrap(encryptedKey, header, algorithm, length: 32)
        }
    }

    private func oaep(_ encryptedKey: [UInt8], _ padding: _RSA.Encryption.Padding) -> SymmetricKey? {
        guard case .rsa(let key) = material, let decryptor = try? _RSA.Encryption.PrivateKey(key) else { return nil }
        return (try? decryptor.decrypt(encryptedKey, padding: padding)).map { SymmetricKey(data: $0) }
    }

    private func unwrap(
        _ encryptedKey: [UInt8], _ header: JSONValue, _ algorithm: KeyManagementAlgorithm, length: Int
    ) -> SymmetricKey? {
        guard let key = agreedKey(header, name: algorithm.rawValue, length: length) else { return nil }
        return try? AES.KeyWrap.unwrap(encryptedKey, using: key)
    }

    /// The key agreed with the sender's ephemeral key (RFC 7518, section 4.6.2).
    private func agreedKey(_ header: JSONValue, name: String, length: Int) -> SymmetricKey? {
        func info(_ member: String) -> [UInt8]? {
            guard let value = header[member] else { return [] }
            return value.string.flatMap { Base64URL.decode($0.utf8) }
        }
        guard let ephemeral = header["epk"], let shared = sharedSecret(with: ephemeral), let sender = info("apu"),
            let receiver = info("apv")
        else { return nil }
        return ConcatenationKDF.derive(
            from: shared, algorithm: Array(name.utf8), sender: sender, receiver: receiver, length: length)
    }

    /// The library rejects points off the curve. An all-zero secret comes from a point of small order.
    private func sharedSecret(with ephemeral: JSONValue) -> SharedSecret? {
        func bytes(_ name: String) -> [UInt8]? { ephemeral[name]?.string.flatMap { Base64URL.decode($0.utf8) } }
        func point(_ curve: String, _ length: Int) -> [UInt8]? {
            guard ephemeral["kty"]?.string == "EC", ephemeral["crv"]?.string == curve, let x = bytes("x"),
                let y = bytes("y"), x.count == length, y.count == length
            else { return nil }
            return [0x04] + x + y
        }
        let secret: SharedSecret?
        switch material {
        case .p256(let key):
            secret = point("P-256", 32).flatMap { point in
                try? P256.KeyAgreement.PrivateKey(rawRepresentation: key.rawRepresentation)
                    .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
            }
        case .p384(let key):
            secret = point("P-384", 48).flatMap { point in
                try? P384.KeyAgreement.PrivateKey(rawRepresentation: key.rawRepresentation)
                    .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
            }
        case .p521(let key):
            secret = point("P-521", 66).flatMap { point in
                try? P521.KeyAgreement.PrivateKey(rawRepresentation: key.rawRepresentation)
                    .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
            }
        case .x25519(let key):
            guard ephemeral["kty"]?.string == "OKP", ephemeral["crv"]?.string == "X25519", let x = bytes("x") else {
                return nil
            }
            secret = try? key.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: x))
        case .rsa, .ed25519: return nil
        }
        guard let secret, !secret.withUnsafeBytes({ $0.allSatisfy { $0 == 0 } }) else { return nil }
        return secret
    }
}

/// The key derivation of NIST SP 800-56A, section 5.8.1 (RFC 7518, section 4.6.2). The library has only that of ANSI
/// X9.63, which puts the counter elsewhere.
enum ConcatenationKDF {
    static func derive(
        from secret: SharedSecret, algorithm: [UInt8], sender: [UInt8], receiver: [UInt8], length: Int
    ) -> SymmetricKey {
        func bigEndian(_ number: Int) -> [UInt8] {
            withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
        }
        var info: [UInt8] = []
        for part in [algorithm, sender, receiver] { info += bigEndian(part.count) + part }
        info += bigEndian(length * 8)
        var output: [UInt8] = []
        var round = 1
        while output.count < length {
            var hash = SHA256()
            hash.update(data: bigEndian(round))
            secret.withUnsafeBytes { hash.update(bufferPointer: $0) }
            hash.update(data: info)
            output += hash.finalize()
            round += 1
        }
        return SymmetricKey(data: output.prefix(length))
    }
}
