import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import Testing

@Suite("Key selection")
struct KeySelectionTests {
    private func token(_ keyID: String? = "1") throws -> String {
        try SigningKey.rsa.token(Issuer.claims, algorithm: "RS256", keyID: keyID)
    }

    private func validate(_ token: String, with keys: [JSONValue]) throws {
        try Issuer(keys: keys).validate(token)
    }

    // JOSE-11.
    @Test("Token without key ID takes the only key")
    func tokenWithoutKeyIDTakesTheOnlyKey() throws {
        try validate(token(nil), with: [SigningKey.rsa.jwk()])
        try validate(token(nil), with: [SigningKey.rsa.jwk(["kid": "1"])])
    }

    // JOSE-12: fitting keys are tried, up to eight of them.
    @Test("Token without key ID tries fitting keys up to a bound")
    func tokenWithoutKeyIDTriesFittingKeysUpToABound() throws {
        let decoy = try SigningKey.otherRSA.jwk()
        let real = try SigningKey.rsa.jwk()
        try validate(token(nil), with: Array(repeating: decoy, count: 7) + [real])
        expectError(.idToken, .badSignature) {
            try validate(token(nil), with: Array(repeating: decoy, count: 8) + [real])
        }
    }

    @Test("Key ID must be among the keys")
    func keyIDMustBeAmongTheKeys() throws {
        expectError(.idToken, .keyNotFound) { try validate(token("2"), with: [SigningKey.rsa.jwk(["kid": "1"])]) }
        expectError(.idToken, .keyNotFound) { try validate(token(), with: [SigningKey.rsa.jwk()]) }
        expectError(.idToken, .keyNotFound) { try validate(token(), with: []) }
    }

    // JOSE-13: decoys with the same id.
    @Test("Decoys with the same ID are reported apart")
    func decoysWithTheSameIDAreToldApart() throws {
        try validate(
            token(),
            with: [
                SigningKey.p256.jwk(["kid": "1"]), SigningKey.otherRSA.jwk(["kid": "1", "use": "enc"]),
                SigningKey.otherRSA.jwk(["kid": "1", "alg": "RS512"]), SigningKey.ed25519.jwk(["kid": "1"]),
                ["kty": "oct", "k": "AAAA", "kid": "1"], SigningKey.otherRSA.jwk(["kid": "1"]),
                SigningKey.rsa.jwk(["kid": "1"]),
            ])
    }

    // JOSE-14.
    @Test("Key for another use is not used")
    func keyForAnotherUseIsNotUsed() throws {
        for members: [String: JSONValue] in [
            ["use": "enc"], ["use": 5], ["use": "SIG"], ["key_ops": ["sign"]], ["key_ops": "verify"],
            ["alg": "RS512"], ["alg": "PS256"], ["alg": "RSA-OAEP"], ["alg": 5],
        ] {
            let key = try SigningKey.rsa.jwk(members.merging(["kid": "1"]) { $1 })
            expectError(.idToken, .keyNotFound) { try validate(token(), with: [key]) }
        }
        for members: [String: JSONValue] in [
            ["use": "sig"], ["key_ops": ["verify"]], ["alg": "RS256"],
            // INT-25: what says nothing forbids nothing.
            ["use": nil, "alg": nil, "key_ops": nil, "x5c": nil], ["key_ops": []],
        ] {
            try validate(token(), with: [SigningKey.rsa.jwk(members.merging(["kid": "1"]) { $1 })])
        }
    }

    // JOSE-15.
    @Test("Symmetric key of a public set is ignored")
    func symmetricKeyOfAPublicSetIsIgnored() throws {
        let secret = Data("a secret that everybody can read".utf8)
        let input = SigningKey.signingInput(#"{"alg":"HS256","kid":"1"}"#, Issuer.claims.jsonText())
        let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
        expectError(.idToken, .unsupportedAlgorithm) {
            try validate(
                input + "." + base64URL(Data(code)),
                with: [["kty": "oct", "k": .string(base64URL(secret)), "kid": "1", "alg": "HS256"]])
        }
    }

    // JOSE-16.
    @Test("Private part is ignored")
    func privatePartIsIgnored() throws {
        try validate(token(), with: [SigningKey.rsa.jwk(["kid": "1", "d": "AAAA"])])
    }

    // JOSE-07.
    @Test("Weak or odd RSA key is not used")
    func weakOrOddRSAKeyIsNotUsed() throws {
        let weak = try SigningKey.weakRSA.token(Issuer.claims, algorithm: "RS256", keyID: "1")
        expectError(.idToken, .keyNotFound) { try validate(weak, with: [SigningKey.weakRSA.jwk(["kid": "1"])]) }
        for exponent in ["AQ", "Ag", "BA", "AAAA", "", "AQAAAAAB"] {
            let key = try SigningKey.rsa.jwk(["kid": "1", "e": .string(exponent)])
            expectError(.idToken, .keyNotFound) { try validate(token(), with: [key]) }
        }
        let huge = try SigningKey.rsa.jwk([
            "kid": "1", "n": .string(base64URL(Data(repeating: 0xFF, count: 1025))),
        ])
        expectError(.idToken, .keyNotFound) { try validate(token(), with: [huge]) }
    }

    // JOSE-17: one odd entry locks nobody out.
    @Test("Malformed entries are skipped")
    func malformedEntriesAreSkipped() throws {
        let odd: [JSONValue] = [
            .null, 5, "key", [], [:], ["kty": "RSA"], ["kty": "future", "kid": "1"],
            ["kty": "RSA", "n": "!", "e": "AQAB"],
            ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": "1"],
            ["kty": "EC", "crv": "secp256k1", "kid": "1"],
            ["kty": "OKP", "crv": "Ed25519", "x": "AA", "kid": "1"], ["kty": 5],
        ]
        try validate(token(), with: odd + [SigningKey.rsa.jwk(["kid": "1", "x5c": ["junk"]])])
    }

    @Test("Key named by the new name of its algorithm is used")
    func keyNamedByTheNewNameOfItsAlgorithmIsUsed() throws {
        var issuer = try Issuer(keys: [SigningKey.ed25519.jwk(["kid": "1", "alg": "Ed25519"])])
        issuer.algorithms = [.EdDSA]
        try issuer.validate(SigningKey.ed25519.token(Issuer.claims, algorithm: "EdDSA", keyID: "1"))
    }
}

@Suite("Key set response")
struct KeySetResponseTests {
    // JOSE-18.
    @Test(
        "Body without a list of keys is rejected",
        arguments: ["[]", "null", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":"x"}"#])
    func bodyWithoutAListOfKeysIsRefused(_ body: String) {
        expectError(.keys, .malformedKeys) { try JSONWebKeySet(validating: .json(body)) }
    }

    @Test("Body that is not JSON is rejected", arguments: ["<html>", "", "{"])
    func bodyThatIsNotJSONIsRefused(_ body: String) {
        expectError(.keys, .malformedBody) { try JSONWebKeySet(validating: .json(body)) }
    }

    // JOSE-18.
    @Test("Other status is rejected", arguments: [404, 500, 302])
    func otherStatusIsRefused(_ status: Int) throws {
        let body = (["keys": [try SigningKey.rsa.jwk()]] as JSONValue).jsonText()
        let error = try #require(
            #expect(throws: OAuthError.self) { try JSONWebKeySet(validating: .json(body, status: status)) })
        #expect(error.status == status)
        #expect(error.step == .keys)
        _ = try JSONWebKeySet(validating: .json(body))
    }

    // JOSE-18.
    @Test("Endless list is rejected")
    func endlessListIsRefused() {
        let keys = Array(repeating: #"{"kty":"future"}"#, count: 101).joined(separator: ",")
        expectError(.keys, .malformedKeys) { try JSONWebKeySet(validating: .json(#"{"keys":[\#(keys)]}"#)) }
    }

    @Test("Key set type of its own is accepted")
    func keySetTypeOfItsOwnIsAccepted() throws {
        _ = try JSONWebKeySet(validating: .canned(#"{"keys":[]}"#, type: "application/jwk-set+json"))
        _ = try JSONWebKeySet(validating: .canned(#"{"keys":[]}"#, type: "text/plain"))
    }
}
