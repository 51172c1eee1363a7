import CarnetDescriptors
import CarnetFoundation
import Testing

@testable import CarnetProtocol

/// Signatures that wrong implementations take, or right ones refuse.
@Suite("Wycheproof")
struct WycheproofTests {
    @Test(
        "Every signature is validated as Project Wycheproof does",
        arguments: [
            ("ecdsa_secp256r1_sha256_p1363", 252), ("ecdsa_secp384r1_sha384_p1363", 270),
            ("ecdsa_secp521r1_sha512_p1363", 308), ("ed25519", 150), ("rsa_signature_2048_sha256", 237),
            ("rsa_signature_4096_sha512", 238), ("rsa_pss_2048_sha256_mgf1_32", 103),
            ("rsa_pss_3072_sha256_mgf1_32", 103), ("rsa_pss_4096_sha256_mgf1_32", 103),
        ])
    func everySignatureIsValidatedAsProject(name: String, count: Int) throws {
        let file = try Vectors.file("wycheproof/\(name).json")
        let algorithm = try #require(SignatureAlgorithm(rawValue: file["alg"]?.string ?? ""))
        var validated = 0
        for group in try #require(file["groups"]?.array) {
            // A key that is refused as a whole makes no signature valid.
            let key = try? JSONWebKey(group.at("key"))
            for test in try #require(group["tests"]?.array) {
                let fields = test.array ?? []
                let message = try #require(Base64URL.decode((fields[1].string ?? "").utf8))
                let signature = try #require(Base64URL.decode((fields[2].string ?? "").utf8))
                let isValid = key?.isValid(signature, for: message, algorithm: algorithm) ?? false
                #expect(isValid == (fields[3] == "valid"), "\(name) \(fields[0])")
                validated += 1
            }
        }
        #expect(validated == count)
    }
}
