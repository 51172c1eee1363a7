import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes

/// Judging one ID token with keys that are already there, against its bare signature check.
package struct IDTokenValidation {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package enum Algorithm: String, CaseIterable {
        case RS256, ES256, EdDSA
    }

    enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private let token: Secret
    private let keys: JSONWebKeySet
    private let expectations: IDTokenExpectations
    private let signature: SignatureCheck

    package init(_ algorithm: Algorithm) throws {
        let (key, jwk) = try Self.key(algorithm)
        let message = Array(Self.signingInput(algorithm).utf8)
        signature = try SignatureCheck(message, key)
        token = Secret(String(decoding: message, as: UTF8.self) + "." + Base64URL.encode(signature.signature))
        let document = (["keys": [jwk]] as JSONValue).jsonText()
        keys = try JSONWebKeySet(
            validating: IncomingResponse(
                head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
                body: Array(document.utf8)))
        let file = SourceFile(
            path: "acme.yaml",
            text: """
                carnet: 1
                id: acme
                name: Acme
                issuer: https://id.acme.example
                id_token: { algorithms: [\(algorithm.rawValue)] }
                scopes: { default: [openid, profile, email] }

                """)
        guard let provider = try DescriptorDocument(file).descriptor?.resolve() else {
            throw BenchmarkFailure(reason: "the benchmark's descriptor is broken")
        }
        expectations = try IDTokenExpectations(
            from: provider.withoutMetadata,
            as: ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback"),
            nonce: .exactly(Secret("n-0S6_WzA2Mj")), accessToken: Secret("access-token"))
    }

    /// - Throws: `OAuthError` if the token is not good.
    package func validate() throws {
        _ = try IDToken(validating: token, with: keys, expecting: expectations, now: Self.now)
    }

    /// - Throws: `BenchmarkFailure` if the signature is wrong.
    package func checkSignature() throws { try signature.check() }

    static func key(_ algorithm: Algorithm) throws -> (Key, JSONValue) {
        switch algorithm {
        case .RS256:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let numbers = try key.publicKey.getKeyPrimitives()
            let jwk: JSONValue = [
                "kty": "RSA", "kid": "1", "alg": "RS256", "n": .string(Base64URL.encode(numbers.modulus)),
                "e": .string(Base64URL.encode(numbers.publicExponent)),
            ]
            return (.rsa(key), jwk)
        case .ES256:
            let key = P256.Signing.PrivateKey()
            let raw = key.publicKey.rawRepresentation
            let jwk: JSONValue = [
                "kty": "EC", "crv": "P-256", "kid": "1", "alg": "ES256", "x": .string(Base64URL.encode(raw.prefix(32))),
                "y": .string(Base64URL.encode(raw.suffix(32))),
            ]
            return (.p256(key), jwk)
        case .EdDSA:
            let key = Curve25519.Signing.PrivateKey()
            let jwk: JSONValue = [
                "kty": "OKP", "crv": "Ed25519", "kid": "1", "alg": "EdDSA",
                "x": .string(Base64URL.encode(key.publicKey.rawRepresentation)),
            ]
            return (.ed25519(key), jwk)
        }
    }

    /// The claims that an ID token with profile and e-mail address has.
    private static func signingInput(_ algorithm: Algorithm) -> String {
        let seconds = Int(now.timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": "https://id.acme.example", "sub": "248289761001", "aud": "client", "nonce": "n-0S6_WzA2Mj",
            "iat": .number("\(seconds)"), "exp": .number("\(seconds + 3600)"), "auth_time": .number("\(seconds - 5)"),
            "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "email": "janedoe@example.com",
            "email_verified": true, "picture": "https://acme.example/janedoe/me.jpg", "locale": "en",
        ]
        let header = #"{"alg":"\#(algorithm.rawValue)","kid":"1","typ":"JWT"}"#
        return Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.jsonText().utf8))
    }
}

/// A message with its signature, and nothing but the cryptography that validating it takes.
struct SignatureCheck: Sendable {
    private enum Key: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    let signature: Data
    private let message: [UInt8]
    private let key: Key

    init(_ message: [UInt8], _ key: IDTokenValidation.Key) throws {
        self.message = message
        switch key {
        case .rsa(let key):
            signature = try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
                .rawRepresentation
            self.key = .rsa(key.publicKey)
        case .p256(let key):
            signature = try key.signature(for: SHA256.hash(data: message)).rawRepresentation
            self.key = .p256(key.publicKey)
        case .ed25519(let key):
            signature = try key.signature(for: message)
            self.key = .ed25519(key.publicKey)
        }
    }

    /// - Throws: `BenchmarkFailure` if the signature is wrong.
    func check() throws {
        let isValid =
            switch key {
            case .rsa(let key):
                key.isValidSignature(
                    .init(rawRepresentation: signature), for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            case .p256(let key):
                key.isValidSignature(try .init(rawRepresentation: signature), for: SHA256.hash(data: message))
            case .ed25519(let key): key.isValidSignature(signature, for: message)
            }
        guard isValid else { throw BenchmarkFailure(reason: "the floor's signature is wrong") }
    }
}
