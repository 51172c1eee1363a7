#if canImport(COpenSSL)
    import COpenSSL
    import Foundation

    /// Ciphers, hashes and derivations of OpenSSL.
    enum OpenSSLCipher {
        /// AES-GCM with a tag of 16 bytes.
        static func sealGCM(
            _ text: [UInt8], key: [UInt8], nonce: [UInt8], data: [UInt8]
        ) throws -> (ciphertext: [UInt8], tag: [UInt8]) {
            let context = EVP_CIPHER_CTX_new()
            defer { EVP_CIPHER_CTX_free(context) }
            try check(EVP_EncryptInit_ex(context, gcm(key), nil, key, nonce))
            var length: Int32 = 0
            if !data.isEmpty { try check(EVP_EncryptUpdate(context, nil, &length, data, Int32(data.count))) }
            var output = [UInt8](repeating: 0, count: text.count + 16)
            try check(EVP_EncryptUpdate(context, &output, &length, text, Int32(text.count)))
            var rest = [UInt8](repeating: 0, count: 16)
            var restLength: Int32 = 0
            try check(EVP_EncryptFinal_ex(context, &rest, &restLength))
            var tag = [UInt8](repeating: 0, count: 16)
            try check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag))
            return (Array(output.prefix(Int(length))), tag)
        }

        /// - Returns: `nil` if the tag does not fit.
        static func openGCM(
            _ ciphertext: [UInt8], tag: [UInt8], key: [UInt8], nonce: [UInt8], data: [UInt8]
        ) throws -> [UInt8]? {
            let context = EVP_CIPHER_CTX_new()
            defer { EVP_CIPHER_CTX_free(context) }
            try check(EVP_DecryptInit_ex(context, gcm(key), nil, key, nonce))
            var length: Int32 = 0
            if !data.isEmpty { try check(EVP_DecryptUpdate(context, nil, &length, data, Int32(data.count))) }
            var output = [UInt8](repeating: 0, count: ciphertext.count + 16)
            try check(EVP_DecryptUpdate(context, &output, &length, ciphertext, Int32(ciphertext.count)))
            var tag = tag
            try check(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag))
            var rest = [UInt8](repeating: 0, count: 16)
            var restLength: Int32 = 0
            guard EVP_DecryptFinal_ex(context, &rest, &restLength) > 0 else { return nil }
            return Array(output.prefix(Int(length)))
        }

        private static func gcm(_ key: [UInt8]) -> OpaquePointer? {
            key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
        }

        /// AES-CBC with the padding of PKCS#7.
        static func encryptCBC(_ text: [UInt8], key: [UInt8], vector: [UInt8]) throws -> [UInt8] {
            try encrypt(text, key.count == 16 ? EVP_aes_128_cbc() : EVP_aes_256_cbc(), key: key, vector: vector)
        }

        /// The key wrap of RFC 3394.
        static func wrap(_ wrapped: [UInt8], key: [UInt8]) throws -> [UInt8] {
            try encrypt(wrapped, key.count == 16 ? EVP_aes_128_wrap() : EVP_aes_256_wrap(), key: key, vector: nil)
        }

        private static func encrypt(
            _ text: [UInt8], _ cipher: OpaquePointer?, key: [UInt8], vector: [UInt8]?
        ) throws -> [UInt8] {
            let context = EVP_CIPHER_CTX_new()
            defer { EVP_CIPHER_CTX_free(context) }
            EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
            try check(EVP_EncryptInit_ex(context, cipher, nil, key, vector))
            var output = [UInt8](repeating: 0, count: text.count + 32)
            var length: Int32 = 0
            try check(EVP_EncryptUpdate(context, &output, &length, text, Int32(text.count)))
            var rest = [UInt8](repeating: 0, count: 32)
            var restLength: Int32 = 0
            try check(EVP_EncryptFinal_ex(context, &rest, &restLength))
            return Array(output.prefix(Int(length))) + rest.prefix(Int(restLength))
        }

        static func hash(_ name: String, _ data: [UInt8]) throws -> [UInt8] {
            var digest = [UInt8](repeating: 0, count: 64)
            var length = 0
            try check(EVP_Q_digest(nil, name, nil, data, data.count, &digest, &length))
            return Array(digest.prefix(length))
        }

        static func hmac(_ name: String, key: [UInt8], _ data: [UInt8]) throws -> [UInt8] {
            var code = [UInt8](repeating: 0, count: 64)
            var length = 0
            guard
                EVP_Q_mac(
                    nil, "HMAC", nil, name, nil, key, key.count, data, data.count, &code, code.count, &length) != nil
            else { throw OpenSSLError() }
            return Array(code.prefix(length))
        }

        /// The single-step derivation of NIST SP 800-56C with SHA-256, which is that of RFC 7518, section 4.6.2.
        static func derive(_ secret: [UInt8], info: [UInt8], length: Int) throws -> [UInt8] {
            guard let kind = EVP_KDF_fetch(nil, "SSKDF", nil) else { throw OpenSSLError() }
            defer { EVP_KDF_free(kind) }
            guard let context = EVP_KDF_CTX_new(kind) else { throw OpenSSLError() }
            defer { EVP_KDF_CTX_free(context) }
            // A parameter keeps the pointer to its name, which therefore has to stay where it is.
            let texts: [String] = [OSSL_KDF_PARAM_DIGEST, OSSL_KDF_PARAM_SECRET, OSSL_KDF_PARAM_INFO]
            let names = texts.map { strdup($0) }
            defer { names.forEach { free($0) } }
            var digest = Array("SHA256".utf8CString)
            var (secret, info) = (secret, info)
            var output = [UInt8](repeating: 0, count: length)
            try digest.withUnsafeMutableBufferPointer { digest in
                try secret.withUnsafeMutableBufferPointer { secret in
                    try info.withUnsafeMutableBufferPointer { info in
                        let parameters = [
                            OSSL_PARAM_construct_utf8_string(names[0], digest.baseAddress, 0),
                            OSSL_PARAM_construct_octet_string(names[1], secret.baseAddress, secret.count),
                            OSSL_PARAM_construct_octet_string(names[2], info.baseAddress, info.count),
                            OSSL_PARAM_construct_end(),
                        ]
                        try check(EVP_KDF_derive(context, &output, length, parameters))
                    }
                }
            }
            return output
        }
    }

    extension OpenSSLKey {
        /// The secret that is agreed on with another's public key.
        func agree(with other: OpenSSLKey) throws -> [UInt8] {
            guard let context = EVP_PKEY_CTX_new(pointer, nil) else { throw OpenSSLError() }
            defer { EVP_PKEY_CTX_free(context) }
            try check(EVP_PKEY_derive_init(context))
            try check(EVP_PKEY_derive_set_peer(context, other.pointer))
            var length = 0
            try check(EVP_PKEY_derive(context, nil, &length))
            var secret = [UInt8](repeating: 0, count: length)
            try check(EVP_PKEY_derive(context, &secret, &length))
            return Array(secret.prefix(length))
        }

        /// RSA-OAEP; the mask is made with the same hash.
        func encryptOAEP(_ data: [UInt8], hash: OpaquePointer?) throws -> [UInt8] {
            guard let context = EVP_PKEY_CTX_new(pointer, nil) else { throw OpenSSLError() }
            defer { EVP_PKEY_CTX_free(context) }
            try check(EVP_PKEY_encrypt_init(context))
            try check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING))
            try check(EVP_PKEY_CTX_set_rsa_oaep_md(context, hash))
            try check(EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash))
            var length = 0
            try check(EVP_PKEY_encrypt(context, nil, &length, data, data.count))
            var output = [UInt8](repeating: 0, count: length)
            try check(EVP_PKEY_encrypt(context, &output, &length, data, data.count))
            return Array(output.prefix(length))
        }
    }
#endif
