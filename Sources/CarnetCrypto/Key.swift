#if os(Linux)
    import CLibCrypto
    import CarnetFoundation

    /// A key that nothing changes any more, so that threads share it. libcrypto overwrites its private part at the end.
    final class Key: @unchecked Sendable {
        let pointer: OpaquePointer

        /// - Throws: `CryptoError` for a null pointer.
        init(owning pointer: OpaquePointer?) throws(CryptoError) { self.pointer = try check(pointer) }

        deinit { EVP_PKEY_free(pointer) }

        /// A private key in DER form: PKCS#8, PKCS#1 or SEC1.
        ///
        /// - Throws: `CryptoError` for one of another type, and for more bytes than those of the key.
        convenience init(der: some Collection<UInt8>, type: Int32) throws {
            try self.init(
                owning: der.withContiguousBytes { bytes in
                    var end = bytes.baseAddress
                    guard let key = d2i_AutoPrivateKey(nil, &end, bytes.count) else { return nil }
                    guard EVP_PKEY_get_base_id(key) == type, end == bytes.baseAddress.map({ $0 + bytes.count }) else {
                        EVP_PKEY_free(key)
                        return nil
                    }
                    return key
                })
        }

        /// Calls libcrypto with a context for this key.
        func with<Result>(_ body: (OpaquePointer) throws -> Result) throws -> Result {
            let context = try check(EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil))
            defer { EVP_PKEY_CTX_free(context) }
            return try body(context)
        }

        /// The output of a function that is called once for the length and once for the bytes.
        func output(
            _ context: OpaquePointer, _ function: (OpaquePointer, UnsafeMutablePointer<UInt8>?, inout Int) -> Int32
        ) throws -> [UInt8] {
            var count = 0
            try check(function(context, nil, &count))
            return try [UInt8](unsafeUninitializedCapacity: count) { bytes, length in
                try check(function(context, bytes.baseAddress, &count))
                length = count
            }
        }

        func sharedSecret(with other: Key) throws -> SharedSecret {
            try with { context in
                try check(EVP_PKEY_derive_init(context))
                try check(EVP_PKEY_derive_set_peer(context, other.pointer))
                var count = 0
                try check(EVP_PKEY_derive(context, nil, &count))
                return SharedSecret(
                    secret: try SecretBytes(count: count) {
                        try check(EVP_PKEY_derive(context, $0.baseAddress, &count))
                        guard count == $0.count else { throw CryptoError() }
                    })
            }
        }

        func number(_ which: Int, length: Int? = nil) throws -> Data {
            var data = Data(count: length ?? carnet_number_length(pointer, Int32(which)))
            try data.withUnsafeMutableBytes { bytes in
                try check(
                    carnet_number(pointer, Int32(which), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
            }
            return data
        }
    }
#endif
