import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import Foundation
import Testing

@Suite("Signature")
struct SignatureTests {
    private let issuer: Issuer

    init() throws { issuer = try Issuer() }

    /// A token whose header is any text, without a signature.
    private func token(header: String) -> String {
        SigningKey.signingInput(header, Issuer.claims.jsonText()) + "."
    }

    // JOSE-01.
    @Test("Header that is no object is rejected", arguments: ["[]", "null", "x", ""])
    func headerThatIsNoObjectIsRefused(_ header: String) {
        expectError(.idToken, .malformedToken) { try issuer.validate(token(header: header)) }
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

    // IDT-16, JOSE-26, JOSE-27.
    @Test(
        "Text that is no compact token is rejected",
        arguments: [
            "", ".", "..", " a.b.c", "a.b", "a.b.c.d", "a.b.c.d.e", #"{"payload":"e30","signatures":[]}"#,
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
