#if canImport(COpenSSL)
    import CarnetDescriptors
    import Crypto
    import CryptoExtras
    import Foundation

    /// What swift-crypto computes with keys that OpenSSL generated and wrote.
    extension OpenSSLKey {
        /// The signature of RFC 7518, section 3 or RFC 8037, section 3.1.
        func sign(_ data: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
            let pem = try pkcs8()
            return switch algorithm {
            case .ES256:
                Array(try P256.Signing.PrivateKey(pemRepresentation: pem).signature(for: data).rawRepresentation)
            case .ES384:
                Array(try P384.Signing.PrivateKey(pemRepresentation: pem).signature(for: data).rawRepresentation)
            case .ES512:
                Array(try P521.Signing.PrivateKey(pemRepresentation: pem).signature(for: data).rawRepresentation)
            case .EdDSA: Array(try Curve25519.Signing.PrivateKey(pemRepresentation: pem).signature(for: data))
            case .RS256: try sign(SHA256.hash(data: data), .insecurePKCS1v1_5)
            case .RS384: try sign(SHA384.hash(data: data), .insecurePKCS1v1_5)
            case .RS512: try sign(SHA512.hash(data: data), .insecurePKCS1v1_5)
            case .PS256: try sign(SHA256.hash(data: data), .PSS)
            case .PS384: try sign(SHA384.hash(data: data), .PSS)
            case .PS512: try sign(SHA512.hash(data: data), .PSS)
            }
        }

        private func sign(_ digest: some Digest, _ padding: _RSA.Signing.Padding) throws -> [UInt8] {
            let key = try _RSA.Signing.PrivateKey(pemRepresentation: pkcs8())
            return Array(try key.signature(for: digest, padding: padding).rawRepresentation)
        }

        func isValid(_ signature: [UInt8], for data: [UInt8], _ algorithm: SignatureAlgorithm) throws -> Bool {
            let pem = try publicPEM()
            return switch algorithm {
            case .ES256:
                try P256.Signing.PublicKey(pemRepresentation: pem)
                    .isValidSignature(.init(rawRepresentation: signature), for: data)
            case .ES384:
                try P384.Signing.PublicKey(pemRepresentation: pem)
                    .isValidSignature(.init(rawRepresentation: signature), for: data)
            case .ES512:
                try P521.Signing.PublicKey(pemRepresentation: pem)
                    .isValidSignature(.init(rawRepresentation: signature), for: data)
            case .EdDSA:
                try Curve25519.Signing.PublicKey(rawRepresentation: point()).isValidSignature(signature, for: data)
            case .RS256: try isValid(signature, SHA256.hash(data: data), .insecurePKCS1v1_5)
            case .RS384: try isValid(signature, SHA384.hash(data: data), .insecurePKCS1v1_5)
            case .RS512: try isValid(signature, SHA512.hash(data: data), .insecurePKCS1v1_5)
            case .PS256: try isValid(signature, SHA256.hash(data: data), .PSS)
            case .PS384: try isValid(signature, SHA384.hash(data: data), .PSS)
            case .PS512: try isValid(signature, SHA512.hash(data: data), .PSS)
            }
        }

        private func isValid(
            _ signature: [UInt8], _ digest: some Digest, _ padding: _RSA.Signing.Padding
        ) throws -> Bool {
            try _RSA.Signing.PublicKey(pemRepresentation: publicPEM())
                .isValidSignature(.init(rawRepresentation: signature), for: digest, padding: padding)
        }

        /// The secret that is agreed on with another's public key on the same curve.
        func agree(with point: [UInt8]) throws -> [UInt8] {
            let pem = try pkcs8()
            let secret: SharedSecret =
                switch point.count {
                case 32:
                    try Curve25519.KeyAgreement.PrivateKey(pemRepresentation: pem)
                        .sharedSecretFromKeyAgreement(with: .init(rawRepresentation: point))
                case 65:
                    try P256.KeyAgreement.PrivateKey(pemRepresentation: pem)
                        .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
                case 97:
                    try P384.KeyAgreement.PrivateKey(pemRepresentation: pem)
                        .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
                default:
                    try P521.KeyAgreement.PrivateKey(pemRepresentation: pem)
                        .sharedSecretFromKeyAgreement(with: .init(x963Representation: point))
                }
            return secret.withUnsafeBytes { Array($0) }
        }

        func encryptOAEP(_ data: [UInt8], _ padding: _RSA.Encryption.Padding) throws -> [UInt8] {
            Array(try _RSA.Encryption.PublicKey(pemRepresentation: publicPEM()).encrypt(data, padding: padding))
        }

        func decryptOAEP(_ data: [UInt8], _ padding: _RSA.Encryption.Padding) throws -> [UInt8] {
            Array(try _RSA.Encryption.PrivateKey(pemRepresentation: pkcs8()).decrypt(data, padding: padding))
        }
    }
#endif
