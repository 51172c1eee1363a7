#if os(Linux)
    import CLibCrypto
    package import CarnetFoundation

    package protocol NISTCurve: Sendable {
        associatedtype DefaultHash: HashFunction
        static var name: String { get }
        /// The length of a number in bytes.
        static var length: Int { get }
    }

    package enum P256Curve: NISTCurve {
        package typealias DefaultHash = SHA256
        package static let name = "prime256v1"
        package static let length = 32
    }

    package enum P384Curve: NISTCurve {
        package typealias DefaultHash = SHA384
        package static let name = "secp384r1"
        package static let length = 48
    }

    package enum P521Curve: NISTCurve {
        package typealias DefaultHash = SHA512
        package static let name = "secp521r1"
        package static let length = 66
    }

    package typealias P256 = NIST<P256Curve>
    package typealias P384 = NIST<P384Curve>
    package typealias P521 = NIST<P521Curve>

    extension NISTCurve {
        /// - Throws: `CryptoError` unless the point is uncompressed and on the curve.
        fileprivate static func publicKey(_ point: [UInt8]) throws -> Key {
            guard point.count == 1 + 2 * length, point.first == 0x04 else { throw CryptoError() }
            return try Key(owning: point.withCarnetBytes { carnet_ec_public_key(name, $0) })
        }

        fileprivate static func privateKey(_ number: some Collection<UInt8>) throws -> Key {
            guard number.count == length else { throw CryptoError() }
            return try Key(owning: number.withCarnetBytes { carnet_ec_private_key(name, $0) })
        }

        fileprivate static func newKey() -> Key {
            guard let key = try? Key(owning: carnet_ec_generate(name)) else { preconditionFailure("no key on \(name)") }
            return key
        }

        /// The point of a private key, without the byte for its form.
        fileprivate static func point(_ key: Key) -> Data {
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = EVP_PKEY_get1_encoded_public_key(key.pointer, &bytes)
            defer { CRYPTO_free(bytes, nil, 0) }
            guard let bytes, count == 1 + 2 * length else { preconditionFailure("a key on \(name) without its point") }
            return Data(bytes: bytes + 1, count: count - 1)
        }
    }

    package enum NIST<Curve: NISTCurve> {
        package enum Signing {
            /// Both numbers of a signature, each of the length of the curve (RFC 7518, section 3.4).
            package struct ECDSASignature: Sendable {
                package let rawRepresentation: Data

                /// - Throws: `CryptoError` for another length.
                package init(rawRepresentation: some Collection<UInt8>) throws {
                    guard rawRepresentation.count == 2 * Curve.length else { throw CryptoError() }
                    self.rawRepresentation = Data(rawRepresentation)
                }

                fileprivate init(der: [UInt8]) throws {
                    var raw = Data(count: 2 * Curve.length)
                    let signature = try check(
                        der.withUnsafeBufferPointer {
                            var start = $0.baseAddress
                            return d2i_ECDSA_SIG(nil, &start, $0.count)
                        })
                    defer { ECDSA_SIG_free(signature) }
                    try raw.withUnsafeMutableBytes {
                        let bytes = $0.bindMemory(to: UInt8.self).baseAddress
                        let length = Int32(Curve.length)
                        try check(BN_bn2binpad(ECDSA_SIG_get0_r(signature), bytes, length))
                        try check(BN_bn2binpad(ECDSA_SIG_get0_s(signature), bytes.map { $0 + Curve.length }, length))
                    }
                    rawRepresentation = raw
                }

                fileprivate func der() throws -> [UInt8] {
                    let signature = try check(ECDSA_SIG_new())
                    defer { ECDSA_SIG_free(signature) }
                    try rawRepresentation.withContiguousBytes {
                        let r = BN_bin2bn($0.baseAddress, Int32(Curve.length), nil)
                        let s = BN_bin2bn($0.baseAddress.map { $0 + Curve.length }, Int32(Curve.length), nil)
                        // The signature frees its numbers.
                        guard ECDSA_SIG_set0(signature, r, s) > 0 else {
                            BN_free(r)
                            BN_free(s)
                            throw CryptoError()
                        }
                    }
                    var bytes: UnsafeMutablePointer<UInt8>?
                    let count = i2d_ECDSA_SIG(signature, &bytes)
                    defer { CRYPTO_free(bytes, nil, 0) }
                    try check(count)
                    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
                }
            }

            package typealias PublicKey = NISTPublicKey<Curve, Signing>
            package typealias PrivateKey = NISTPrivateKey<Curve, Signing>
        }

        package enum KeyAgreement {
            package typealias PublicKey = NISTPublicKey<Curve, KeyAgreement>
            package typealias PrivateKey = NISTPrivateKey<Curve, KeyAgreement>
        }
    }

    /// A key for one use: one that signs is none of a key agreement.
    package struct NISTPublicKey<Curve: NISTCurve, Use>: Sendable {
        let key: Key
        package let rawRepresentation: Data

        package init(x963Representation point: some Collection<UInt8>) throws {
            key = try Curve.publicKey(Array(point))
            rawRepresentation = Data(point.dropFirst())
        }

        fileprivate init(of key: Key) { (self.key, rawRepresentation) = (key, Curve.point(key)) }
    }

    package struct NISTPrivateKey<Curve: NISTCurve, Use>: Sendable {
        let key: Key

        package init() { key = Curve.newKey() }

        /// - Throws: `CryptoError` for a number that is zero, or not less than the curve's order.
        package init(rawRepresentation: some Collection<UInt8>) throws { key = try Curve.privateKey(rawRepresentation) }

        package var publicKey: NISTPublicKey<Curve, Use> { NISTPublicKey(of: key) }
    }

    extension NISTPublicKey where Use == NIST<Curve>.Signing {
        package init(rawRepresentation: some Collection<UInt8>) throws {
            try self.init(x963Representation: [0x04] + rawRepresentation)
        }

        package func isValidSignature(_ signature: Use.ECDSASignature, for digest: some Digest) -> Bool {
            succeeds {
                let (der, hash) = (try signature.der(), digest.bytes)
                try key.with { context in
                    try check(EVP_PKEY_verify_init(context))
                    try check(EVP_PKEY_verify(context, der, der.count, hash, hash.count))
                }
            }
        }

        package func isValidSignature(_ signature: Use.ECDSASignature, for data: [UInt8]) -> Bool {
            isValidSignature(signature, for: Curve.DefaultHash.hash(data))
        }
    }

    extension NISTPrivateKey where Use == NIST<Curve>.Signing {
        /// PKCS#8 or SEC1. Of the key, only its number is taken: the point is computed.
        package init(derRepresentation der: some Collection<UInt8>) throws {
            let encoded = try Key(der: der, type: EVP_PKEY_EC)
            try check(carnet_ec_names_curve(encoded.pointer, Curve.name))
            key = try Curve.privateKey(try encoded.number(carnet_private_number, length: Curve.length))
        }

        package var rawRepresentation: Data {
            guard let number = try? key.number(carnet_private_number, length: Curve.length) else {
                preconditionFailure("a key on \(Curve.name) without its number")
            }
            return number
        }

        package func signature(for digest: some Digest) throws -> Use.ECDSASignature {
            try Use.ECDSASignature(
                der: try key.with { context in
                    let hash = digest.bytes
                    try check(EVP_PKEY_sign_init(context))
                    return try key.output(context) { EVP_PKEY_sign($0, $1, &$2, hash, hash.count) }
                })
        }

        package func signature(for data: [UInt8]) throws -> Use.ECDSASignature {
            try signature(for: Curve.DefaultHash.hash(data))
        }
    }

    extension NISTPrivateKey where Use == NIST<Curve>.KeyAgreement {
        package func sharedSecretFromKeyAgreement(with other: NISTPublicKey<Curve, Use>) throws -> SharedSecret {
            try key.sharedSecret(with: other.key)
        }
    }
#endif
