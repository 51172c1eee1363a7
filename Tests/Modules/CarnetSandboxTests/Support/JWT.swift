import CarnetDescriptors
import CarnetFoundation
import Crypto
import CryptoExtras
import Foundation
import Testing

/// A JWT taken apart by the test itself.
struct JWT {
    let header: JSONValue
    let claims: JSONValue
    let signed: Data
    let signature: Data

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        try #require(parts.count == 3)
        header = try JSONValue(parsing: bytes(parts[0]))
        claims = try JSONValue(parsing: bytes(parts[1]))
        signed = Data("\(parts[0]).\(parts[1])".utf8)
        signature = try bytes(parts[2])
    }

    /// Whether the key of the set with the token's `kid` has signed it.
    func isSigned(by keySet: JSONValue) throws -> Bool {
        let key = try #require(keySet["keys"]?.array?.first { $0["kid"] == header["kid"] })
        try #require(key["alg"] == header["alg"])
        func number(_ name: String) throws -> Data { try bytes(#require(key[name]?.string)) }
        switch header["alg"]?.string {
        case "RS256", "RS384", "RS512", "PS256", "PS384", "PS512":
            let rsa = try _RSA.Signing.PublicKey(n: number("n"), e: number("e"))
            let padding: _RSA.Signing.Padding =
                header["alg"]?.string?.hasPrefix("PS") == true ? .PSS : .insecurePKCS1v1_5
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            switch header["alg"]?.string?.suffix(3) {
            case "256": return rsa.isValidSignature(signature, for: SHA256.hash(data: signed), padding: padding)
            case "384": return rsa.isValidSignature(signature, for: SHA384.hash(data: signed), padding: padding)
            default: return rsa.isValidSignature(signature, for: SHA512.hash(data: signed), padding: padding)
            }
        case "ES256":
            let ec = try P256.Signing.PublicKey(rawRepresentation: number("x") + number("y"))
            return ec.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: signed)
        case "ES384":
            let ec = try P384.Signing.PublicKey(rawRepresentation: number("x") + number("y"))
            return ec.isValidSignature(try P384.Signing.ECDSASignature(rawRepresentation: signature), for: signed)
        case "ES512":
            let ec = try P521.Signing.PublicKey(rawRepresentation: number("x") + number("y"))
            return ec.isValidSignature(try P521.Signing.ECDSASignature(rawRepresentation: signature), for: signed)
        case "EdDSA":
            return try Curve25519.Signing.PublicKey(rawRepresentation: number("x")).isValidSignature(
                signature, for: signed)
        default:
            return false
        }
    }
}

private func bytes(_ text: String) throws -> Data {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    return try #require(Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)))
}
