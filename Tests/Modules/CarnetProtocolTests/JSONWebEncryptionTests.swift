import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import CarnetProtocol

// JOSE-24 and JOSE-27.
@Suite("JSON web encryption")
struct JSONWebEncryptionTests {
    private static let key = P256.KeyAgreement.PrivateKey()
    private static let encryption = TokenEncryption(.ecdhES, .a128GCM)

    private func clientKey() throws -> ClientKey {
        try ClientKey(
            pem: Secret(P256.Signing.PrivateKey(rawRepresentation: Self.key.rawRepresentation).pemRepresentation))
    }

    private func epk(_ point: Data, curve: String = "P-256") -> JSONValue {
        [
            "kty": "EC", "crv": .string(curve), "x": .string(base64URL(point.prefix(point.count / 2))),
            "y": .string(base64URL(point.suffix(point.count / 2))),
        ]
    }

    /// A token with these parts and the right algorithms, changed by a test.
    private func token(
        header changes: [String: JSONValue] = [:], key: String = "", vector: Int = 12, tag: Int = 16
    ) -> Secret {
        var header: JSONValue = ["alg": "ECDH-ES", "enc": "A128GCM"]
        for (name, value) in changes { header.set(value, at: JSONPointer(tokens: [name])) }
        let parts = [Data(header.jsonText().utf8), Data(), Data(count: vector), Data(count: 5), Data(count: tag)]
        var texts = parts.map { base64URL($0) }
        texts[1] = key
        return Secret(texts.joined(separator: "."))
    }

    private func decrypt(_ token: Secret) throws -> Secret {
        try JSONWebEncryption(token, step: .idToken).decrypt(with: [clientKey()], expecting: Self.encryption)
    }

    @Test("Another form, a long token and headers that are no object are rejected")
    func anotherFormALongToken() throws {
        for text in [
            "a.b.c.d", "a.b.c.d.e.f", "!.b.c.d.e", String(repeating: "A", count: 200_000) + "....",
            "W10....", "....",
        ] {
            expectError(.idToken, .malformedToken) { try JSONWebEncryption(Secret(text), step: .idToken) }
        }
    }

    @Test("Every failure after the header is the same error")
    func everyFailureAfterTheHeader() throws {
        let other = P256.KeyAgreement.PrivateKey().publicKey.rawRepresentation
        // On no curve: the right x with a wrong y. The library must refuse it before it multiplies.
        let invalid = other.dropLast() + [other[other.count - 1] ^ 1]
        let tokens = [
            token(), token(header: ["epk": epk(other)]), token(header: ["epk": epk(invalid)]),
            token(header: ["epk": epk(Data(count: 64))]), token(header: ["epk": epk(other.prefix(62))]),
            token(header: ["epk": epk(other, curve: "P-384")]), token(header: ["epk": "text"]),
            token(header: ["epk": epk(other)], key: "AAAA"), token(header: ["epk": epk(other)], vector: 11),
            token(header: ["epk": epk(other)], tag: 15), token(header: ["epk": epk(other), "apu": 5]),
        ]
        var seen: Set<OAuthError> = []
        for token in tokens {
            let error = #expect(throws: OAuthError.self) { try decrypt(token) }
            if let error { seen.insert(error) }
        }
        #expect(seen.count == 1 && seen.first?.kind == .decryptionFailed)
    }

    @Test("A point of small order on Curve25519 gives no key")
    func aPointOfSmallOrder() throws {
        let key = try ClientKey(pem: Secret(Curve25519.KeyAgreement.PrivateKey().pemRepresentation))
        #expect(key.canDecrypt(.ecdhES) && !key.canSign)
        for first in [UInt8(0), 1] {
            let point = base64URL(Data([first] + [UInt8](repeating: 0, count: 31)))
            let header = token(header: ["epk": ["kty": "OKP", "crv": "X25519", "x": .string(point)]])
            let error = #expect(throws: OAuthError.self) {
                try JSONWebEncryption(header, step: .idToken).decrypt(with: [key], expecting: Self.encryption)
            }
            #expect(error?.kind == .decryptionFailed)
        }
    }
}
