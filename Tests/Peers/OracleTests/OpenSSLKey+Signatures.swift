#if canImport(COpenSSL)
    import COpenSSL
    import CarnetDescriptors

    extension OpenSSLKey {
        /// The signature of RFC 7518, section 3 or RFC 8037, section 3.1.
        func sign(_ data: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            var keyContext: OpaquePointer?
            try check(EVP_DigestSignInit(context, &keyContext, algorithm.digest, nil, pointer))
            try algorithm.setPadding(keyContext)
            var length = 0
            try check(EVP_DigestSign(context, nil, &length, data, data.count))
            var signature = [UInt8](repeating: 0, count: length)
            try check(EVP_DigestSign(context, &signature, &length, data, data.count))
            let bytes = Array(signature.prefix(length))
            return try algorithm.pointLength.map { try Self.raw(bytes, $0) } ?? bytes
        }

        func isValid(_ signature: [UInt8], for data: [UInt8], _ algorithm: SignatureAlgorithm) throws -> Bool {
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            var keyContext: OpaquePointer?
            try check(EVP_DigestVerifyInit(context, &keyContext, algorithm.digest, nil, pointer))
            try algorithm.setPadding(keyContext)
            let encoded = try algorithm.pointLength == nil ? signature : Self.der(signature)
            return EVP_DigestVerify(context, encoded, encoded.count, data, data.count) == 1
        }

        /// An ECDSA signature as RFC 7518, section 3.4 has it: both numbers, each of a fixed length.
        private static func raw(_ der: [UInt8], _ length: Int) throws -> [UInt8] {
            try der.withUnsafeBufferPointer { buffer in
                var start = buffer.baseAddress
                guard let signature = d2i_ECDSA_SIG(nil, &start, der.count) else { throw OpenSSLError() }
                defer { ECDSA_SIG_free(signature) }
                var bytes = [UInt8](repeating: 0, count: 2 * length)
                try bytes.withUnsafeMutableBufferPointer { output in
                    try check(BN_bn2binpad(ECDSA_SIG_get0_r(signature), output.baseAddress, Int32(length)))
                    try check(
                        BN_bn2binpad(ECDSA_SIG_get0_s(signature), output.baseAddress.map { $0 + length }, Int32(length))
                    )
                }
                return bytes
            }
        }

        private static func der(_ raw: [UInt8]) throws -> [UInt8] {
            guard let signature = ECDSA_SIG_new() else { throw OpenSSLError() }
            defer { ECDSA_SIG_free(signature) }
            let half = raw.count / 2
            // The signature frees its numbers.
            let r = BN_bin2bn(Array(raw.prefix(half)), Int32(half), nil)
            let s = BN_bin2bn(Array(raw.suffix(half)), Int32(half), nil)
            try check(ECDSA_SIG_set0(signature, r, s))
            var bytes = [UInt8](repeating: 0, count: Int(i2d_ECDSA_SIG(signature, nil)))
            bytes.withUnsafeMutableBufferPointer { output in
                var start = output.baseAddress
                _ = i2d_ECDSA_SIG(signature, &start)
            }
            return bytes
        }
    }

    extension SignatureAlgorithm {
        fileprivate var digest: OpaquePointer? {
            switch self {
            case .RS256, .PS256, .ES256: EVP_sha256()
            case .RS384, .PS384, .ES384: EVP_sha384()
            case .RS512, .PS512, .ES512: EVP_sha512()
            default: nil
            }
        }

        fileprivate var pointLength: Int? {
            switch self {
            case .ES256: 32
            case .ES384: 48
            case .ES512: 66
            default: nil
            }
        }

        fileprivate func setPadding(_ context: OpaquePointer?) throws {
            switch self {
            case .PS256, .PS384, .PS512:
                try check(EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING))
                // -1: as long as the hash, neither shorter nor longer.
                try check(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, -1))
            default: break
            }
        }
    }
#endif
