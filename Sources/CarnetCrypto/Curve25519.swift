#if os(Linux)
    import CLibCrypto
    package import CarnetFoundation

    extension Key {
        fileprivate static let length = 32

        fileprivate convenience init(publicBytes bytes: some Collection<UInt8>, _ type: Int32) throws {
            guard bytes.count == Self.length else { throw CryptoError() }
            try self.init(
                owning: bytes.withContiguousBytes { EVP_PKEY_new_raw_public_key(type, nil, $0.baseAddress, $0.count) })
        }

        fileprivate convenience init(privateBytes bytes: some Collection<UInt8>, _ type: Int32) throws {
            guard bytes.count == Self.length else { throw CryptoError() }
            try self.init(
                owning: bytes.withContiguousBytes { EVP_PKEY_new_raw_private_key(type, nil, $0.baseAddress, $0.count) })
        }

        fileprivate static func new(_ type: String) -> Key {
            guard let key = try? Key(owning: carnet_edwards_generate(type)) else {
                preconditionFailure("no key of \(type)")
            }
            return key
        }

        fileprivate var publicBytes: Data {
            var data = Data(count: Self.length)
            var count = Self.length
            let result = data.withUnsafeMutableBytes {
                EVP_PKEY_get_raw_public_key(pointer, $0.bindMemory(to: UInt8.self).baseAddress, &count)
            }
            required(result, "EVP_PKEY_get_raw_public_key")
            return data
        }
    }

    package enum Curve25519 {
        /// Ed25519 (RFC 8032).
        package enum Signing {
            package struct PublicKey: Sendable {
                let key: Key
                package var rawRepresentation: Data { key.publicBytes }

                package init(rawRepresentation: some Collection<UInt8>) throws {
                    key = try Key(publicBytes: rawRepresentation, EVP_PKEY_ED25519)
                }

                fileprivate init(of key: Key) { self.key = key }

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

            package struct PrivateKey: Sendable {
                let key: Key

                package init() { key = .new("ED25519") }

                package init(rawRepresentation: some Collection<UInt8>) throws {
                    key = try Key(privateBytes: rawRepresentation, EVP_PKEY_ED25519)
                }

                package init(derRepresentation der: some Collection<UInt8>) throws {
                    key = try Key(der: der, type: EVP_PKEY_ED25519)
                }

                package var publicKey: PublicKey { PublicKey(of: key) }

                package func signature(for data: [UInt8]) throws -> Data {
                    let context = try check(EVP_MD_CTX_new())
                    defer { EVP_MD_CTX_free(context) }
                    try check(EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key.pointer, nil))
                    return Data(
                        try key.output(context) { EVP_DigestSign($0, $1, &$2, data, data.count) })
                }
            }
        }

        /// X25519 (RFC 7748).
        package enum KeyAgreement {
            package struct PublicKey: Sendable {
                let key: Key
                package var rawRepresentation: Data { key.publicBytes }

                package init(rawRepresentation: some Collection<UInt8>) throws {
                    key = try Key(publicBytes: rawRepresentation, EVP_PKEY_X25519)
                }

                fileprivate init(of key: Key) { self.key = key }
            }

            package struct PrivateKey: Sendable {
                let key: Key

                package init() { key = .new("X25519") }

                package init(rawRepresentation: some Collection<UInt8>) throws {
                    key = try Key(privateBytes: rawRepresentation, EVP_PKEY_X25519)
                }

                package init(derRepresentation der: some Collection<UInt8>) throws {
                    key = try Key(der: der, type: EVP_PKEY_X25519)
                }

                package var publicKey: PublicKey { PublicKey(of: key) }

                /// - Throws: `CryptoError` for a secret of zeros, which a point of small order makes.
                package func sharedSecretFromKeyAgreement(with other: PublicKey) throws -> SharedSecret {
                    try key.sharedSecret(with: other.key)
                }
            }
        }
    }
#endif
