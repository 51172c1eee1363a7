import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import Testing

/// ID tokens that the client's secret signs, which the descriptor alone can say, never the token (RFC 8725, section 3.1).
@Suite("Secret signature")
struct SecretSignatureTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func validate(_ token: String, hs256: Bool = true, secret: String? = Self.secret) throws -> IDToken {
        let rule = hs256 ? "id_token: { hs256: no public keys }\n" : ""
        let expectations = try IDTokenExpectations(
            from: try Fixture.provider(Fixture.openID + rule).discovered,
            as: ClientRegistration(
                clientID: "client", credentials: secret.map { .secret(Secret($0)) } ?? .publicClient,
                redirectURI: Attempt.redirectURI),
            nonce: .exactly(Secret("the-nonce")),
            accessToken: Secret("at")
        )
        return try IDToken(
            validating: Secret(token), with: try Issuer().keySet, expecting: expectations, now: Attempt.now)
    }

    private func token(_ key: some DataProtocol, algorithm: String = "HS256") -> String {
        let header = #"{"alg":"\#(algorithm)","kid":"1"}"#
        let input = SigningKey.signingInput(header, Issuer.claims.jsonText())
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(input.utf8), using: SymmetricKey(data: Data(key)))
        return input + "." + base64URL(Data(code))
    }

    @Test("Secret of the client signs")
    func secretOfTheClientSigns() throws {
        #expect(try validate(token(Data(Self.secret.utf8))).subject == "user-1")
    }

    @Test("Another secret does not")
    func anotherSecretDoesNot() {
        expectError(.idToken, .badSignature) { try validate(token(Data("0123456789abcdef0123456789abcdeF".utf8))) }
        expectError(.idToken, .badSignature) { try validate(token(Data())) }
    }

    @Test("Token cannot choose the secret")
    func tokenCannotChooseTheSecret() {
        expectError(.idToken, .unsupportedAlgorithm) { try validate(token(Data(Self.secret.utf8)), hs256: false) }
    }

    @Test("Token cannot choose the public key")
    func tokenCannotChooseThePublicKey() throws {
        let signed = try SigningKey.rsa.token(Issuer.claims, algorithm: "RS256", keyID: "1")
        expectError(.idToken, .unsupportedAlgorithm) { try validate(signed) }
        for name in ["HS384", "HS512", "none", "hs256", "RS256", "ES256"] {
            expectError(.idToken, .unsupportedAlgorithm) {
                try validate(token(Data(Self.secret.utf8), algorithm: name))
            }
        }
    }

    @Test("Public key is no secret")
    func publicKeyIsNoSecret() throws {
        let jwk = try SigningKey.rsa.jwk(["kid": "1"]).jsonText()
        for text in [jwk, "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----\n"] {
            expectError(.idToken, .badRegistration) { try validate(token(Data(text.utf8)), secret: text) }
            expectError(.idToken, .badSignature) { try validate(token(Data(text.utf8))) }
        }
    }

    @Test("Secret must be there and long")
    func secretMustBeThereAndLong() {
        let short = "0123456789abcdef0123456789abcde"
        expectError(.idToken, .badRegistration) { try validate(token(Data(short.utf8)), secret: short) }
        expectError(.idToken, .missingClientSecret) { try validate(token(Data(Self.secret.utf8)), secret: nil) }
    }
}
