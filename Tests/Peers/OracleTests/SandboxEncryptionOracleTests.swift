import CarnetFoundation

#if canImport(COpenSSL)
    import CarnetDescriptors
    import CarnetProtocol
    import CryptoExtras
    import Foundation
    import Testing

    @testable import CarnetSandbox

    /// The other direction: tokens that are encrypted here, opened by the means of swift-crypto.
    @Suite("Sandbox encryption oracle")
    struct SandboxEncryptionOracleTests {
        private static let combinations = KeyManagementAlgorithm.allCases.flatMap { algorithm in
            ContentEncryption.allCases.map { (algorithm, $0) }
        }

        @Test("What is encrypted here is opened there", arguments: combinations)
        func whatIsEncryptedHereIsOpened(
            algorithm: KeyManagementAlgorithm, content: ContentEncryption
        ) throws {
            let isRSA = algorithm == .rsaOAEP || algorithm == .rsaOAEP256
            let oracles =
                isRSA
                ? [try OpenSSLKey.rsa()]
                : try ["P-256", "P-384", "P-521"].map { try OpenSSLKey.generate("EC", curve: $0) }
                    + [try OpenSSLKey.generate("X25519")]
            let keys = try oracles.map { oracle in
                try #require(RegisteredKey(try ClientKey(pem: Secret(oracle.pkcs8())).publicJWK))
            }
            let random = RandomCases(seed: UInt64(algorithm.rawValue.utf8.count * 100 + content.rawValue.utf8.count))
            let seams = Seams(now: SandboxDefaults.now, randomBytes: { random.bytes($0) })
            let maker = EncryptedToken(algorithm: algorithm, content: content, seams: seams)
            var wrong = 0
            for number in 0..<(OracleCases.count / ContentEncryption.allCases.count) {
                let index = number % keys.count
                let text = String(decoding: random.message(upTo: 200).map { 0x20 + $0 % 95 }, as: UTF8.self)
                let token = try #require(try maker.make(text, for: keys[index]))
                let opened = try OpenedToken(token).text(algorithm, content, with: oracles[index])
                if opened != Array(text.utf8) { wrong += 1 }
            }
            #expect(wrong == 0)
        }
    }

    /// A compact JWE taken apart (RFC 7516, section 7.1).
    private struct OpenedToken {
        private let header: JSONValue
        private let data: [UInt8]
        private let parts: [[UInt8]]

        init(_ token: String) throws {
            let segments = token.split(separator: ".", omittingEmptySubsequences: false)
            data = Array(segments[0].utf8)
            parts = try segments.map { try Self.decode(String($0)) }
            header = try JSONValue(parsing: parts[0])
        }

        func text(
            _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption, with key: OpenSSLKey
        ) throws -> [UInt8]? {
            let contentKey: [UInt8]
            switch algorithm {
            case .rsaOAEP: contentKey = try key.decryptOAEP(parts[1], .PKCS1_OAEP)
            case .rsaOAEP256: contentKey = try key.decryptOAEP(parts[1], .PKCS1_OAEP_SHA256)
            case .ecdhES: contentKey = try agreed(content.rawValue, content.keyLength, with: key)
            case .ecdhESA128KW:
                contentKey = try OracleCipher.unwrap(parts[1], key: agreed(algorithm.rawValue, 16, with: key))
            case .ecdhESA256KW:
                contentKey = try OracleCipher.unwrap(parts[1], key: agreed(algorithm.rawValue, 32, with: key))
            }
            switch content {
            case .a128GCM, .a256GCM:
                return try OracleCipher.openGCM(parts[3], tag: parts[4], key: contentKey, nonce: parts[2], data: data)
            case .a128CBCHS256, .a256CBCHS512:
                let half = content.keyLength / 2
                let tag = try OracleCipher.hmac(
                    content == .a128CBCHS256 ? 256 : 512, key: Array(contentKey.prefix(half)),
                    data + parts[2] + parts[3] + Self.number(0) + Self.number(data.count * 8))
                guard Array(tag.prefix(half)) == parts[4] else { return nil }
                return try OracleCipher.decryptCBC(parts[3], key: Array(contentKey.suffix(half)), vector: parts[2])
            }
        }

        /// RFC 7518, section 4.6.2.
        private func agreed(_ name: String, _ length: Int, with key: OpenSSLKey) throws -> [UInt8] {
            func bytes(_ member: String) throws -> [UInt8] { try Self.decode(header["epk"]?[member]?.string ?? "") }
            let isEdwards = header["epk"]?["kty"]?.string == "OKP"
            let peer = try isEdwards ? bytes("x") : [0x04] + bytes("x") + bytes("y")
            let text = Array(name.utf8)
            let info = Self.number(text.count) + text + Self.number(0) + Self.number(0) + Self.number(length * 8)
            return try OracleCipher.derive(try key.agree(with: peer), info: info, length: length)
        }

        private static func number(_ value: Int) -> [UInt8] {
            withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) }
        }

        private static func decode(_ text: String) throws -> [UInt8] {
            let standard = text.replacing("-", with: "+").replacing("_", with: "/")
            let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
            guard let data = Data(base64Encoded: standard + padding) else { throw OpenSSLError() }
            return Array(data)
        }
    }
#endif
