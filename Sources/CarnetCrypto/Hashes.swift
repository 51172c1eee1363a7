#if os(Linux)
    import CLibCrypto
    import CarnetFoundation

    /// A hash algorithm, fetched once: to fetch it takes longer than to hash a token.
    package struct HashAlgorithm: @unchecked Sendable {
        let pointer: OpaquePointer
        let length: Int

        init(_ name: String) {
            pointer = required(EVP_MD_fetch(nil, name, nil), name)
            length = Int(EVP_MD_get_size(pointer))
        }
    }

    package protocol HashVariant: Sendable {
        static var algorithm: HashAlgorithm { get }
    }

    package protocol Digest: Sequence<UInt8>, Sendable {
        static var algorithm: HashAlgorithm { get }
        var bytes: [UInt8] { get }
    }

    package protocol HashFunction: Sendable {
        associatedtype Digest: CarnetCrypto.Digest
        init()
        mutating func update(bufferPointer: UnsafeRawBufferPointer)
        func finalize() -> Digest
        static func hash(_ bytes: [UInt8]) -> Digest
        static var algorithm: HashAlgorithm { get }
    }

    extension HashFunction {
        package mutating func update(data: some Collection<UInt8>) {
            data.withContiguousBytes { update(bufferPointer: UnsafeRawBufferPointer($0)) }
        }

        package static func hash(data: some Collection<UInt8>) -> Digest { hash(Array(data)) }
    }

    package typealias SHA256 = Hash<SHA256Variant>
    package typealias SHA384 = Hash<SHA384Variant>
    package typealias SHA512 = Hash<SHA512Variant>

    package enum SHA256Variant: HashVariant { package static let algorithm = HashAlgorithm("SHA256") }
    package enum SHA384Variant: HashVariant { package static let algorithm = HashAlgorithm("SHA384") }
    package enum SHA512Variant: HashVariant { package static let algorithm = HashAlgorithm("SHA512") }

    /// A hash of bytes that arrive in parts.
    package struct Hash<Variant: HashVariant>: HashFunction {
        package struct Digest: CarnetCrypto.Digest {
            package let bytes: [UInt8]
            package static var algorithm: HashAlgorithm { Variant.algorithm }
            package var underestimatedCount: Int { bytes.count }
            package func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }

            package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
                try bytes.withUnsafeBytes(body)
            }
        }

        private final class Context: @unchecked Sendable {
            let pointer = required(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
            deinit { EVP_MD_CTX_free(pointer) }

            func copy() -> Context {
                let other = Context()
                required(EVP_MD_CTX_copy_ex(other.pointer, pointer), "EVP_MD_CTX_copy_ex")
                return other
            }
        }

        private var context = Context()

        package static var algorithm: HashAlgorithm { Variant.algorithm }

        package init() {
            required(EVP_DigestInit_ex2(context.pointer, Variant.algorithm.pointer, nil), "EVP_DigestInit_ex2")
        }

        package mutating func update(bufferPointer: UnsafeRawBufferPointer) {
            if !isKnownUniquelyReferenced(&context) { context = context.copy() }
            required(
                EVP_DigestUpdate(context.pointer, bufferPointer.baseAddress, bufferPointer.count), "EVP_DigestUpdate")
        }

        package func finalize() -> Digest {
            let copy = context.copy()
            return Self.digest { EVP_DigestFinal_ex(copy.pointer, $0, nil) }
        }

        package static func hash(_ bytes: [UInt8]) -> Digest {
            digest { EVP_Digest(bytes, bytes.count, $0, nil, Variant.algorithm.pointer, nil) }
        }

        private static func digest(_ fill: (UnsafeMutablePointer<UInt8>?) -> Int32) -> Digest {
            let length = Variant.algorithm.length
            return Digest(
                bytes: [UInt8](unsafeUninitializedCapacity: length) { output, count in
                    required(fill(output.baseAddress), "EVP_DigestFinal_ex")
                    count = length
                })
        }
    }

    package enum HMAC<Function: HashFunction> {
        package static func authenticationCode(for data: some Collection<UInt8>, using key: SymmetricKey) -> [UInt8] {
            let hash = Function.algorithm
            return [UInt8](unsafeUninitializedCapacity: hash.length) { output, count in
                let result = data.withCarnetBytes {
                    carnet_hmac(hash.pointer, key.secret.bytes, $0, output.baseAddress, hash.length)
                }
                required(result, "HMAC")
                count = hash.length
            }
        }

        package static func isValidAuthenticationCode(
            _ code: some Collection<UInt8>, authenticating data: some Collection<UInt8>, using key: SymmetricKey
        ) -> Bool {
            let expected = authenticationCode(for: data, using: key)
            return code.count == expected.count
                && code.withContiguousBytes { CRYPTO_memcmp($0.baseAddress, expected, expected.count) == 0 }
        }
    }

    package enum HKDF<Function: HashFunction> {
        package static func deriveKey(
            inputKeyMaterial key: SymmetricKey, info: some Collection<UInt8>, outputByteCount count: Int
        ) -> SymmetricKey {
            let secret = SecretBytes(count: count) { output in
                let result = info.withCarnetBytes {
                    carnet_hkdf(Function.algorithm.pointer, key.secret.bytes, $0, output.baseAddress, count)
                }
                required(result, "HKDF")
            }
            return SymmetricKey(secret: secret)
        }
    }
#endif
