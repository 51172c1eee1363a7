#if canImport(COpenSSL)
    import COpenSSL
    import Crypto
    import CryptoExtras
    import Foundation

    /// Ciphers and hashes of swift-crypto, and the derivation of OpenSSL. Neither shares code with what it is compared with:
    /// the package has the former from libcrypto, and the latter is its own.
    enum OracleCipher {
        /// AES-GCM with a tag of 16 bytes.
        static func sealGCM(
            _ text: [UInt8], key: [UInt8], nonce: [UInt8], data: [UInt8]
        ) throws -> (ciphertext: [UInt8], tag: [UInt8]) {
            let box = try AES.GCM.seal(
                text, using: SymmetricKey(data: key), nonce: .init(data: nonce), authenticating: data)
            return (Array(box.ciphertext), Array(box.tag))
        }

        /// - Returns: `nil` if the tag does not fit.
        static func openGCM(
            _ ciphertext: [UInt8], tag: [UInt8], key: [UInt8], nonce: [UInt8], data: [UInt8]
        ) throws -> [UInt8]? {
            let box = try AES.GCM.SealedBox(nonce: .init(data: nonce), ciphertext: ciphertext, tag: tag)
            return (try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: data)).map { Array($0) }
        }

        /// AES-CBC with the padding of PKCS#7.
        static func encryptCBC(_ text: [UInt8], key: [UInt8], vector: [UInt8]) throws -> [UInt8] {
            Array(try AES._CBC.encrypt(text, using: SymmetricKey(data: key), iv: .init(ivBytes: vector)))
        }

        static func decryptCBC(_ ciphertext: [UInt8], key: [UInt8], vector: [UInt8]) throws -> [UInt8] {
            Array(try AES._CBC.decrypt(ciphertext, using: SymmetricKey(data: key), iv: .init(ivBytes: vector)))
        }

        /// The key wrap of RFC 3394.
        static func wrap(_ wrapped: [UInt8], key: [UInt8]) throws -> [UInt8] {
            Array(try AES.KeyWrap.wrap(SymmetricKey(data: wrapped), using: SymmetricKey(data: key)))
        }

        static func unwrap(_ wrapped: [UInt8], key: [UInt8]) throws -> [UInt8] {
            try AES.KeyWrap.unwrap(wrapped, using: SymmetricKey(data: key)).withUnsafeBytes { Array($0) }
        }

        static func sha256(_ data: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: data)) }

        /// HMAC with SHA-2 of so many bits.
        static func hmac(_ bits: Int, key: [UInt8], _ data: [UInt8]) -> [UInt8] {
            let key = SymmetricKey(data: key)
            return switch bits {
            case 256: Array(HMAC<SHA256>.authenticationCode(for: data, using: key))
            case 384: Array(HMAC<SHA384>.authenticationCode(for: data, using: key))
            default: Array(HMAC<SHA512>.authenticationCode(for: data, using: key))
            }
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
#endif
