#if canImport(COpenSSL)
    import CarnetDescriptors
    import CarnetTestSupport
    import Foundation
    import Testing

    @testable import CarnetProtocol

    /// Signatures that one side makes and the other checks, with swift-crypto as the other.
    @Suite("Signature oracle")
    struct SignatureOracleTests {
        static let algorithms: [SignatureAlgorithm] = [
            .RS256, .RS384, .RS512, .PS256, .PS384, .PS512, .ES256, .ES384, .ES512, .EdDSA,
        ]

        static func key(for algorithm: SignatureAlgorithm) throws -> OpenSSLKey {
            switch algorithm {
            case .ES256: try .generate("EC", curve: "P-256")
            case .ES384: try .generate("EC", curve: "P-384")
            case .ES512: try .generate("EC", curve: "P-521")
            case .EdDSA: try .generate("ED25519")
            default: try .rsa()
            }
        }

        @Test("Are the same to both sides", arguments: algorithms.enumerated().map { ($0.offset, $0.element) })
        func areTheSameToBothSides(index: Int, algorithm: SignatureAlgorithm) throws {
            let oracle = try Self.key(for: algorithm)
            let key = try ClientKey(pem: Secret(oracle.pkcs8()))
            let verifier = try JSONWebKey(key.publicJWK)
            let random = RandomCases(seed: UInt64(index + 1))
            var wrong = 0
            // Each way as often.
            for number in 0..<(2 * OracleCases.count) {
                let message = random.message(upTo: 300)
                let isOurs = number.isMultiple(of: 2)
                var signature = try isOurs ? key.signature(for: message, algorithm) : oracle.sign(message, algorithm)
                let isGood: ([UInt8], [UInt8]) throws -> Bool = { signature, message in
                    isOurs
                        ? try oracle.isValid(signature, for: message, algorithm)
                        : verifier.isValid(signature, for: message, algorithm: algorithm)
                }
                if try !isGood(signature, message) { wrong += 1 }
                guard number % 8 < 2 else { continue }
                // One bit anywhere, and neither takes it.
                signature[random.number(signature.count)] ^= 1 << UInt8(random.number(8))
                if try isGood(signature, message) { wrong += 1 }
                if try isGood(signature, message + [0]) { wrong += 1 }
            }
            #expect(wrong == 0)
        }

        @Test("HMACs are the same on both sides")
        func hMACsAreTheSameOnBoth() throws {
            let random = RandomCases(seed: 20)
            for (algorithm, bits, length) in [
                (AssertionAlgorithm.HS256, 256, 32), (.HS384, 384, 48), (.HS512, 512, 64),
            ] {
                for _ in 0..<OracleCases.count {
                    let (key, message) = (random.bytes(length + random.number(40)), random.message(upTo: 300))
                    #expect(
                        try JSONWebSignature.hmac(message, algorithm, key: key)
                            == OracleCipher.hmac(bits, key: key, message))
                }
            }
        }

        /// The required members of a public key, in the order of their names (RFC 7638, section 3).
        private static func members(of oracle: OpenSSLKey, _ algorithm: SignatureAlgorithm) throws -> String {
            switch algorithm {
            case .ES256, .ES384, .ES512:
                let point = try oracle.point().dropFirst()
                let curve = ["ES256": "P-256", "ES384": "P-384", "ES512": "P-521"][algorithm.rawValue] ?? ""
                return """
                    {"crv":"\(curve)","kty":"EC","x":"\(base64URL(Data(point.prefix(point.count / 2))))",\
                    "y":"\(base64URL(Data(point.suffix(point.count / 2))))"}
                    """
            case .EdDSA:
                return #"{"crv":"Ed25519","kty":"OKP","x":"\#(base64URL(Data(try oracle.point())))"}"#
            default:
                let (n, e) = (try oracle.number("n"), try oracle.number("e"))
                return #"{"e":"\#(base64URL(Data(e)))","kty":"RSA","n":"\#(base64URL(Data(n)))"}"#
            }
        }

        @Test("Keys are read as OpenSSL writes them, with the thumbprint of its numbers", arguments: algorithms)
        func keysAreReadAsOpenSSLWrites(
            algorithm: SignatureAlgorithm
        ) throws {
            let oracle = try Self.key(for: algorithm)
            let modern = try ClientKey(pem: Secret(oracle.pkcs8()))
            if algorithm != .EdDSA {
                #expect(try ClientKey(pem: Secret(oracle.traditional())).thumbprint == modern.thumbprint)
            }
            #expect(
                try modern.thumbprint
                    == base64URL(
                        Data(OracleCipher.sha256(Array(try Self.members(of: oracle, algorithm).utf8)))))
            for pem in [
                try oracle.pkcs8(passphrase: "secret"),
                algorithm == .EdDSA ? nil : try oracle.traditional(passphrase: "secret"),
            ].compactMap({ $0 }) {
                let error = #expect(throws: ClientKeyError.self) { try ClientKey(pem: Secret(pem)) }
                #expect(error?.reason == "is encrypted with a passphrase")
            }
        }

        @Test("Thumbprints of keys are the hashes of swift-crypto")
        func thumbprintsOfKeysAreTheHashes() throws {
            var wrong = 0
            for number in 0..<OracleCases.count {
                let algorithm = [SignatureAlgorithm.ES256, .ES384, .ES512, .EdDSA][number % 4]
                let oracle = try Self.key(for: algorithm)
                let hash = try OracleCipher.sha256(Array(try Self.members(of: oracle, algorithm).utf8))
                let jwk = try ClientKey(pem: Secret(oracle.pkcs8())).publicJWK
                if JSONWebKey.thumbprint(of: jwk) != base64URL(Data(hash)) { wrong += 1 }
            }
            #expect(wrong == 0)
        }

        @Test("Challenges of PKCE are the hashes of swift-crypto")
        func challengesOfProofKeys() throws {
            let random = RandomCases(seed: 30)
            for _ in 0..<OracleCases.count {
                let verifier = base64URL(Data(random.bytes(32)))
                let hash = OracleCipher.sha256(Array(verifier.utf8))
                #expect(CodeVerifier(secret: Secret(verifier)).challenge(.base64url) == base64URL(Data(hash)))
            }
        }
    }
#endif
