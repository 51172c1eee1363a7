#if canImport(COpenSSL)
    import COpenSSL
    import Foundation

    /// A key as OpenSSL has it.
    final class OpenSSLKey {
        let pointer: OpaquePointer

        /// - Parameter pointer: A key that nobody else frees.
        init(owning pointer: OpaquePointer?) throws {
            guard let pointer else { throw OpenSSLError() }
            self.pointer = pointer
        }

        /// A private key in PEM form.
        convenience init(privatePEM pem: String) throws {
            let bio = try OpenSSLBuffer(pem)
            try self.init(owning: PEM_read_bio_PrivateKey(bio.pointer, nil, nil, nil))
        }

        /// A public key in PEM form.
        convenience init(publicPEM pem: String) throws {
            let bio = try OpenSSLBuffer(pem)
            try self.init(owning: PEM_read_bio_PUBKEY(bio.pointer, nil, nil, nil))
        }

        /// One RSA key for all tests, because making one is slow.
        static func rsa() throws -> OpenSSLKey { try OpenSSLKey(privatePEM: sharedRSA.get()) }

        private static let sharedRSA = Result { try OpenSSLKey.generate("RSA").pkcs8() }

        /// A new key: RSA of 2048 bits, an elliptic curve by its name, Ed25519 or X25519.
        static func generate(_ type: String, curve: String? = nil) throws -> OpenSSLKey {
            guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { throw OpenSSLError() }
            defer { EVP_PKEY_CTX_free(context) }
            try check(EVP_PKEY_keygen_init(context))
            if let curve { try check(EVP_PKEY_CTX_set_group_name(context, curve)) }
            if type == "RSA" { try check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048)) }
            var key: OpaquePointer?
            try check(EVP_PKEY_generate(context, &key))
            return try OpenSSLKey(owning: key)
        }

        deinit { EVP_PKEY_free(pointer) }

        /// PKCS#8, as `openssl pkey` writes it; with a passphrase encrypted.
        func pkcs8(passphrase: String? = nil) throws -> String {
            let bio = try OpenSSLBuffer()
            if let passphrase {
                try check(
                    passphrase.withCString { text in
                        PEM_write_bio_PKCS8PrivateKey(
                            bio.pointer, pointer, EVP_aes_256_cbc(), text, Int32(strlen(text)), nil, nil)
                    })
            } else {
                try check(PEM_write_bio_PKCS8PrivateKey(bio.pointer, pointer, nil, nil, 0, nil, nil))
            }
            return bio.text
        }

        /// PKCS#1 or SEC1, with the passphrase in the old way of PEM.
        func traditional(passphrase: String? = nil) throws -> String {
            let bio = try OpenSSLBuffer()
            if let passphrase {
                var bytes = Array(passphrase.utf8)
                try check(
                    PEM_write_bio_PrivateKey_traditional(
                        bio.pointer, pointer, EVP_aes_256_cbc(), &bytes, Int32(bytes.count), nil, nil))
            } else {
                try check(PEM_write_bio_PrivateKey_traditional(bio.pointer, pointer, nil, nil, 0, nil, nil))
            }
            return bio.text
        }

        func publicPEM() throws -> String {
            let bio = try OpenSSLBuffer()
            try check(PEM_write_bio_PUBKEY(bio.pointer, pointer))
            return bio.text
        }

        /// A number of the key, such as `n` of an RSA key, big-endian.
        func number(_ name: String) throws -> [UInt8] {
            var number: OpaquePointer?
            try check(EVP_PKEY_get_bn_param(pointer, name, &number))
            defer { BN_free(number) }
            var bytes = [UInt8](repeating: 0, count: Int((BN_num_bits(number) + 7) / 8))
            BN_bn2bin(number, &bytes)
            return bytes
        }

        /// The public point: uncompressed, or the 32 bytes of RFC 7748 and RFC 8032.
        func point() throws -> [UInt8] {
            var length = 0
            try check(EVP_PKEY_get_octet_string_param(pointer, OSSL_PKEY_PARAM_PUB_KEY, nil, 0, &length))
            var bytes = [UInt8](repeating: 0, count: length)
            try check(EVP_PKEY_get_octet_string_param(pointer, OSSL_PKEY_PARAM_PUB_KEY, &bytes, length, &length))
            return Array(bytes.prefix(length))
        }
    }

    /// A call of OpenSSL that did not succeed: the test itself is wrong, or found something.
    struct OpenSSLError: Error {}

    func check(_ result: Int32) throws {
        guard result > 0 else { throw OpenSSLError() }
    }

    /// Memory that OpenSSL reads from or writes to.
    final class OpenSSLBuffer {
        let pointer: OpaquePointer

        init(_ text: String = "") throws {
            guard let pointer = BIO_new(BIO_s_mem()) else { throw OpenSSLError() }
            self.pointer = pointer
            let bytes = Array(text.utf8)
            if !bytes.isEmpty { try check(BIO_write(pointer, bytes, Int32(bytes.count))) }
        }

        deinit { BIO_free(pointer) }

        var text: String {
            var output: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4096)
            while case let count = BIO_read(pointer, &part, Int32(part.count)), count > 0 {
                output += part.prefix(Int(count))
            }
            return String(decoding: output, as: UTF8.self)
        }
    }
#endif
