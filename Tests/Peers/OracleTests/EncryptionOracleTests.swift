#if canImport(COpenSSL)
    import CarnetDescriptors
    import CarnetTestSupport
    import CryptoExtras
    import Foundation
    import Testing

    @testable import CarnetProtocol

    /// Tokens that swift-crypto encrypts, opened by the code under test.
    @Suite("Encryption oracle")
    struct EncryptionOracleTests {
        private static let combinations = KeyManagementAlgorithm.allCases.flatMap { algorithm in
            ContentEncryption.allCases.map { (algorithm, $0) }
        }

        private static func keys(for algorithm: KeyManagementAlgorithm) throws -> [OpenSSLKey] {
            switch algorithm {
            case .rsaOAEP, .rsaOAEP256: [try .rsa()]
            default:
                [
                    try .generate("EC", curve: "P-256"), try .generate("EC", curve: "P-384"),
                    try .generate("EC", curve: "P-521"), try .generate("X25519"),
                ]
            }
        }

        @Test("Open, and with one bit turned over do not", arguments: combinations)
        func openAndWithOneBitTurned(
            algorithm: KeyManagementAlgorithm, content: ContentEncryption
        ) throws {
            let oracles = try Self.keys(for: algorithm)
            let keys = try oracles.map { try ClientKey(pem: Secret($0.pkcs8())) }
            let random = RandomCases(seed: UInt64(algorithm.rawValue.utf8.count * 100 + content.rawValue.utf8.count))
            let expected = TokenEncryption(algorithm, content)
            var wrong = 0
            for number in 0..<(OracleCases.count / ContentEncryption.allCases.count) {
                let index = number % keys.count
                let text = base64URL(Data(random.message(upTo: 200)))
                let maker = OracleToken(algorithm: algorithm, content: content, random: random)
                let parts = try maker.parts(Array(text.utf8), for: oracles[index])
                let token = parts.map { base64URL(Data($0)) }.joined(separator: ".")
                let opened = try JSONWebEncryption(Secret(token), step: .idToken)
                    .decrypt(with: [keys[index]], expecting: expected)
                if opened.reveal() != text { wrong += 1 }
                var damaged = parts
                // The header is left alone: with a bit of it turned over it would not be read at all.
                let filled = [1, 2, 3, 4].filter { !damaged[$0].isEmpty }
                let part = filled[random.number(filled.count)]
                damaged[part][random.number(damaged[part].count)] ^= 1 << UInt8(random.number(8))
                let changed = Secret(damaged.map { base64URL(Data($0)) }.joined(separator: "."))
                let error = #expect(throws: OAuthError.self) {
                    try JSONWebEncryption(changed, step: .idToken).decrypt(with: [keys[index]], expecting: expected)
                }
                if error?.kind != .decryptionFailed { wrong += 1 }
            }
            #expect(wrong == 0)
        }
    }

    /// Makes a JWE by the means of swift-crypto.
    private struct OracleToken {
        let algorithm: KeyManagementAlgorithm
        let content: ContentEncryption
        let random: RandomCases

        func parts(_ text: [UInt8], for key: OpenSSLKey) throws -> [[UInt8]] {
            var header = #"{"alg":"\#(algorithm.rawValue)","enc":"\#(content.rawValue)""#
            var contentKey = random.bytes(content.keyLength)
            var encryptedKey: [UInt8] = []
            switch algorithm {
            case .rsaOAEP: encryptedKey = try key.encryptOAEP(contentKey, .PKCS1_OAEP)
            case .rsaOAEP256: encryptedKey = try key.encryptOAEP(contentKey, .PKCS1_OAEP_SHA256)
            case .ecdhES, .ecdhESA128KW, .ecdhESA256KW:
                let (ephemeral, jwk) = try Self.ephemeral(like: key)
                let (sender, receiver) = (random.message(upTo: 20), random.message(upTo: 20))
                header += #","epk":\#(jwk),"apu":"\#(base64URL(Data(sender)))","apv":"\#(base64URL(Data(receiver)))""#
                let secret = try ephemeral.agree(with: key.point())
                let length = algorithm == .ecdhES ? content.keyLength : algorithm == .ecdhESA128KW ? 16 : 32
                let name = Array((algorithm == .ecdhES ? content.rawValue : algorithm.rawValue).utf8)
                let info = [name, sender, receiver].flatMap { Self.number($0.count) + $0 } + Self.number(length * 8)
                let derived = try OracleCipher.derive(secret, info: info, length: length)
                if algorithm == .ecdhES {
                    contentKey = derived
                } else {
                    encryptedKey = try OracleCipher.wrap(contentKey, key: derived)
                }
            }
            header += "}"
            let data = Array(base64URL(Data(header.utf8)).utf8)
            switch content {
            case .a128GCM, .a256GCM:
                let nonce = random.bytes(12)
                let sealed = try OracleCipher.sealGCM(text, key: contentKey, nonce: nonce, data: data)
                return [Array(header.utf8), encryptedKey, nonce, sealed.ciphertext, sealed.tag]
            case .a128CBCHS256, .a256CBCHS512:
                let vector = random.bytes(16)
                let half = content.keyLength / 2
                let ciphertext = try OracleCipher.encryptCBC(
                    text, key: Array(contentKey.suffix(half)), vector: vector)
                let tag = try OracleCipher.hmac(
                    content == .a128CBCHS256 ? 256 : 512, key: Array(contentKey.prefix(half)),
                    data + vector + ciphertext + Self.number(0) + Self.number(data.count * 8))
                return [Array(header.utf8), encryptedKey, vector, ciphertext, Array(tag.prefix(half))]
            }
        }

        private static func number(_ value: Int) -> [UInt8] {
            withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) }
        }

        /// A new key on the same curve, with its public half as a JWK.
        private static func ephemeral(like key: OpenSSLKey) throws -> (OpenSSLKey, String) {
            let length = try key.point().count
            let curves = [65: "P-256", 97: "P-384", 133: "P-521"]
            guard let curve = curves[length] else {
                let key = try OpenSSLKey.generate("X25519")
                return (key, #"{"kty":"OKP","crv":"X25519","x":"\#(base64URL(Data(try key.point())))"}"#)
            }
            let key = try OpenSSLKey.generate("EC", curve: curve)
            let point = try key.point().dropFirst()
            let (x, y) = (Data(point.prefix(point.count / 2)), Data(point.suffix(point.count / 2)))
            return (key, #"{"kty":"EC","crv":"\#(curve)","x":"\#(base64URL(x))","y":"\#(base64URL(y))"}"#)
        }
    }
#endif
