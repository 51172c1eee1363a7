#if os(Linux)
    import CLibCrypto
    package import CarnetFoundation

    package enum _RSA {
        /// The limit of swift-crypto. Above, a hostile key makes a verification slow.
        fileprivate static let maximumBits = 8192

        package enum Signing {
            // swift-format-ignore: AlwaysUseLowerCamelCase
            package enum Padding: Sendable {
                case insecurePKCS1v1_5
                /// With a salt as long as the hash, and its mask from the same hash.
                case PSS
            }

            package struct KeySize: Sendable {
                let bits: Int
                package static let bits2048 = KeySize(bits: 2048)
            }

            package struct RSASignature: Sendable {
                package let rawRepresentation: Data
                package init(rawRepresentation: some Collection<UInt8>) {
                    self.rawRepresentation = Data(rawRepresentation)
                }
            }

            package struct PublicKey: Sendable {
                package struct Primitives: Sendable {
                    package let modulus: Data
                    package let publicExponent: Data
                }

                let key: Key

                /// - Throws: `CryptoError` unless the modulus has 2048 bits or more and both numbers are odd, and the
                /// exponent is from 3 to 2^33.
                package init(n: some Collection<UInt8>, e: some Collection<UInt8>) throws {
                    key = try Key.rsa(n: n, e: e)
                    guard key.bits >= 2048 else { throw CryptoError() }
                }

                fileprivate init(of key: Key) { self.key = key }

                package func getKeyPrimitives() throws -> Primitives {
                    Primitives(modulus: try key.number(carnet_modulus), publicExponent: try key.number(carnet_exponent))
                }

                package func isValidSignature<D: Digest>(
                    _ signature: RSASignature, for digest: D, padding: Padding
                ) -> Bool {
                    let raw = signature.rawRepresentation
                    // A shorter one would be read as one with zeros in front.
                    guard raw.count == Int(EVP_PKEY_get_size(key.pointer)) else { return false }
                    return succeeds {
                        try key.with { context in
                            try check(EVP_PKEY_verify_init(context))
                            try padding.set(context, D.algorithm)
                            let hash = digest.bytes
                            try raw.withContiguousBytes {
                                try check(EVP_PKEY_verify(context, $0.baseAddress, $0.count, hash, hash.count))
                            }
                        }
                    }
                }
            }

            package struct PrivateKey: Sendable {
                let key: Key

                package init(keySize: KeySize) throws { key = try Key(owning: carnet_rsa_generate(keySize.bits)) }

                /// PKCS#8 or PKCS#1.
                ///
                /// - Throws: `CryptoError` if the key has less than 2048 bits, or its numbers do not belong together.
                package init(derRepresentation: some Collection<UInt8>) throws {
                    try self.init(unsafeDERRepresentation: derRepresentation)
                    guard keySizeInBits >= 2048 else { throw CryptoError() }
                }

                /// The same from 1024 bits.
                package init(unsafeDERRepresentation der: some Collection<UInt8>) throws {
                    key = try Key(der: der, type: EVP_PKEY_RSA)
                    guard (1024..._RSA.maximumBits).contains(keySizeInBits) else { throw CryptoError() }
                    try check(carnet_rsa_is_consistent(key.pointer))
                }

                package init(n: [UInt8], e: [UInt8], d: [UInt8], p: [UInt8], q: [UInt8]) throws {
                    key = try Key.rsa(n: n, e: e, d: d, p: p, q: q)
                    guard keySizeInBits >= 2048 else { throw CryptoError() }
                }

                /// A key without its factors, which signs more slowly.
                package static func _createFromNumbers(n: [UInt8], e: [UInt8], d: [UInt8]) throws -> PrivateKey {
                    let key = try PrivateKey(n: n, e: e, d: d, p: [], q: [])
                    // Nothing else shows that `d` belongs to the other numbers.
                    let digest = SHA256.hash([])
                    let signature = try key.signature(for: digest, padding: .insecurePKCS1v1_5)
                    guard key.publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
                        throw CryptoError()
                    }
                    return key
                }

                package var keySizeInBits: Int { key.bits }
                package var publicKey: PublicKey { PublicKey(of: key) }

                package func signature<D: Digest>(for digest: D, padding: Padding) throws -> RSASignature {
                    RSASignature(
                        rawRepresentation: try key.with { context in
                            try check(EVP_PKEY_sign_init(context))
                            try padding.set(context, D.algorithm)
                            let hash = digest.bytes
                            return try key.output(context) { EVP_PKEY_sign($0, $1, &$2, hash, hash.count) }
                        })
                }
            }
        }

        package enum Encryption {
            // swift-format-ignore: AlwaysUseLowerCamelCase
            package enum Padding: Sendable {
                case PKCS1_OAEP
                case PKCS1_OAEP_SHA256

                fileprivate func set(_ context: OpaquePointer) throws {
                    try check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING))
                    // The default is SHA-1. The mask is made with the same hash.
                    if self == .PKCS1_OAEP_SHA256 {
                        try check(EVP_PKEY_CTX_set_rsa_oaep_md(context, SHA256.algorithm.pointer))
                        try check(EVP_PKEY_CTX_set_rsa_mgf1_md(context, SHA256.algorithm.pointer))
                    }
                }
            }

            package struct PublicKey: Sendable {
                let key: Key

                package init(n: some Collection<UInt8>, e: some Collection<UInt8>) throws {
                    key = try Signing.PublicKey(n: n, e: e).key
                }

                package func encrypt(_ data: [UInt8], padding: Padding) throws -> Data {
                    try key.with { context in
                        try check(EVP_PKEY_encrypt_init(context))
                        try padding.set(context)
                        return Data(try key.output(context) { EVP_PKEY_encrypt($0, $1, &$2, data, data.count) })
                    }
                }
            }

            package struct PrivateKey: Sendable {
                let key: Key

                /// The key that signs, for decryption.
                package init(_ key: Signing.PrivateKey) throws { self.key = key.key }

                package func decrypt(_ data: [UInt8], padding: Padding) throws -> Data {
                    guard data.count == Int(EVP_PKEY_get_size(key.pointer)) else { throw CryptoError() }
                    return try key.with { context in
                        try check(EVP_PKEY_decrypt_init(context))
                        try padding.set(context)
                        return Data(try key.output(context) { EVP_PKEY_decrypt($0, $1, &$2, data, data.count) })
                    }
                }
            }
        }
    }

    extension _RSA.Signing.Padding {
        fileprivate func set(_ context: OpaquePointer, _ hash: HashAlgorithm) throws {
            switch self {
            case .insecurePKCS1v1_5: try check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
            case .PSS:
                try check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING))
                try check(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST))
            }
            try check(EVP_PKEY_CTX_set_signature_md(context, hash.pointer))
        }
    }

    extension Key {
        fileprivate var bits: Int { Int(EVP_PKEY_get_bits(pointer)) }

        fileprivate static func rsa(
            n: some Collection<UInt8>, e: some Collection<UInt8>, d: [UInt8] = [], p: [UInt8] = [], q: [UInt8] = []
        ) throws -> Key {
            let exponent = e.drop { $0 == 0 }
            // libcrypto takes any numbers.
            guard n.count <= _RSA.maximumBits / 8 + 1, Array(n).last.map({ $0 & 1 }) == 1,
                Array(exponent).last.map({ $0 & 1 }) == 1, exponent.count <= 5,
                exponent.count < 5 || exponent.first == 1,
                !exponent.elementsEqual([1])
            else { throw CryptoError() }
            let key = try Key(
                owning: n.withCarnetBytes { n in
                    e.withCarnetBytes { e in
                        d.withCarnetBytes { d in
                            p.withCarnetBytes { p in q.withCarnetBytes { q in carnet_rsa_key(n, e, d, p, q) } }
                        }
                    }
                })
            guard key.bits <= _RSA.maximumBits else { throw CryptoError() }
            return key
        }
    }
#endif
