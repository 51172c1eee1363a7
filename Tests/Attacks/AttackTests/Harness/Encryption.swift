import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import Crypto
import Foundation

/// Encrypts for a key of P-256 with ECDH-ES and A128GCM (RFC 7518, section 4.6), by other means than the code under test.
struct Encryption: Sendable {
    /// The public key of the client, as a JWK.
    let recipient: JSONValue
    /// What the header says; `epk` is added.
    var header: [String: JSONValue] = ["alg": "ECDH-ES", "enc": "A128GCM"]

    func encrypt(_ content: String) throws -> String {
        let point = ["x", "y"].compactMap { recipient[$0]?.string.flatMap(Self.decoded) }.reduce(Data(), +)
        let theirs = try P256.KeyAgreement.PublicKey(rawRepresentation: point)
        let own = P256.KeyAgreement.PrivateKey()
        let secret = try own.sharedSecretFromKeyAgreement(with: theirs).withUnsafeBytes { Data($0) }
        var derivation = Data([0, 0, 0, 1]) + secret
        for part in [Data("A128GCM".utf8), Data(), Data()] { derivation += Self.number(part.count) + part }
        let key = SymmetricKey(data: Data(SHA256.hash(data: derivation + Self.number(128))).prefix(16))
        let raw = own.publicKey.rawRepresentation
        var full = JSONObject()
        for (name, value) in header.sorted(by: { $0.key < $1.key }) { full[name] = value }
        full["epk"] = [
            "kty": "EC", "crv": "P-256", "x": .string(base64URL(raw.prefix(32))),
            "y": .string(base64URL(raw.suffix(32))),
        ]
        let protected = base64URL(Data(JSONValue.object(full).jsonText().utf8))
        let box = try AES.GCM.seal(
            Data(content.utf8), using: key, nonce: AES.GCM.Nonce(data: Data(repeating: 1, count: 12)),
            authenticating: Data(protected.utf8))
        return [protected, "", base64URL(Data(box.nonce)), base64URL(box.ciphertext), base64URL(box.tag)]
            .joined(separator: ".")
    }

    private static func number(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).bigEndian) { Data($0) } }

    private static func decoded(_ text: String) -> Data? {
        let padded = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4))
    }
}
