#if os(Linux)
    import CarnetCrypto
    import Crypto
    import CryptoExtras
    import Foundation
    import Testing

    /// Keys and signatures at the edge of what is valid: libcrypto alone would accept some of them.
    @Suite("Acceptance oracle")
    struct AcceptanceOracleTests {
        private static let rsa = Result { try CryptoExtras._RSA.Signing.PrivateKey(keySize: .bits2048) }

        @Test("Only an uncompressed point on the curve is a public key")
        func points() throws {
            let raw = Array(Crypto.P256.Signing.PrivateKey().publicKey.rawRepresentation)
            let sign = raw[63] & 1
            var outside = [0x04] + raw
            outside[64] ^= 1
            let points: [[UInt8]] = [
                [0x04] + raw, [0x02 + sign] + raw.prefix(32), [0x06 + sign] + raw, [0], [], outside, [0x04] + raw + [0],
                [0x04] + [UInt8](repeating: 0, count: 64), [0x04] + [UInt8](repeating: 255, count: 64),
            ]
            for (index, point) in points.enumerated() {
                let ours = try? CarnetCrypto.P256.Signing.PublicKey(x963Representation: point)
                let theirs = try? Crypto.P256.Signing.PublicKey(x963Representation: point)
                #expect((ours != nil) == (index == 0) && (theirs != nil) == (index == 0), "\(index)")
            }
        }

        @Test("A private number is from 1 to the order less 1")
        func numbers() throws {
            let order: [UInt8] =
                [255, 255, 255, 255, 0, 0, 0, 0] + [UInt8](repeating: 255, count: 8) + [
                    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25,
                ]
            let zeros = [UInt8](repeating: 0, count: 31)
            for (number, isValid) in [
                (zeros + [0], false), (zeros + [1], true), (order + [0x50], true), (order + [0x51], false),
                (order + [0x52], false), (zeros, false), (zeros + [0, 1], false),
            ] {
                let ours = try? CarnetCrypto.P256.Signing.PrivateKey(rawRepresentation: number)
                let theirs = try? Crypto.P256.Signing.PrivateKey(rawRepresentation: number)
                #expect((ours != nil) == isValid && (theirs != nil) == isValid, "\(number)")
                #expect(ours?.publicKey.rawRepresentation == theirs?.publicKey.rawRepresentation)
            }
        }

        @Test("RSA keys have odd numbers of bounded size")
        func publicNumbers() throws {
            let n = Array(try Self.rsa.get().publicKey.getKeyPrimitives().modulus)
            let (e, zeros): ([UInt8], [UInt8]) = ([1, 0, 1], [UInt8](repeating: 0, count: 1022))
            for (n, e, isValid) in [
                (n, e, true), ([0, 0] + n, [0] + e, true), (n, [3], true), (n, [1, 0, 0, 0, 1], true), (n, [1], false),
                (n, [4], false), (n, [2, 0, 0, 0, 1], false), (n, [1, 0, 0, 0, 0, 1], false),
                (n.dropLast() + [n[255] ^ 1], e, false), ([1] + n.dropFirst(), e, false),
                ([0x80] + zeros + [1], e, true), ([1] + zeros + [0, 1], e, false),
            ] as [([UInt8], [UInt8], Bool)] {
                let ours = try? CarnetCrypto._RSA.Signing.PublicKey(n: n, e: e)
                let theirs = try? CryptoExtras._RSA.Signing.PublicKey(n: n, e: e)
                #expect((ours != nil) == isValid && (theirs != nil) == isValid, "\(n.count) bytes, \(e)")
            }
        }

        @Test("RSA signatures and ciphertexts are as long as the modulus")
        func lengths() throws {
            let key = try CarnetCrypto._RSA.Signing.PrivateKey(derRepresentation: Self.rsa.get().derRepresentation)
            let decryptor = try CarnetCrypto._RSA.Encryption.PrivateKey(key)
            let numbers = try key.publicKey.getKeyPrimitives()
            let encryptor = try CarnetCrypto._RSA.Encryption.PublicKey(
                n: numbers.modulus, e: numbers.publicExponent)
            for padding in [CarnetCrypto._RSA.Signing.Padding.PSS, .insecurePKCS1v1_5] {
                // One of 256 begins with a zero.
                for number in 0..<4096 {
                    let digest = CarnetCrypto.SHA256.hash(Array("\(number)".utf8))
                    let signature = try key.signature(for: digest, padding: padding).rawRepresentation
                    guard signature.first == 0 else { continue }
                    func isValid(_ bytes: Data) -> Bool {
                        key.publicKey.isValidSignature(.init(rawRepresentation: bytes), for: digest, padding: padding)
                    }
                    #expect(isValid(signature) && !isValid(signature.dropFirst()) && !isValid([0] + signature))
                    break
                }
            }
            for _ in 0..<4096 {
                let ciphertext = Array(try encryptor.encrypt([1, 2, 3], padding: .PKCS1_OAEP_SHA256))
                guard ciphertext.first == 0 else { continue }
                #expect(try decryptor.decrypt(ciphertext, padding: .PKCS1_OAEP_SHA256) == Data([1, 2, 3]))
                #expect(throws: CarnetCrypto.CryptoError.self) {
                    try decryptor.decrypt(Array(ciphertext.dropFirst()), padding: .PKCS1_OAEP_SHA256)
                }
                break
            }
        }

        @Test("A damaged private key is none")
        func damagedKeys() throws {
            let der = Array(try Self.rsa.get().derRepresentation)
            func isAccepted(_ der: [UInt8]) -> Bool {
                (try? CarnetCrypto._RSA.Signing.PrivateKey(derRepresentation: der)) != nil
            }
            #expect(isAccepted(der) && !isAccepted(der + [0]) && !isAccepted(der.dropLast()))
            // The last byte of each of its numbers: modulus, private exponent, factors, and what follows from them.
            for place in stride(from: 200, to: der.count, by: 60) + [der.count - 1] {
                var damaged = der
                damaged[place] ^= 2
                #expect(!isAccepted(damaged), "\(place)")
                #expect((try? CryptoExtras._RSA.Signing.PrivateKey(derRepresentation: damaged)) == nil, "\(place)")
            }
        }

        @Test("A point of small order makes no secret")
        func smallOrder() throws {
            let key = CarnetCrypto.Curve25519.KeyAgreement.PrivateKey()
            for last in [UInt8(0), 1] {
                let point = [last] + [UInt8](repeating: 0, count: 31)
                #expect(throws: CarnetCrypto.CryptoError.self) {
                    try key.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: point))
                }
            }
        }
    }
#endif
