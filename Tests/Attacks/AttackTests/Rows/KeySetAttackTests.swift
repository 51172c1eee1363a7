// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("JOSE: the provider's keys", .searchedForSecrets)
struct KeySetAttackTests {
    @Test("JOSE-07: Odd keys of RSA")
    func JOSE_07_oddKeysOfRSA() async throws {
        let good = try #require(Script.goodKeys.first)
        let modulus = try #require(good["n"]?.string)
        let weak = try SigningKey.weakRSA.jwk(["kid": "1"])
        let exponents = ["AQ", "Ag", "BA", "AAAA", "", "AQAAAAAB", modulus]
        let moduli = [
            "", base64URL(Data(repeating: 0, count: 256)), base64URL(Data(repeating: 255, count: 1025)),
            base64URL(Data(repeating: 255, count: 2048)),
        ]
        let keys: [JSONValue] =
            [weak] + exponents.map { ["kty": "RSA", "kid": "1", "n": .string(modulus), "e": .string($0)] }
            + moduli.map { ["kty": "RSA", "kid": "1", "n": .string($0), "e": "AQAB"] }
        try await refuse(.idToken, .keyNotFound, each: keys) { $0.keys["keys"] = [$1] }
        try await refuse(.idToken, .keyNotFound) { script in
            script.keys["keys"] = [weak]
            script.idToken.key = .weakRSA
        }
    }

    @Test("JOSE-11: No key ID and one key")
    func JOSE_11_noKeyIDAndOneKey() async throws {
        try await accept {
            $0.idToken.header["kid"] = nil
        } check: {
            #expect($1.tokens != nil)
        }
        let key = try SigningKey.rsa.jwk()
        try await accept {
            $0.idToken.header["kid"] = nil
            $0.keys["keys"] = [key]
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("JOSE-12: No key ID and many keys")
    func JOSE_12_noKeyIDAndManyKeys() async throws {
        let good = try SigningKey.rsa.jwk(["kid": "good"])
        let other = try SigningKey.otherRSA.jwk(["kid": "other"])
        try await accept {
            $0.idToken.header["kid"] = nil
            $0.keys["keys"] = .array(Array(repeating: other, count: 7) + [good])
        } check: {
            #expect($1.tokens != nil)
        }
        // Eight are tried, however many there are.
        try await refuse(.idToken, .badSignature) { script in
            script.idToken.header["kid"] = nil
            script.keys["keys"] = .array(Array(repeating: other, count: 8) + [good])
        }
        try await refuse(.keys, .malformedKeys) { script in
            script.idToken.header["kid"] = nil
            script.keys["keys"] = .array(Array(repeating: other, count: 101))
        }
    }

    /// Decoys have the key id of the right key and are not for this signature.
    @Test("JOSE-13: Decoys with the same key ID")
    func JOSE_13_decoysWithTheSameKeyID() async throws {
        let good = try SigningKey.rsa.jwk(["kid": "1"])
        let decoys = [
            try SigningKey.otherRSA.jwk(["kid": "1", "use": "enc"]), try SigningKey.p256.jwk(["kid": "1"]),
            try SigningKey.otherRSA.jwk(["kid": "1", "alg": "PS256"]), try SigningKey.ed25519.jwk(["kid": "1"]),
            try SigningKey.otherRSA.jwk(["kid": "1", "key_ops": ["encrypt"]]),
            ["kty": "oct", "k": "AAAA", "kid": "1"], try SigningKey.otherRSA.jwk(["kid": "1"]),
        ]
        try await accept {
            $0.keys["keys"] = .array(decoys + [good])
        } check: {
            #expect($1.tokens != nil)
        }
        try await refuse(.idToken, .keyNotFound) { $0.keys["keys"] = .array(decoys.dropLast()) }
    }

    @Test("JOSE-14: Key for something else")
    func JOSE_14_keyForSomethingElse() async throws {
        let members: [(String, JSONValue)] = [
            ("use", "enc"), ("use", "SIG"), ("use", 5), ("key_ops", ["sign"]), ("key_ops", "verify"), ("alg", "PS256"),
            ("alg", "RS384"), ("alg", "RSA-OAEP"), ("alg", 5), ("alg", "HS256"), ("kid", "2"),
        ]
        try await refuse(.idToken, .keyNotFound, each: members) { script, member in
            script.keys["keys"] = [try SigningKey.rsa.jwk(["kid": "1"].merging([member.0: member.1]) { $1 })]
        }
        // INT-25: an empty list of operations excludes none. INT-37: the only key may have no id.
        let good: [(String, JSONValue)] = [
            ("use", "sig"), ("key_ops", ["verify"]), ("key_ops", []), ("alg", "RS256"), ("x5c", ["junk"]),
            ("kid", .null),
        ]
        try await accept(each: good) { script, member in
            script.keys["keys"] = [try SigningKey.rsa.jwk(["kid": "1"].merging([member.0: member.1]) { $1 })]
        }
        // The signature decides, and a key for something else stays one.
        try await refuse(.idToken, .badSignature) {
            $0.keys["keys"] = [try SigningKey.otherRSA.jwk(["kid": .null])]
        }
        try await refuse(.idToken, .keyNotFound) {
            $0.keys["keys"] = [try SigningKey.rsa.jwk(["kid": .null, "use": "enc"])]
        }
    }

    @Test("JOSE-15: Secret in the key set")
    func JOSE_15_secretInTheKeySet() async throws {
        let secret = "a-secret-that-everybody-can-read-here"
        try await refuse(.idToken, .unsupportedAlgorithm) { script in
            script.keys["keys"] = [
                ["kty": "oct", "kid": "1", "alg": "HS256", "k": .string(base64URL(Data(secret.utf8)))]
            ]
            script.idToken.header["alg"] = "HS256"
            script.idToken.forge = { SignatureAttackTests.hmac($0, secret) }
        }
        try await refuse(.idToken, .badSignature, in: SignatureAttackTests.signedWithSecret) { script in
            script.keys["keys"] = [
                ["kty": "oct", "kid": "1", "alg": "HS256", "k": .string(base64URL(Data(secret.utf8)))]
            ]
            script.idToken.forge = { SignatureAttackTests.hmac($0, secret) }
        }
    }

    @Test("JOSE-17: Bad entries among good ones")
    func JOSE_17_badEntriesAmongGoodOnes() async throws {
        let good = try #require(Script.goodKeys.first)
        let bad: [JSONValue] = [
            .null, 5, "x", [], [:], ["kty": "XYZ", "kid": "1"], ["kty": "RSA"], ["kty": "RSA", "kid": "1"],
            ["kty": "OKP", "crv": "Ed25519", "x": "AA", "kid": "1"],
            ["kty": "RSA", "kid": "1", "n": "!!", "e": "AQAB"], ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"],
            ["kty": "EC", "crv": "secp256k1", "kid": "1"], ["kty": 5], ["kty": "RSA", "n": 5, "e": 5],
            [
                "kty": "EC", "crv": "P-256", "x": .string(base64URL(Data(repeating: 1, count: 32))),
                "y": .string(base64URL(Data(repeating: 1, count: 32))),
            ],
        ]
        try await accept {
            $0.keys["keys"] = .array(bad + [good])
        } check: {
            #expect($1.tokens != nil)
        }
        try await refuse(.idToken, .keyNotFound) { $0.keys["keys"] = .array(bad) }
    }

    @Test("JOSE-18: Key set that is none")
    func JOSE_18_keySetThatIsNone() async throws {
        try await refuse(
            .keys, .malformedKeys, each: ["[]", "{}", "null", #"{"keys":{}}"#, #"{"keys":"x"}"#, #"{"keys":null}"#]
        ) {
            $0.keys = .text($1)
        }
        try await refuse(.keys, .malformedBody, each: ["", "<html>", #"{"keys":[]"#]) { $0.keys = .text($1) }
        try await refuse(.keys, .unexpectedStatus, each: [404, 302]) { $0.keys.status = $1 }
        // INT-32: any 2xx is a success, and still needs a key set.
        try await refuse(.keys, .malformedBody) { $0.keys = .text("", status: 204) }
        try await refuse(.keys, .malformedKeys) { $0.keys = .text("{}", status: 299) }
        try await refuse(.keys, .serverUnavailable, each: [500, 503]) { $0.keys.status = $1 }
        try await refuse(.keys, .transport, each: [.responseTooLarge, .timeout] as [ServerResponse.TransportFailure]) {
            $0.keys = .fails($1)
        }
        try await refuse(.idToken, .keyNotFound) { $0.keys["keys"] = [] }
    }

    /// Signs with a new key from now on.
    private func rotate(_ scenario: Scenario, publishes: Bool = true) {
        scenario.change { script in
            script.idToken.key = .otherRSA
            script.idToken.header["kid"] = "2"
            if publishes, let key = try? SigningKey.otherRSA.jwk(["kid": "2"]) { script.keys["keys"] = [key] }
        }
    }

    @Test("JOSE-19: New key between sign-ins")
    func JOSE_19_newKeyBetweenSignIns() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        _ = try await client.signIn(at: scenario)
        rotate(scenario)
        _ = try await client.signIn(at: scenario)
        #expect(scenario.count("/jwks") == 2)
    }

    @Test("JOSE-20: Hundred tokens with unknown keys", arguments: [200, 500])
    func JOSE_20_hundredTokensWithUnknownKeys(status: Int) async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        _ = try await client.signIn(at: scenario)
        scenario.change { $0.keys.status = status }
        for number in 0..<100 {
            scenario.change { $0.idToken.header["kid"] = .string("key-\(number)") }
            let isAsked = number == 0 && status == 500
            await expectRefusal(isAsked ? .serverUnavailable : .keyNotFound) { try await client.signIn(at: scenario) }
        }
        #expect(scenario.count("/jwks") <= 2)
        #expect(scenario.count("/token") == 101)
    }

    /// A real rotation comes right after an attack used up the one request: it is found a minute later.
    @Test("JOSE-21: Rotation after an attack")
    func JOSE_21_rotationAfterAnAttack() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        _ = try await client.signIn(at: scenario)
        scenario.change { $0.idToken.header["kid"] = "unknown" }
        await expectRefusal(.keyNotFound) { try await client.signIn(at: scenario) }
        rotate(scenario)
        await expectRefusal(.keyNotFound) { try await client.signIn(at: scenario) }
        scenario.clock.advance(by: .seconds(60))
        _ = try await client.signIn(at: scenario)
        #expect(scenario.count("/jwks") == 3)
    }

    @Test("JOSE-22: Key that was removed")
    func JOSE_22_keyThatWasRemoved() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        _ = try await client.signIn(at: scenario)
        let key = try SigningKey.otherRSA.jwk(["kid": "2"])
        scenario.change { $0.keys["keys"] = [key] }
        scenario.clock.advance(by: .seconds(3600))
        await expectRefusal(.keyNotFound) { try await client.signIn(at: scenario) }
    }

    @Test("JOSE-23: Key set that cannot be refreshed")
    func JOSE_23_keySetThatCannotBeRefreshed() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        _ = try await client.signIn(at: scenario)
        scenario.change { $0.keys = .error("server_error", status: 500) }
        scenario.clock.advance(by: .seconds(3600))
        _ = try await client.signIn(at: scenario)
        #expect(scenario.count("/jwks") == 2)
    }
}
