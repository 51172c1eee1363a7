import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import Testing

@testable import CarnetProtocol

@Suite("Vector")
struct VectorTests {
    private func isValid(_ compact: String, key: JSONValue, _ algorithm: SignatureAlgorithm) throws -> Bool {
        let signature = try JSONWebSignature(Secret(compact), step: .idToken)
        let key = try JSONWebKey(key)
        #expect(signature.algorithm == algorithm.rawValue && key.canVerify(algorithm))
        return key.isValid(signature.signature, for: signature.signingInput, algorithm: algorithm)
    }

    /// The compact form with one bit of its payload turned over.
    private func changed(_ compact: String) -> String {
        var parts = compact.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        parts[1] = (parts[1].hasPrefix("e") ? "f" : "e") + parts[1].dropFirst()
        return parts.joined(separator: ".")
    }

    @Test("RFC 7515, appendix A")
    func rfc7515Appendix() throws {
        let vectors = try Vectors.file("rfc7515.json")
        for vector in try #require(vectors["signatures"]?.array) {
            let compact = try #require(vector["compact"]?.string)
            let signature = try JSONWebSignature(Secret(compact), step: .idToken)
            if let k = vector["k"]?.string {
                let key = try #require(Base64URL.decode(k.utf8))
                #expect(JSONWebSignature.hmac(signature.signingInput, .HS256, key: key) == signature.signature)
                #expect(JSONWebSignature.hmac(signature.signingInput, .HS384, key: key) != signature.signature)
            } else {
                let algorithm = try #require(SignatureAlgorithm(rawValue: vector["alg"]?.string ?? ""))
                #expect(try isValid(compact, key: vector.at("key"), algorithm))
                #expect(try !isValid(changed(compact), key: vector.at("key"), algorithm))
            }
        }
        let unsigned = try #require(vectors["refused"]?.array?.first?["compact"]?.string)
        #expect(SignatureAlgorithm(rawValue: try JSONWebSignature(Secret(unsigned), step: .idToken).algorithm) == nil)
    }

    @Test(
        "RFC 7520, sections 4.1 to 4.3",
        arguments: [("4.1", SignatureAlgorithm.RS256), ("4.2", .PS384), ("4.3", .ES512)])
    func rfc7520Sections41To43(section: String, algorithm: SignatureAlgorithm) throws {
        let vector = try Vectors.file("rfc7520/jws-\(section).json")
        let compact = try #require(vector.at("output", "compact").string)
        #expect(try isValid(compact, key: vector.at("input", "key"), algorithm))
        #expect(try !isValid(changed(compact), key: vector.at("input", "key"), algorithm))
        // The private half reads too, and what it signs has the same public half.
        let key = try ClientKey(jwk: Secret(vector.at("input", "key").jsonText()))
        let input = Array("anything".utf8)
        let own = try key.signature(for: input, algorithm)
        #expect(try JSONWebKey(key.publicJWK).isValid(own, for: input, algorithm: algorithm))
    }

    @Test("RFC 7520, section 4.4")
    func rfc7520Section44() throws {
        let vector = try Vectors.file("rfc7520/jws-4.4.json")
        let signature = try JSONWebSignature(
            Secret(try #require(vector.at("output", "compact").string)), step: .idToken)
        let key = try #require(Base64URL.decode((vector.at("input", "key", "k").string ?? "").utf8))
        #expect(JSONWebSignature.hmac(signature.signingInput, .HS256, key: key) == signature.signature)
    }

    @Test(
        "RFC 7520, sections 5.2, 5.4 and 5.5",
        arguments: [
            ("5.2", TokenEncryption(.rsaOAEP, .a256GCM)), ("5.4", TokenEncryption(.ecdhESA128KW, .a128GCM)),
            ("5.5", TokenEncryption(.ecdhES, .a128CBCHS256)),
        ])
    func rfc7520Sections5254(section: String, encryption: TokenEncryption) throws {
        let vector = try Vectors.file("rfc7520/jwe-\(section).json")
        let key = try ClientKey(jwk: Secret(vector.at("input", "key").jsonText()))
        let token = try JSONWebEncryption(
            Secret(try #require(vector.at("output", "compact").string)), step: .idToken)
        #expect(
            try token.decrypt(with: [key], expecting: encryption).reveal() == vector.at("input", "plaintext").string)
    }

    @Test("RFC 7520, sections 5.1 and 5.6 are rejected: other algorithms", arguments: ["5.1", "5.6"])
    func rfc7520Sections51And56(section: String) throws {
        let vector = try Vectors.file("rfc7520/jwe-\(section).json")
        let text = Secret(try #require(vector.at("output", "compact").string))
        for algorithm in KeyManagementAlgorithm.allCases {
            expectError(.idToken, .unsupportedAlgorithm) {
                try JSONWebEncryption(text, step: .idToken).decrypt(with: [], expecting: TokenEncryption(algorithm))
            }
        }
    }

    @Test("RFC 7520, sections 5.3 and 5.9 are rejected: another content, compressed", arguments: ["5.3", "5.9"])
    func rfc7520Sections53And59(section: String) throws {
        let vector = try Vectors.file("rfc7520/jwe-\(section).json")
        let text = Secret(try #require(vector.at("output", "compact").string))
        expectError(.idToken, .malformedToken) { try JSONWebEncryption(text, step: .idToken) }
    }

    @Test("RFC 7520, section 6")
    func rfc7520Section6() throws {
        let vector = try Vectors.file("rfc7520/nested-6.json")
        let key = try ClientKey(jwk: Secret(vector.at("encrypt", "input", "key").jsonText()))
        let token = try JSONWebEncryption(
            Secret(try #require(vector.at("encrypt", "output", "compact").string)), step: .idToken)
        let inner = try token.decrypt(with: [key], expecting: TokenEncryption(.rsaOAEP, .a128GCM)).reveal()
        #expect(inner == vector.at("sign", "output", "compact").string)
        #expect(try isValid(inner, key: vector.at("sign", "input", "key"), .PS256))
    }

    @Test("RFC 7636, appendix B")
    func rfc7636AppendixB() throws {
        let vector = try Vectors.file("rfc7636.json")
        let verifier = CodeVerifier(secret: Secret(try #require(vector["verifier"]?.string)))
        #expect(verifier.challenge(.base64url) == vector["challenge"]?.string)
    }

    @Test("RFC 7638, section 3.1")
    func rfc7638Section31() throws {
        let vector = try Vectors.file("rfc7638.json")
        let key = try ClientKey(jwk: Secret(vector.at("key").jsonText()))
        #expect(key.thumbprint == vector["thumbprint"]?.string)
        #expect(key.id == "2011-04-29")
    }

    @Test("RFC 8037, appendix A")
    func rfc8037Appendix() throws {
        let vector = try Vectors.file("rfc8037.json")
        let key = try ClientKey(jwk: Secret(vector.at("key").jsonText()))
        #expect(key.thumbprint == vector["thumbprint"]?.string)
        let compact = try #require(vector["compact"]?.string)
        #expect(try isValid(compact, key: vector.at("key"), .EdDSA))
        #expect(try !isValid(changed(compact), key: vector.at("key"), .EdDSA))
        let signature = try JSONWebSignature(Secret(compact), step: .idToken)
        // RFC 8032 signatures are the same each time, unless the library hedges them.
        let own = try key.signature(for: signature.signingInput, .EdDSA)
        #expect(try JSONWebKey(key.publicJWK).isValid(own, for: signature.signingInput, algorithm: .EdDSA))
        let agreement = vector.at("agreement")
        let token = try JSONWebEncryption(
            Secret(try #require(agreement.at("output", "compact").string)), step: .idToken)
        let receiver = try ClientKey(jwk: Secret(agreement.at("input", "key").jsonText()))
        #expect(
            try token.decrypt(with: [receiver], expecting: TokenEncryption(.ecdhES, .a128GCM)).reveal()
                == agreement.at("input", "plaintext").string)
    }

    @Test("RFC 9449, sections 5 and 6.1")
    func rfc9449Sections5And61() throws {
        let vector = try Vectors.file("rfc9449.json")
        let proof = try #require(vector["proof"]?.string)
        #expect(try isValid(proof, key: vector.at("key"), .ES256))
        #expect(try !isValid(changed(proof), key: vector.at("key"), .ES256))
        #expect(JSONWebKey.thumbprint(of: vector.at("key")) == vector["thumbprint"]?.string)
    }
}
