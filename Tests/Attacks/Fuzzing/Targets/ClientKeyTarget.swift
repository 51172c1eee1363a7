import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
import CarnetTestSupport
import Crypto
import Foundation

/// Keys as people give them: PEM, JWK, key sets, certificates, and the keys of stores. Errors do not repeat them.
struct ClientKeyTarget: FuzzTarget {
    private let mutator: JSONMutator

    init(corpus: [[UInt8]]) throws {
        let p256 = try P256.Signing.PrivateKey(rawRepresentation: Data(1...32))
        let p384 = try P384.Signing.PrivateKey(rawRepresentation: Data(1...48))
        var seeds = [
            p256.pemRepresentation, p384.pemRepresentation, String(repeating: "0f", count: 32),
            Data(0..<32).base64EncodedString() + "\n# old\n" + Data(1...32).base64EncodedString(),
            "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n\(p256.pemRepresentation)",
        ]
        let point = p256.publicKey.rawRepresentation
        let (x, y, d) = (point.prefix(32), point.suffix(32), p256.rawRepresentation)
        let members = [("x", x), ("y", y), ("d", d)].map { "\"\($0)\":\"\(base64URL($1))\"" }.joined(
            separator: ",")
        seeds += [
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\(members)}",
            "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\(members),\"kid\":\"1\"}]}",
        ]
        mutator = JSONMutator(
            seeds: seeds.map { Array($0.utf8) } + corpus,
            words: [
                "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----",
                "-----BEGIN ENCRYPTED PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----", "Proc-Type: 4,ENCRYPTED", "kty",
                "EC", "RSA",
                "OKP", "oct", "crv", "P-256", "Ed25519", "X25519", "d", "x", "y", "n", "e", "p", "q", "oth", "use",
                "sig", "kid", "keys",
            ])
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(ClientKeyError) {
            let keys = try ClientKey.keys(in: Secret(text), source: "the key")
            _ = ClientKey.publicKeySet(keys).jsonText()
            for key in keys { _ = "\(key)" }
        } catch {
            try requirePrintable("\(error)")
            try check("\(error)", repeatsNothingOf: text)
        }
        do throws(ClientKeyError) {
            _ = "\(try ClientCertificate(pem: Secret(text)))"
        } catch {
            try requirePrintable("\(error)")
            try check("\(error)", repeatsNothingOf: text)
        }
        do {
            let ring = try KeyRing(text: text)
            _ = "\(ring.first)"
        } catch let error as TokenStoreError {
            try requirePrintable(error.reason)
            try check(error.reason, repeatsNothingOf: text)
        } catch {
            throw InputCheck.Violation(description: "\(error)")
        }
    }

    /// No run of characters long enough to be a part of a key.
    private func check(_ error: String, repeatsNothingOf text: String) throws(InputCheck.Violation) {
        let words = error.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        for word in words where word.count >= 41 {
            try require(!text.contains(word), "an error repeats a part of the key")
        }
    }
}
