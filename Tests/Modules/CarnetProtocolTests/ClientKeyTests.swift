import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import CarnetProtocol

@Suite("Client key")
struct ClientKeyTests {
    private static let input = Array("a message".utf8)

    private func refusal(_ text: String) -> ClientKeyError? {
        #expect(throws: ClientKeyError.self) { try ClientKey.keys(in: Secret(text), source: "key.pem") }
    }

    private func pem(_ label: String, _ der: Data) -> String {
        "-----BEGIN \(label)-----\n\(der.base64EncodedString(options: .lineLength64Characters))\n-----END \(label)-----\n"
    }

    @Test(
        "A generated key signs what its public key verifies, and nothing else",
        arguments: [SignatureAlgorithm.RS256, .PS512, .ES256, .ES384, .ES512, .EdDSA])
    func aGeneratedKeySignsWhat(algorithm: SignatureAlgorithm) throws {
        let key = try ClientKey.generate(algorithm)
        let signature = try key.signature(for: Self.input, algorithm)
        let verifier = try JSONWebKey(key.publicJWK)
        #expect(verifier.isValid(signature, for: Self.input, algorithm: algorithm))
        #expect(!verifier.isValid(signature, for: Self.input + [0], algorithm: algorithm))
        #expect(key.canSign && key.signatureAlgorithms == [algorithm])
        #expect(!key.canDecrypt(.rsaOAEP) && !key.canDecrypt(.ecdhES))
    }

    @Test("Keys are read in the forms of PKCS 8, SEC 1 and PKCS 1")
    func keysAreReadInTheForms() throws {
        let ec = P256.Signing.PrivateKey()
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let ed = Curve25519.Signing.PrivateKey()
        let forms = [
            (pem("PRIVATE KEY", ec.pkcs8DERRepresentation), SignatureAlgorithm.ES256),
            (ec.pemRepresentation, .ES256), (pem("RSA PRIVATE KEY", rsa.derRepresentation), .RS256),
            (pem("PRIVATE KEY", rsa.pkcs8DERRepresentation), .PS256),
            (ed.pemRepresentation.replacing("\n", with: "\r\n"), .EdDSA),
            ("a comment\n" + ed.pemRepresentation, .EdDSA),
        ]
        for (text, algorithm) in forms {
            let key = try ClientKey(pem: Secret(text))
            #expect(key.id == key.thumbprint && key.thumbprint.utf8.count == 43)
            let signature = try key.signature(for: Self.input, algorithm)
            #expect(try JSONWebKey(key.publicJWK).isValid(signature, for: Self.input, algorithm: algorithm))
        }
    }

    @Test("Errors name the source and what is wrong, and no part of the key")
    func errorsNameTheSourceAndWhat() throws {
        let ec = P256.Signing.PrivateKey()
        let weak = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024))
        let body = ec.pkcs8DERRepresentation.base64EncodedString()
        let cases = [
            ("", "is neither a key in PEM form nor a JWK"), ("{", "is not a JSON object"),
            (pem("ENCRYPTED PRIVATE KEY", ec.pkcs8DERRepresentation), "is encrypted with a passphrase"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n\(body)\n"
                    + "-----END RSA PRIVATE KEY-----\n", "is encrypted with a passphrase"
            ),
            (
                pem("OPENSSH PRIVATE KEY", ec.rawRepresentation),
                "has the unsupported form OPENSSH PRIVATE KEY"
            ),
            (ec.publicKey.pemRepresentation, "contains a public key, not a private key"),
            (weak.pemRepresentation, "is an RSA key of 1024 bits; the minimum is 2048"),
            (ec.pemRepresentation + "\n" + ec.pemRepresentation, "contains more than one private key"),
            (pem("PRIVATE KEY", Data([0x30, 0x00])), "is a key of an unknown type, or damaged"),
            ("-----BEGIN PRIVATE KEY-----\n\(body)", "is truncated or damaged"),
            (#"{"kty":"oct","k":"AAAA"}"#, "is a symmetric key"),
            (#"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}"#, "is a public key; a private key is required"),
            (#"{"kty":"EC","crv":"secp256k1","d":"AAAA"}"#, "is not a usable key of the type \"EC\""),
            (#"{"keys":[]}"#, "is a key set without keys, or with too many"),
        ]
        for (text, reason) in cases {
            let error = try #require(refusal(text), "\(text)")
            #expect(error.source == "key.pem")
            #expect(error.description.hasPrefix("key.pem \(reason)"), "\(error)")
            #expect(!error.description.contains(body.prefix(20)))
        }
    }

    @Test("The curve secp256k1 is named")
    func theCurveSecp256k1IsNamed() throws {
        // SEC 1 with the object identifier of the curve (RFC 5480, section 2.1.1.1).
        let der =
            [0x30, 0x2E, 0x02, 0x01, 0x01, 0x04, 0x20] + [UInt8](repeating: 1, count: 32)
            + [0xA0, 0x07, 0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A]
        let error = try #require(refusal(pem("EC PRIVATE KEY", Data(der))))
        #expect(error.reason.hasPrefix("is a key on the curve secp256k1"))
    }

    @Test("A JWK whose public part is another key's is rejected")
    func aJWKWhosePublicPart() throws {
        let (one, other) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        func jwk(_ point: Data) -> String {
            """
            {"kty":"EC","crv":"P-256","d":"\(base64URL(one.rawRepresentation))","x":"\(base64URL(point.prefix(32)))",\
            "y":"\(base64URL(point.suffix(32)))"}
            """
        }
        #expect(throws: Never.self) { try ClientKey(jwk: Secret(jwk(one.publicKey.rawRepresentation))) }
        let error = try #require(refusal(jwk(other.publicKey.rawRepresentation)))
        #expect(error.reason == "has a public part that does not match its private part")
    }

    @Test("A set gives its keys, which have ids of their own")
    func aSetGivesItsKeysWhich() throws {
        func entry(_ id: String, _ use: String) -> String {
            let key = P256.Signing.PrivateKey()
            let point = key.publicKey.rawRepresentation
            return """
                {"kty":"EC","crv":"P-256","kid":"\(id)","use":"\(use)","d":"\(base64URL(key.rawRepresentation))",\
                "x":"\(base64URL(point.prefix(32)))","y":"\(base64URL(point.suffix(32)))"}
                """
        }
        let keys = try ClientKey.keys(in: Secret("{\"keys\":[\(entry("1", "sig")),\(entry("2", "enc"))]}"))
        #expect(keys.map(\.id) == ["1", "2"])
        #expect(keys.map(\.canSign) == [true, false])
        #expect(keys.map { $0.canDecrypt(.ecdhES) } == [false, true])
        let error = refusal("{\"keys\":[\(entry("1", "sig")),\(entry("1", "enc"))]}")
        #expect(error?.reason == "is a key set in which two keys have the same id")
    }

    @Test("A key shows its id alone, and publishes nothing private")
    func aKeyShowsItsIdAlone() throws {
        let key = try ClientKey.generate(.ES256, id: "k")
        #expect("\(key)" == "ClientKey(k)" && String(reflecting: key) == "ClientKey(k)")
        #expect(Mirror(reflecting: key).children.isEmpty)
        let published = ClientKey.publicKeySet([key])
        #expect(published["keys"]?.array?.first?["kid"] == "k")
        #expect(published["keys"]?.array?.first?["d"] == nil)
        #expect(published["keys"]?.array?.first?["alg"] == "ES256")
    }
}
