import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import Crypto
import Foundation
import Testing

@Suite("Signature algorithm")
struct SignatureAlgorithmTests {
    private let issuer: Issuer

    init() throws { issuer = try Issuer() }

    /// A token whose header is any text and whose signature is any bytes.
    private func token(header: String, signature: Data = Data()) -> String {
        SigningKey.signingInput(header, Issuer.claims.jsonText()) + "." + base64URL(signature)
    }

    // JOSE-01.
    @Test("None is rejected in every spelling", arguments: ["none", "None", "NONE", "nOnE", "none ", ""])
    func noneIsRefusedInEverySpelling(_ name: String) {
        for signature in [Data(), Data("x".utf8)] {
            expectError(.idToken, .unsupportedAlgorithm) {
                try issuer.validate(token(header: #"{"alg":"\#(name)"}"#, signature: signature))
            }
        }
    }

    // JOSE-01.
    @Test(
        "Header without an algorithm is rejected",
        arguments: ["{}", #"{"alg":null}"#, #"{"alg":["RS256"]}"#, #"{"alg":5}"#, "[]", "null", "x", ""])
    func headerWithoutAnAlgorithmIsRefused(_ header: String) {
        expectError(.idToken, .malformedToken) { try issuer.validate(token(header: header)) }
    }

    // JOSE-02: the public key is no HMAC secret, in whatever encoding.
    @Test("Signature by the public key as a secret is rejected")
    func signatureByThePublicKeyAsASecretIsRefused() throws {
        let secrets = try SigningKey.rsa.publicEncodings
        #expect(secrets.count == 6)
        for secret in secrets {
            let input = SigningKey.signingInput(#"{"alg":"HS256","kid":"1"}"#, Issuer.claims.jsonText())
            let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
            let error = expectError(.idToken, .unsupportedAlgorithm) {
                try issuer.validate(input + "." + base64URL(Data(code)))
            }
            #expect(error?.descriptorKey == "id_token.algorithms")
        }
    }

    // JOSE-03.
    @Test("Algorithm that is not configured is rejected", arguments: ["PS256", "RS384"])
    func algorithmThatIsNotConfiguredIsRefused(_ name: String) throws {
        let token = try SigningKey.rsa.token(Issuer.claims, algorithm: name, keyID: "1")
        expectError(.idToken, .unsupportedAlgorithm) { try issuer.validate(token) }
        var lenient = issuer
        lenient.algorithms = [.RS256, try #require(SignatureAlgorithm(rawValue: name))]
        try lenient.validate(token)
    }

    // JOSE-03.
    @Test("Unknown algorithm is rejected", arguments: ["ES256K", "RS1", "HS512", "rs256", "RS256 "])
    func unknownAlgorithmIsRefused(_ name: String) {
        expectError(.idToken, .unsupportedAlgorithm) {
            try issuer.validate(token(header: #"{"alg":"\#(name)","kid":"1"}"#, signature: Data("x".utf8)))
        }
    }

    // LOG-02, JOSE-10.
    @Test("Algorithm is quoted harmlessly")
    func algorithmIsQuotedHarmlessly() throws {
        let name = #"\u001b[31m\n"# + String(repeating: "a", count: 10_000)
        let error = try #require(
            expectError(.idToken, .unsupportedAlgorithm) {
                try issuer.validate(token(header: #"{"alg":"\#(name)"}"#))
            })
        #expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect("\(error)".utf8.count < 500)
    }

    // JOSE-09.
    @Test("Critical header is rejected", arguments: [#"["exp"]"#, "[]", #""exp""#, "null", #"["b64"]"#])
    func criticalHeaderIsRefused(_ value: String) {
        expectError(.idToken, .criticalHeader) {
            try issuer.validate(token(header: #"{"alg":"RS256","kid":"1","b64":false,"crit":\#(value)}"#))
        }
    }

    // JOSE-10.
    @Test("Key ID is only compared")
    func keyIDIsOnlyCompared() throws {
        for id in ["../../dev/null", "' or 1=1", "\u{1B}[31m\n", "1 ", "\u{212A}"] {
            let error = expectError(.idToken, .keyNotFound) {
                try issuer.validate(SigningKey.rsa.token(Issuer.claims, algorithm: "RS256", keyID: id))
            }
            #expect(error.map { "\($0)".contains(id) } == (id == "1 " ? error.map { "\($0)".contains("1 ") } : false))
        }
        expectError(.idToken, .malformedToken) {
            try issuer.validate(
                SigningKey.rsa.token(
                    Issuer.claims, algorithm: "RS256", keyID: String(repeating: "k", count: 2000)))
        }
        expectError(.idToken, .malformedToken) {
            try issuer.validate(SigningKey.rsa.token(Issuer.claims, algorithm: "RS256", header: ["kid": 5]))
        }
    }
}

@Suite("Signature")
struct SignatureTests {
    private let issuer: Issuer
    private let token: String

    init() throws {
        issuer = try Issuer()
        token = try SigningKey.rsa.token(Issuer.claims, algorithm: "RS256", keyID: "1")
    }

    @Test("Good signature is accepted")
    func goodSignatureIsAccepted() throws { try issuer.validate(token) }

    // JOSE-04.
    @Test("Changed claims are rejected")
    func changedClaimsAreRefused() throws {
        let parts = token.components(separatedBy: ".")
        let swapped = base64URL(Data(Issuer.claims(changing: ["sub": "admin"]).jsonText().utf8))
        expectError(.idToken, .badSignature) { try issuer.validate("\(parts[0]).\(swapped).\(parts[2])") }
    }

    // JOSE-04.
    @Test("Changed header is rejected")
    func changedHeaderIsRefused() throws {
        let parts = token.components(separatedBy: ".")
        let header = base64URL(Data(#"{"alg":"RS256","kid":"1","x":1}"#.utf8))
        expectError(.idToken, .badSignature) { try issuer.validate("\(header).\(parts[1]).\(parts[2])") }
    }

    // JOSE-04.
    @Test("Changed truncated or empty signature is rejected")
    func changedTruncatedOrEmptySignatureIsRefused() throws {
        let parts = token.components(separatedBy: ".")
        let signature = try #require(
            Data(
                base64Encoded: parts[2].replacing("-", with: "+").replacing("_", with: "/")
                    + String(repeating: "=", count: (4 - parts[2].count % 4) % 4)))
        var flipped = signature
        flipped[100] ^= 1
        for wrong in [flipped, signature.dropLast(), signature + Data([0]), Data([0]) + signature, Data()] {
            expectError(.idToken, .badSignature) { try issuer.validate("\(parts[0]).\(parts[1]).\(base64URL(wrong))") }
        }
    }

    // JOSE-04.
    @Test("Signature by another key is rejected")
    func signatureByAnotherKeyIsRefused() throws {
        let forged = try SigningKey.otherRSA.token(Issuer.claims, algorithm: "RS256", keyID: "1")
        expectError(.idToken, .badSignature) { try issuer.validate(forged) }
    }

    // JOSE-08: keys in the token are not looked at.
    @Test("Key in the token is ignored")
    func keyInTheTokenIsIgnored() throws {
        let own = try SigningKey.otherRSA.jwk()
        for header: [String: JSONValue] in [
            ["jwk": own], ["jku": "https://evil.example/jwks"], ["x5u": "https://evil.example/x"],
            ["x5c": ["MIIB"]], ["jwk": own, "jku": "https://evil.example/jwks"],
        ] {
            expectError(.idToken, .badSignature) {
                try issuer.validate(
                    SigningKey.otherRSA.token(Issuer.claims, algorithm: "RS256", keyID: "1", header: header))
            }
            try issuer.validate(SigningKey.rsa.token(Issuer.claims, algorithm: "RS256", keyID: "1", header: header))
        }
    }

    // IDT-17: one token, one spelling.
    @Test("Other spellings of base64 are rejected")
    func otherSpellingsOfBase64AreRefused() throws {
        let parts = token.components(separatedBy: ".")
        for wrong in [
            "\(parts[0]).\(parts[1]).\(parts[2])=", "\(parts[0])=.\(parts[1]).\(parts[2])", " \(token)", "\(token)\n",
            "\(parts[0]).\(parts[1]).\(parts[2].replacing("-", with: "+").replacing("_", with: "/"))+",
            "\(parts[0]).\(parts[1]).\(parts[2])A", "\(parts[0])A.\(parts[1]).\(parts[2])",
        ] {
            let error = #expect(throws: OAuthError.self) { try issuer.validate(wrong) }
            #expect(error?.kind == .malformedToken || error?.kind == .badSignature)
        }
        // The last character of 256 bytes has four unused bits: another with the same first two means the same bytes.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(parts[2].last.flatMap { alphabet.firstIndex(of: $0) })
        let stray = parts[2].dropLast() + String(alphabet[last + 1])
        expectError(.idToken, .malformedToken) { try issuer.validate("\(parts[0]).\(parts[1]).\(stray)") }
    }

    // IDT-16, JOSE-26, JOSE-27.
    @Test(
        "Text that is no compact token is rejected",
        arguments: [
            "", ".", "..", "a.b", "a.b.c.d", "a.b.c.d.e", #"{"payload":"e30","signatures":[]}"#,
            String(repeating: ".", count: 10_000), String(repeating: "a", count: 100_000) + "..", "a.\u{301}b.c",
            "a.b.\u{301}c", "é.b.c",
        ])
    func textThatIsNoCompactTokenIsRefused(_ text: String) {
        expectError(.idToken, .malformedToken) { try issuer.validate(text) }
        expectError(.idToken, .malformedToken) { try IDToken(storedAfterValidation: Secret(text)) }
    }

    // JOSE-27.
    @Test("Token over the limit is rejected")
    func tokenOverTheLimitIsRefused() throws {
        let claims = Issuer.claims(changing: ["pad": .string(String(repeating: "x", count: 60_000))])
        let long = try SigningKey.rsa.token(claims, algorithm: "RS256", keyID: "1")
        expectError(.idToken, .malformedToken) { try issuer.validate(long) }
    }
}

@Suite("Elliptic signature")
struct EllipticSignatureTests {
    private func issuer(_ key: SigningKey, _ algorithm: SignatureAlgorithm) throws -> Issuer {
        var issuer = try Issuer(keys: [key.jwk(["kid": "1"])])
        issuer.algorithms = [algorithm]
        return issuer
    }

    // JOSE-05.
    @Test("Odd signatures are rejected")
    func oddSignaturesAreRefused() throws {
        let issuer = try issuer(.p256, .ES256)
        let input = SigningKey.signingInput(#"{"alg":"ES256","kid":"1"}"#, Issuer.claims.jsonText())
        let good = try SigningKey.p256.signature("ES256", over: Data(input.utf8))
        try issuer.validate(input + "." + base64URL(good))
        let order = Data(
            [
                0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA,
                0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ])
        let odd = [
            Data(count: 64), try SigningKey.p256.signature("DER", over: Data(input.utf8)), good.dropLast(),
            good + Data([0]), Data(), good.prefix(32) + Data(count: 32), Data(count: 32) + good.suffix(32),
            good.prefix(32) + order, order + good.suffix(32), Data(repeating: 0xFF, count: 64),
        ]
        for signature in odd {
            expectError(.idToken, .badSignature) { try issuer.validate(input + "." + base64URL(signature)) }
        }
    }

    // JOSE-05: the curve belongs to the algorithm.
    @Test("Key of another curve is not used")
    func keyOfAnotherCurveIsNotUsed() throws {
        let token = try SigningKey.p384.token(Issuer.claims, algorithm: "ES256", keyID: "1")
        expectError(.idToken, .keyNotFound) { try issuer(.p384, .ES256).validate(token) }
    }

    // JOSE-05.
    @Test("Point that is not on the curve is no key", arguments: ["x", "y"])
    func pointThatIsNotOnTheCurveIsNoKey(_ name: String) throws {
        var issuer = try Issuer(keys: [SigningKey.p256.jwk(["kid": "1", name: .string(base64URL(Data(count: 32)))])])
        issuer.algorithms = [.ES256]
        let token = try SigningKey.p256.token(Issuer.claims, algorithm: "ES256", keyID: "1")
        expectError(.idToken, .keyNotFound) { try issuer.validate(token) }
    }

    // JOSE-06: under a key of small order one signature fits many messages.
    @Test(
        "Key of small order verifies nothing",
        arguments: [
            "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "7P_______________________________________38", "7f_______________________________________38",
            "7v_______________________________________38", "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
            "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA",
        ])
    func keyOfSmallOrderVerifiesNothing(_ x: String) throws {
        var issuer = try Issuer(keys: [["kty": "OKP", "crv": "Ed25519", "x": .string(x), "kid": "1"]])
        issuer.algorithms = [.EdDSA]
        let input = SigningKey.signingInput(#"{"alg":"EdDSA","kid":"1"}"#, Issuer.claims.jsonText())
        for point: UInt8 in [0, 1] {
            var signature = Data(count: 64)
            signature[0] = point
            let error = #expect(throws: OAuthError.self) { try issuer.validate(input + "." + base64URL(signature)) }
            #expect(error?.kind == .keyNotFound)
        }
    }
}
