#if os(Linux)
    import CLibCrypto
    package import CarnetFoundation

    package enum AES {
        /// AES in one mode, by the length of its key in bytes.
        private struct Mode: @unchecked Sendable {
            private let pointers: [Int: OpaquePointer]

            init(_ name: String) {
                pointers = [16, 24, 32].reduce(into: [:]) { pointers, length in
                    let name = "AES-\(length * 8)-\(name)"
                    pointers[length] = required(EVP_CIPHER_fetch(nil, name, nil), name)
                }
            }

            /// - Throws: `CryptoError` for a key of another length.
            func cipher(for key: SymmetricKey) throws(CryptoError) -> OpaquePointer {
                try check(pointers[key.secret.buffer.count])
            }
        }

        /// Runs a cipher over a message.
        ///
        /// - Parameters:
        ///   - room: How many bytes the output may be longer than the input.
        ///   - prepare: Called when the key is set, before the message.
        private static func run(
            _ mode: Mode, _ key: SymmetricKey, vector: [UInt8]?, encrypts: Bool, _ input: some Collection<UInt8>,
            room: Int,
            prepare: (OpaquePointer) throws -> Void = { _ in }, finish: (OpaquePointer) throws -> Void = { _ in }
        ) throws -> Data {
            let cipher = try mode.cipher(for: key)
            let context = try check(EVP_CIPHER_CTX_new())
            defer { EVP_CIPHER_CTX_free(context) }
            EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
            try check(
                EVP_CipherInit_ex2(context, cipher, key.secret.buffer.baseAddress, vector, encrypts ? 1 : 0, nil))
            try prepare(context)
            guard let count = Int32(exactly: input.count) else { throw CryptoError() }
            var output = Data(count: input.count + room)
            let length = try output.withUnsafeMutableBytes { output in
                guard let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
                var (written, rest): (Int32, Int32) = (0, 0)
                if count > 0 {
                    try input.withContiguousBytes {
                        try check(EVP_CipherUpdate(context, start, &written, $0.baseAddress, count))
                    }
                }
                try check(EVP_CipherFinal_ex(context, start + Int(written), &rest))
                return Int(written + rest)
            }
            try finish(context)
            output.removeSubrange(length...)
            return output
        }

        /// AES-GCM with a nonce of 12 bytes and a tag of 16.
        package enum GCM {
            private static let mode = Mode("GCM")
            private static let nonceLength = 12
            private static let tagLength = 16

            package struct Nonce: Sequence, Sendable {
                let bytes: [UInt8]

                /// - Throws: `CryptoError` for a nonce of another length.
                package init(data: some Collection<UInt8>) throws {
                    guard data.count == nonceLength else { throw CryptoError() }
                    bytes = Array(data)
                }

                package func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
            }

            package struct SealedBox: Sendable {
                package let nonce: Nonce
                package let ciphertext: Data
                package let tag: Data

                /// - Throws: `CryptoError` for a tag of another length.
                package init(nonce: Nonce, ciphertext: some Collection<UInt8>, tag: some Collection<UInt8>) throws {
                    guard tag.count == tagLength else { throw CryptoError() }
                    self.nonce = nonce
                    self.ciphertext = Data(ciphertext)
                    self.tag = Data(tag)
                }

                /// - Parameter combined: The nonce, the ciphertext and the tag.
                package init(combined: some Collection<UInt8>) throws {
                    guard combined.count >= nonceLength + tagLength else { throw CryptoError() }
                    try self.init(
                        nonce: Nonce(data: combined.prefix(nonceLength)),
                        ciphertext: combined.dropFirst(nonceLength).dropLast(tagLength),
                        tag: combined.suffix(tagLength))
                }
            }

            package static func seal(
                _ message: some Collection<UInt8>, using key: SymmetricKey, nonce: Nonce,
                authenticating data: some Collection<UInt8>
            ) throws -> SealedBox {
                var tag = [UInt8](repeating: 0, count: tagLength)
                let ciphertext = try run(
                    mode, key, vector: nonce.bytes, encrypts: true, message, room: tagLength,
                    prepare: { try authenticate(data, $0) },
                    finish: { try check(carnet_get_tag($0, &tag, Int32(tagLength))) })
                return try SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
            }

            /// - Throws: `CryptoError` if the tag does not fit.
            package static func open(
                _ box: SealedBox, using key: SymmetricKey, authenticating data: some Collection<UInt8>
            ) throws -> Data {
                var tag = Array(box.tag)
                return try run(
                    mode, key, vector: box.nonce.bytes, encrypts: false, box.ciphertext, room: tagLength,
                    prepare: {
                        try check(carnet_set_tag($0, &tag, Int32(tagLength)))
                        try authenticate(data, $0)
                    })
            }

            private static func authenticate(_ data: some Collection<UInt8>, _ context: OpaquePointer) throws {
                guard let count = Int32(exactly: data.count) else { throw CryptoError() }
                guard count > 0 else { return }
                var length: Int32 = 0
                try data.withContiguousBytes {
                    try check(EVP_CipherUpdate(context, nil, &length, $0.baseAddress, count))
                }
            }
        }

        /// AES-CBC with the padding of PKCS#7.
        package enum _CBC {
            private static let mode = Mode("CBC")

            package struct IV: Sendable {
                let bytes: [UInt8]

                /// - Throws: `CryptoError` unless there are 16 bytes.
                package init(ivBytes: some Collection<UInt8>) throws {
                    guard ivBytes.count == 16 else { throw CryptoError() }
                    bytes = Array(ivBytes)
                }
            }

            package static func encrypt(
                _ message: some Collection<UInt8>, using key: SymmetricKey, iv: IV
            ) throws -> Data { try run(mode, key, vector: iv.bytes, encrypts: true, message, room: 16) }

            package static func decrypt(
                _ ciphertext: some Collection<UInt8>, using key: SymmetricKey, iv: IV
            ) throws -> Data { try run(mode, key, vector: iv.bytes, encrypts: false, ciphertext, room: 16) }
        }

        /// RFC 3394.
        package enum KeyWrap {
            private static let mode = Mode("WRAP")

            package static func wrap(_ key: SymmetricKey, using wrapping: SymmetricKey) throws -> Data {
                guard key.secret.buffer.count >= 16, key.secret.buffer.count.isMultiple(of: 8) else {
                    throw CryptoError()
                }
                return try run(mode, wrapping, vector: nil, encrypts: true, key.secret.buffer, room: 16)
            }

            package static func unwrap(
                _ wrapped: some Collection<UInt8>, using wrapping: SymmetricKey
            ) throws -> SymmetricKey {
                guard wrapped.count >= 24, wrapped.count.isMultiple(of: 8) else { throw CryptoError() }
                return SymmetricKey(
                    data: try run(mode, wrapping, vector: nil, encrypts: false, wrapped, room: 16))
            }
        }
    }
#endif
