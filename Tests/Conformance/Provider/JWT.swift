import Crypto
import CryptoExtras
import Foundation

/// A JWT in its compact form (RFC 7515, section 7.1).
package struct JWT {
    package let header: Members
    package let claims: Members
    let input: [UInt8]
    let signature: [UInt8]

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]).flatMap({ JSON.object($0) }),
            let claims = Base64URL.decode(parts[1]).flatMap({ JSON.object($0) }),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        input = Array("\(parts[0]).\(parts[1])".utf8)
    }

    var algorithm: String { header["alg"] as? String ?? "" }

    func isSigned(by key: PublicKey) -> Bool { key.verifies(signature, algorithm, over: input) }

    package func string(_ name: String) -> String? { claims[name] as? String }

    package func time(_ name: String) -> Int? { (claims[name] as? NSNumber)?.intValue }

    /// - Parameter algorithm: `none` signs nothing (RFC 7519, section 6).
    package static func signed(
        _ claims: Members, header: Members = [:], algorithm: String, by key: PrivateKey
    ) -> String {
        var header = header
        header["alg"] = algorithm
        if let id = key.id, header["kid"] == nil { header["kid"] = id }
        let input = Base64URL.encode(JSON.bytes(header)) + "." + Base64URL.encode(JSON.bytes(claims))
        return input + "." + Base64URL.encode(key.signature(algorithm, over: Array(input.utf8)) ?? [])
    }

    /// The same token with one changed bit in its signature.
    static func spoiled(_ text: String) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, var signature = Base64URL.decode(parts[2]), !signature.isEmpty else { return text }
        signature[signature.count / 2] ^= 1
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
    }

    /// A compact JWE with RSA-OAEP and A128GCM (RFC 7516, section 7.1).
    static func encrypted(_ content: [UInt8], type: String?, for jwk: Members) -> String? {
        func bytes(_ name: String) -> [UInt8] { (jwk[name] as? String).flatMap { Base64URL.decode($0) } ?? [] }
        guard let key = try? _RSA.Encryption.PublicKey(n: bytes("n"), e: bytes("e")) else { return nil }
        var header: Members = ["alg": "RSA-OAEP", "enc": "A128GCM"]
        header["cty"] = type
        header["kid"] = jwk["kid"]
        let protected = Base64URL.encode(JSON.bytes(header))
        let contentKey = SymmetricKey(size: .bits128)
        guard
            let encryptedKey = try? key.encrypt(
                contentKey.withUnsafeBytes { Array($0) }, padding: .PKCS1_OAEP),
            let box = try? AES.GCM.seal(content, using: contentKey, authenticating: Array(protected.utf8))
        else { return nil }
        let parts = [Array(encryptedKey), Array(box.nonce), Array(box.ciphertext), Array(box.tag)]
        return ([protected] + parts.map { Base64URL.encode($0) }).joined(separator: ".")
    }
}
