#if os(Linux)
    import CLibCrypto
    package import CarnetFoundation

    extension Key {
        fileprivate static let length = 32

        fileprivate convenience init(
            _ bytes: some Collection<UInt8>,
            _ make: (Int32, OpaquePointer?, UnsafePointer<UInt8>?, Int) -> OpaquePointer?, _ type: Int32
        ) throws {
            guard bytes.count == Self.length else { throw CryptoError() }
            try self.init(owning: bytes.withContiguousBytes { make(type, nil, $0.baseAddress, $0.count) })
        }
    }

    package protocol Curve25519Use {
        static var type: Int32 { get }
        static var name: String { get }
    }

    package enum Curve25519 {
        /// Ed25519 (RFC 8032).
        package enum Signing: Curve25519Use {
            package static let (type, name) = (EVP_PKEY_ED25519, "ED25519")
            package typealias PublicKey = Curve25519PublicKey<Signing>
            package typealias PrivateKey = Curve25519PrivateKey<Signing>
        }

        /// X25519 (RFC 7748).
        package enum KeyAgreement: Curve25519Use {
            package static let (type, name) = (EVP_PKEY_X25519, "X25519")
            package typealias PublicKey = Curve25519PublicKey<KeyAgreement>
            package typealias PrivateKey = Curve25519PrivateKey<KeyAgreement>
        }
    }

    package struct Curve25519PublicKey<Use: Curve25519Use>: Sendable {
        let key: Key

        package init(rawRepresentation: some Collection<UInt8>) throws {
            key = try Key(rawRepresentation, EVP_PKEY_new_raw_public_key, Use.type)
        }

        fileprivate init(of key: Key) { self.key = key }

        package var rawRepresentation: Data {
            var data = Data(count: Key.length)
            var count = Key.length
            let result = data.withUnsafeMutableBytes {
                EVP_PKEY_get_raw_public_key(key.pointer, $0.bindMemory(to: UInt8.self).baseAddress, &count)
            }
            required(result, "EVP_PKEY_get_raw_public_key")
            return data
        }
    }

    package struct Curve25519PrivateKey<Use: Curve25519Use>: Sendable {
        let key: Key

        package init() {
            guard let key = try? Key(owning: carnet_edwards_generate(Use.name)) else {
                preconditionFailure("no key of \(Use.name)")
            }
            self.key = key
        }

        package init(rawRepresentation: some Collection<UInt8>) throws {
            key = try Key(rawRepresentation, EVP_PKEY_new_raw_private_key, Use.type)
        }

        package init(derRepresentation der: some Collection<UInt8>) throws { key = try Key(der: der, type: Use.type) }

        package var publicKey: Curve25519PublicKey<Use> { Curve25519PublicKey(of: key) }
    }

    extension Curve25519PublicKey<Curve25519.Signing> {
        package func isValidSignature(_ signature: some Collection<UInt8>, for data: [UInt8]) -> Bool {
            guard signature.count == 64, let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            return succeeds {
                try check(EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key.pointer, nil))
                try signature.withContiguousBytes {
                    try check(EVP_DigestVerify(context, $0.baseAddress, $0.count, data, data.count))
                }
            }
        }
    }

    extension Curve25519PrivateKey<Curve25519.Signing> {
        package func signature(for data: [UInt8]) throws -> Data {
            let context = try check(EVP_MD_CTX_new())
            defer { EVP_MD_CTX_free(context) }
            try check(EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key.pointer, nil))
            return Data(try key.output(context) { EVP_DigestSign($0, $1, &$2, data, data.count) })
        }
    }

    extension Curve25519PrivateKey<Curve25519.KeyAgreement> {
        /// - Throws: `CryptoError` for a secret of zeros, which a point of small order makes.
        package func sharedSecretFromKeyAgreement(
            with other: Curve25519PublicKey<Curve25519.KeyAgreement>
        ) throws -> SharedSecret { try key.sharedSecret(with: other.key) }
    }
#endif
