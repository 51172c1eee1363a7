#if canImport(COpenSSL)
    import COpenSSL

    extension OpenSSLCipher {
        /// AES-CBC with the padding of PKCS#7.
        static func decryptCBC(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) throws -> [UInt8] {
            try decrypt(ciphertext, key.count == 16 ? EVP_aes_128_cbc() : EVP_aes_256_cbc(), key: key, vector: vector)
        }

        /// The key wrap of RFC 3394, undone.
        static func unwrap(_ wrapped: [UInt8], key: [UInt8]) throws -> [UInt8] {
            try decrypt(wrapped, key.count == 16 ? EVP_aes_128_wrap() : EVP_aes_256_wrap(), key: key, vector: nil)
        }

        private static func decrypt(
            _ ciphertext: [UInt8], _ cipher: OpaquePointer?, key: [UInt8], vector: [UInt8]?
        ) throws -> [UInt8] {
            let context = EVP_CIPHER_CTX_new()
            defer { EVP_CIPHER_CTX_free(context) }
            EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
            try check(EVP_DecryptInit_ex(context, cipher, nil, key, vector))
            var output = [UInt8](repeating: 0, count: ciphertext.count + 32)
            var length: Int32 = 0
            try check(EVP_DecryptUpdate(context, &output, &length, ciphertext, Int32(ciphertext.count)))
            var rest = [UInt8](repeating: 0, count: 32)
            var restLength: Int32 = 0
            try check(EVP_DecryptFinal_ex(context, &rest, &restLength))
            return Array(output.prefix(Int(length))) + rest.prefix(Int(restLength))
        }
    }

    extension OpenSSLKey {
        /// A public key on a curve, for an agreement.
        convenience init(publicPoint point: [UInt8], curve: String) throws {
            if curve == "X25519" {
                try self.init(owning: EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, point, point.count))
            } else {
                // A key of the same curve, whose public half is then replaced.
                let key = try OpenSSLKey.generate("EC", curve: curve)
                try check(EVP_PKEY_set1_encoded_public_key(key.pointer, point, point.count))
                try check(EVP_PKEY_up_ref(key.pointer))
                try self.init(owning: key.pointer)
            }
        }

        /// RSA-OAEP; the mask is made with the same hash.
        func decryptOAEP(_ data: [UInt8], hash: OpaquePointer?) throws -> [UInt8] {
            guard let context = EVP_PKEY_CTX_new(pointer, nil) else { throw OpenSSLError() }
            defer { EVP_PKEY_CTX_free(context) }
            try check(EVP_PKEY_decrypt_init(context))
            try check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING))
            try check(EVP_PKEY_CTX_set_rsa_oaep_md(context, hash))
            try check(EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash))
            var length = 0
            try check(EVP_PKEY_decrypt(context, nil, &length, data, data.count))
            var output = [UInt8](repeating: 0, count: length)
            try check(EVP_PKEY_decrypt(context, &output, &length, data, data.count))
            return Array(output.prefix(length))
        }
    }
#endif
