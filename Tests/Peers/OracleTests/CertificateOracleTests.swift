#if canImport(COpenSSL)
    import COpenSSL
    import CarnetProtocol
    import Foundation
    import Testing

    /// Certificates that OpenSSL makes, and the thumbprints that swift-crypto computes for them.
    @Suite("Certificate oracle")
    struct CertificateOracleTests {
        @Test("Thumbprints of certificates are equal on both sides")
        func thumbprintsOfCertificatesAreEqual() throws {
            let keys = try [
                OpenSSLKey.rsa(), .generate("EC", curve: "P-256"), .generate("EC", curve: "P-384"),
                .generate("ED25519"),
            ]
            let texts = try keys.map { Secret(try $0.pkcs8()) }
            let random = RandomCases(seed: 71)
            var wrong = 0
            for number in 0..<OracleCases.count {
                let index = number % keys.count
                let certificate = try OpenSSLCertificate(of: keys[index], random)
                let read = try ClientCertificate(pem: Secret(try certificate.pem()), privateKeyPEM: texts[index])
                let der = try certificate.der()
                if read.chain != [der] || read.thumbprint != base64url(OracleCipher.sha256(der)) { wrong += 1 }
            }
            #expect(wrong == 0)
        }

        private func base64url(_ bytes: [UInt8]) -> String {
            Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
        }
    }

    /// A self-signed certificate as OpenSSL has it.
    private final class OpenSSLCertificate {
        private let pointer: OpaquePointer

        /// One with a random serial number, name and length of life.
        init(of key: OpenSSLKey, _ random: RandomCases) throws {
            guard let pointer = X509_new() else { throw OpenSSLError() }
            self.pointer = pointer
            try check(X509_set_version(pointer, 2))
            try check(ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), UInt64(random.number(1 << 30)) + 1))
            guard X509_gmtime_adj(X509_getm_notBefore(pointer), 0) != nil,
                X509_gmtime_adj(X509_getm_notAfter(pointer), 60 + random.number(1 << 24)) != nil
            else { throw OpenSSLError() }
            try check(X509_set_pubkey(pointer, key.pointer))
            let name = X509_get_subject_name(pointer)
            let text = random.bytes(1 + random.number(30)).map { 0x61 + $0 % 26 }
            try check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, Int32(text.count), -1, 0))
            try check(X509_set_issuer_name(pointer, name))
            // Ed25519 takes no hash of its own.
            let isEdwards = EVP_PKEY_is_a(key.pointer, "ED25519") == 1
            try check(X509_sign(pointer, key.pointer, isEdwards ? nil : EVP_sha256()))
        }

        deinit { X509_free(pointer) }

        func pem() throws -> String {
            let bio = try OpenSSLBuffer()
            try check(PEM_write_bio_X509(bio.pointer, pointer))
            return bio.text
        }

        func der() throws -> [UInt8] {
            let length = i2d_X509(pointer, nil)
            try check(length)
            var bytes = [UInt8](repeating: 0, count: Int(length))
            try bytes.withUnsafeMutableBufferPointer { buffer in
                var place = buffer.baseAddress
                try check(i2d_X509(pointer, &place))
            }
            return bytes
        }
    }
#endif
