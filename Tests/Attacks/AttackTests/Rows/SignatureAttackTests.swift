// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import Testing

@Suite("JOSE: signatures and tokens", .searchedForSecrets)
struct SignatureAttackTests {
    @Test(
        "JOSE-01: Algorithm none",
        arguments: [["none", "None", "NONE", "nOnE", "none ", ""], [.null, ["RS256"], 5, nil]] as [[JSONValue?]])
    func JOSE_01_algorithmNone(spellings: [JSONValue?]) async throws {
        for withSignature in [true, false] {
            let kind = spellings.contains(nil) ? OAuthError.Kind.malformedToken : .unsupportedAlgorithm
            try await refuse(.idToken, kind, each: spellings) { script, spelling in
                script.idToken.header["alg"] = spelling
                script.idToken.algorithm = withSignature ? "RS256" : nil
            }
        }
    }

    /// An HMAC whose secret is the public key, which everybody has.
    @Test("JOSE-02: Public key as secret")
    func JOSE_02_publicKeyAsSecret() async throws {
        for key in try SigningKey.rsa.publicEncodings {
            let forge: @Sendable (String) -> String = { token in
                let input = token.split(separator: ".").prefix(2).joined(separator: ".")
                let code = HMAC<SHA256>.authenticationCode(
                    for: Data(input.utf8), using: SymmetricKey(data: key))
                return input + "." + base64URL(Data(code))
            }
            let error = try await refuse(.idToken, .unsupportedAlgorithm) { script in
                script.metadata["id_token_signing_alg_values_supported"] = ["HS256", "RS256"]
                script.idToken.header["alg"] = "HS256"
                script.idToken.forge = forge
            }
            #expect(error?.descriptorKey == "id_token.algorithms")
            // Where the secret does sign, a secret that is a key is none.
            try await refuse(
                .idToken, .badSignature, in: Self.signedWithSecret
            ) { $0.idToken.forge = forge }
        }
    }

    /// A provider whose ID tokens the client's secret signs, in order.
    static let signedWithSecret = Flow.signIn.adding("id_token: { hs256: \"it has no other way\" }").served { script in
        script.idToken.header["alg"] = "HS256"
        script.idToken.forge = { hmac($0, Scenario.clientSecret) }
    }

    static func hmac(_ token: String, _ secret: String) -> String {
        let input = token.split(separator: ".").prefix(2).joined(separator: ".")
        let key = SymmetricKey(data: Data(secret.utf8))
        return input + "." + base64URL(Data(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: key)))
    }

    @Test("JOSE-03: Algorithm that is not configured", arguments: ["RS384", "RS512", "PS256"])
    func JOSE_03_algorithmThatIsNotConfigured(name: String) async throws {
        try await refuse(.idToken, .unsupportedAlgorithm) { script in
            script.idToken.header["alg"] = .string(name)
            script.idToken.algorithm = name
        }
        try await refuse(.idToken, .unsupportedAlgorithm, in: .signIn.adding("id_token: { algorithms: [RS256] }")) {
            $0.metadata["id_token_signing_alg_values_supported"] = [.string(name), "RS256"]
            $0.idToken.header["alg"] = .string(name)
            $0.idToken.algorithm = name
        }
    }

    @Test(
        "JOSE-03: Algorithm that does not exist here",
        arguments: ["ES256K", "RS1", "HS256", "HS512", "rs256", "RS256 ", "RSA-OAEP", "dir", "PBES2-HS256+A128KW"])
    func JOSE_03_algorithmThatDoesNotExistHere(name: String) async throws {
        try await refuse(.idToken, .unsupportedAlgorithm) { script in
            script.metadata["id_token_signing_alg_values_supported"] = [.string(name), "RS256"]
            script.idToken.header["alg"] = .string(name)
        }
    }

    @Test("JOSE-04: Signature wrong")
    func JOSE_04_signatureWrong() async throws {
        let forgeries: [@Sendable (String) -> String] = [
            { Self.flipping(2, of: $0) }, { Self.replacing(2, of: $0, with: "") },
            { Self.replacing(2, of: $0, with: base64URL(Data(repeating: 0, count: 256))) },
            { Self.replacing(2, of: $0, with: base64URL(Data(repeating: 1, count: 10))) },
            { Self.replacing(2, of: $0, with: base64URL(Data(repeating: 255, count: 512))) },
            { Self.replacing(1, of: $0, with: base64URL(Data(#"{"sub":"admin"}"#.utf8))) },
            { Self.replacing(0, of: $0, with: base64URL(Data(#"{"alg":"RS256","kid":"1","x":1}"#.utf8))) },
            { Self.changingSignature(of: $0) { $0.dropLast() } },
            { Self.changingSignature(of: $0) { $0 + Data([0]) } },
            { Self.changingSignature(of: $0) { Data([0]) + $0 } },
        ]
        for forgery in forgeries {
            try await refuse(.idToken, .badSignature) { $0.idToken.forge = forgery }
        }
        try await refuse(.idToken, .badSignature) { $0.idToken.key = .otherRSA }
    }

    private static func replacing(_ index: Int, of token: String, with segment: String) -> String {
        var segments = token.split(separator: ".").map(String.init)
        segments[index] = segment
        return segments.joined(separator: ".")
    }

    private static func changingSignature(of token: String, _ change: (Data) -> Data) -> String {
        let signature = Data(Base64URL.decode(token.split(separator: ".")[2].utf8) ?? [])
        return replacing(2, of: token, with: base64URL(change(signature)))
    }

    private static func flipping(_ index: Int, of token: String) -> String {
        let first = token.split(separator: ".")[index].first
        return replacing(
            index, of: token, with: (first == "A" ? "B" : "A") + token.split(separator: ".")[index].dropFirst())
    }

    /// A provider that signs with ECDSA, in order.
    static let elliptic = Flow.signIn.served { script in
        script.metadata["id_token_signing_alg_values_supported"] = ["ES256"]
        script.keys["keys"] = [(try? SigningKey.p256.jwk(["kid": "1"])) ?? .null]
        script.idToken.header["alg"] = "ES256"
        script.idToken.algorithm = "ES256"
        script.idToken.key = .p256
    }

    @Test("JOSE-05: Special signatures of ECDSA")
    func JOSE_05_specialSignaturesOfECDSA() async throws {
        let order = Data([
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
            0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ])
        let zero = Data(count: 32)
        let one = Data(count: 31) + [1]
        let pairs = [
            [zero, zero], [order, order], [order, one], [one, order], [zero, one], [one, zero], [one, one],
        ]
        // `+` of many values in one list takes the compiler half a minute.
        let signatures: [Data] =
            pairs.map { Data($0.joined()) }
            + [
                Data(repeating: 255, count: 64), Data(repeating: 1, count: 63), Data(repeating: 1, count: 65),
                Data(repeating: 1, count: 96),
            ]
        try await refuse(.idToken, .badSignature, in: Self.elliptic, each: signatures) { script, signature in
            script.idToken.forge = { Self.replacing(2, of: $0, with: base64URL(signature)) }
        }
        let changes: [@Sendable (Data) -> Data] = [
            { $0.dropLast() }, { $0 + Data([0]) }, { $0.prefix(32) + Data(count: 32) },
            { Data(count: 32) + $0.suffix(32) },
            { $0.prefix(32) + order }, { order + $0.suffix(32) },
        ]
        for change in changes {
            try await refuse(.idToken, .badSignature, in: Self.elliptic) {
                $0.idToken.forge = { Self.changingSignature(of: $0, change) }
            }
        }
        try await refuse(.idToken, .badSignature, in: Self.elliptic) { $0.idToken.algorithm = "DER" }
        try await refuse(.idToken, .badSignature, in: Self.elliptic) { $0.idToken.key = .otherP256 }
    }

    @Test("JOSE-05: Key of another curve")
    func JOSE_05_keyOfAnotherCurve() async throws {
        try await refuse(.idToken, .keyNotFound, in: Self.elliptic) { script in
            script.keys["keys"] = [(try? SigningKey.p384.jwk(["kid": "1"])) ?? .null]
            script.idToken.key = .p384
        }
        // A point that is not on the curve.
        try await refuse(.idToken, .keyNotFound, in: Self.elliptic, each: ["x", "y"]) { script, name in
            script.keys["keys"] = [try SigningKey.p256.jwk(["kid": "1", name: .string(base64URL(Data(count: 32)))])]
        }
    }

    @Test("JOSE-06: Key of small order")
    func JOSE_06_keyOfSmallOrder() async throws {
        let points = [
            "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "7P_______________________________________38", "7f_______________________________________38",
            "7v_______________________________________38", "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
            "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA",
            "__________________________________________8",
        ]
        let flow = Flow.signIn.served { script in
            script.metadata["id_token_signing_alg_values_supported"] = ["EdDSA"]
            script.keys["keys"] = [(try? SigningKey.ed25519.jwk(["kid": "1"])) ?? .null]
            script.idToken.header["alg"] = "EdDSA"
            script.idToken.algorithm = "EdDSA"
            script.idToken.key = .ed25519
            script.idToken.claims["at_hash"] = nil
        }
        for (index, x) in points.enumerated() {
            let point = Data(try #require(Base64URL.decode(x.utf8)))
            // The last is on no list of such points; nothing verifies under it either.
            let kind = index == points.count - 1 ? OAuthError.Kind.badSignature : .keyNotFound
            for start in [point, Data(count: 32), Data([1]) + Data(count: 31)] {
                let scenario = Scenario()
                // The forged signature begins with the key.
                scenario.publish(x)
                await expectRefusal(kind) {
                    try await flow.run(scenario) { script in
                        script.keys["keys"] = [["kty": "OKP", "crv": "Ed25519", "kid": "1", "x": .string(x)]]
                        script.idToken.forge = { Self.replacing(2, of: $0, with: base64URL(start + Data(count: 32))) }
                    }
                }
                #expect(scenario.count("/userinfo") == 0)
            }
        }
        try await control(flow)
    }

    @Test("JOSE-08: Key in the token")
    func JOSE_08_keyInTheToken() async throws {
        let own = try SigningKey.otherRSA.jwk(["kid": "1"])
        let headers: [(String, JSONValue)] = [
            ("jwk", own), ("jku", "https://evil.example/jwks"), ("x5u", "https://evil.example/cert"),
            ("x5c", ["MIIB"]), ("x5t", "AAAA"),
        ]
        try await refuse(.idToken, .badSignature, each: headers) { script, header in
            script.elsewhere["https://evil.example/jwks"] = ServerResponse(["keys": [own]])
            script.idToken.header[header.0] = header.1
            script.idToken.key = .otherRSA
        }
        try await refuse(.idToken, .keyNotFound, each: headers) { script, header in
            script.idToken.header[header.0] = header.1
            script.idToken.header["kid"] = "of-the-token"
            script.idToken.key = .otherRSA
        }
        try await accept(each: headers) { script, header in script.idToken.header[header.0] = header.1 }
    }

    @Test("JOSE-09: Critical extension")
    func JOSE_09_criticalExtension() async throws {
        try await refuse(
            .idToken, .criticalHeader, each: [["exp"], [], "exp", ["b64"], ["x", "x"], .null, 5, [5]] as [JSONValue]
        ) { script, extensions in
            script.idToken.header["crit"] = extensions
            script.idToken.header["b64"] = false
        }
    }

    @Test("JOSE-10: Key ID that attacks")
    func JOSE_10_keyIDThatAttacks() async throws {
        try await refuse(
            .idToken, .keyNotFound,
            each: [
                "../../dev/null", "' or 1=1 --", "\u{1B}[2J", "a\r\nb", "", "1 ", "1\u{0}", "http://169.254.169.254/",
                "\u{212A}",
            ]
        ) { $0.idToken.header["kid"] = .string($1) }
        try await refuse(
            .idToken, .malformedToken,
            each: [5, ["1"], .string(String(repeating: "k", count: 1025)), true, .null] as [JSONValue]
        ) { $0.idToken.header["kid"] = $1 }
    }

    @Test("JOSE-16: Private half in the key set")
    func JOSE_16_privateHalfInTheKeySet() async throws {
        var key = try #require(Script.goodKeys.first?.object)
        key["d"] = "AQAB-the-private-half"
        try await accept { [key] in
            $0.keys["keys"] = [.object(key)]
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("JOSE-26: JSON serialization")
    func JOSE_26_JSONSerialization() async throws {
        let general = #"{"payload":"e30","signatures":[{"protected":"e30","signature":"AA"},{"signature":"AA"}]}"#
        try await refuse(.idToken, .malformedToken, each: [general, #"{"payload":"e30","signature":"AA"}"#]) {
            script, token in
            script.idToken.forge = { _ in token }
        }
    }

    @Test("JOSE-27: Huge tokens")
    func JOSE_27_hugeTokens() async throws {
        let tokens = [
            String(repeating: ".", count: 10_000), String(repeating: "a", count: 65_536),
            String(repeating: "a.", count: 32_768), base64URL(Data(repeating: 0x5B, count: 30_000)) + ".e30.AA",
            base64URL(Data((#"{"alg":"RS256","x":"# + String(repeating: "[", count: 20_000)).utf8)) + ".e30.AA",
        ]
        try await refuse(.idToken, .malformedToken, each: tokens) { script, token in
            script.idToken.forge = { _ in token }
        }
        let endless = [String(repeating: "a", count: 1 << 20), String(repeating: "a.", count: 500_000)]
        try await refuse(.tokenRequest, .wrongFieldType, each: endless) { script, token in
            script.idToken.forge = { _ in token }
        }
        try await refuse(.idToken, .malformedToken, each: [10_000]) { script, depth in
            script.idToken.rawClaims =
                "{\"a\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
    }

    @Test("JOSE-28: Type of another kind")
    func JOSE_28_typeOfAnotherKind() async throws {
        try await refuse(.idToken, .wrongTokenUse, each: ["at+jwt", "JOSE+JSON", "JWE", "secevent+jwt"]) {
            $0.idToken.header["typ"] = .string($1)
        }
        try await refuse(.idToken, .malformedToken, each: [5, ["JWT"], .null] as [JSONValue]) {
            $0.idToken.header["typ"] = $1
        }
    }

    /// The one comparison of secrets looks at every byte.
    @Test("JOSE-29: Secrets are compared whole")
    func JOSE_29_secretsAreComparedWhole() {
        let secret = Secret("0123456789abcdef")
        #expect(secret == Secret("0123456789abcdef"))
        for wrong in [
            "1123456789abcdef", "0123456789abcdeF", "0123456789abcde", "0123456789abcdef0", "",
            "\u{1D7D8}123456789abcdef",
        ] {
            #expect(secret != Secret(wrong))
        }
    }

    @Test("JOSE-30: Token signed with the secret")
    func JOSE_30_tokenSignedWithTheSecret() async throws {
        try await refuse(
            .idToken, .badSignature, in: Self.signedWithSecret,
            each: ["another-secret-of-32-bytes-or-more-x", "", Scenario.clientSecret + " "]
        ) { script, secret in script.idToken.forge = { Self.hmac($0, secret) } }
        try await refuse(.idToken, .unsupportedAlgorithm, in: Self.signedWithSecret) { script in
            script.idToken.header["alg"] = "RS256"
            script.idToken.forge = { $0 }
        }
        let short = Self.signedWithSecret.registered { $0.clientSecret = Secret("too-short") }
        await short.expectRefusal(.badRegistration)
    }
}
