import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Testing

@Suite("Key set")
struct KeySetTests {
    @Test("Key named by the new name of its algorithm is used")
    func keyNamedByTheNewNameOfItsAlgorithmIsUsed() throws {
        var issuer = try Issuer(keys: [SigningKey.ed25519.jwk(["kid": "1", "alg": "Ed25519"])])
        issuer.algorithms = [.EdDSA]
        try issuer.validate(SigningKey.ed25519.token(Issuer.claims, algorithm: "EdDSA", keyID: "1"))
    }

    @Test("Media type of key sets and plain text are accepted", arguments: ["application/jwk-set+json", "text/plain"])
    func otherMediaTypesAreAccepted(type: String) throws {
        _ = try JSONWebKeySet(validating: .canned(#"{"keys":[]}"#, type: type))
    }

    @Test("A page in place of the keys is named as such")
    func page() {
        let error = #expect(throws: OAuthError.self) {
            try JSONWebKeySet(validating: .canned("<html>Sign in to the network</html>", type: "text/html"))
        }
        #expect(error?.hint?.contains("a login page of the network") == true)
    }
}
