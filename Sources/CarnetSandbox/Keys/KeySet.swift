import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// The keys of one authorization server: one for each algorithm, the first of which signs.
struct KeySet: Sendable {
    let signer: SigningKey
    let keys: [SigningKey]

    /// - Parameter algorithms: At least one; RS256 if empty.
    init(_ algorithms: [SignatureAlgorithm], _ seams: Seams) throws {
        var shared: _RSA.Signing.PrivateKey?
        func rsaKey() throws -> _RSA.Signing.PrivateKey {
            if let shared { return shared }
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            shared = key
            return key
        }
        func key(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
            try SigningKey(algorithm, id: Base64URL.encode(seams.randomBytes(12)), rsaKey: rsaKey)
        }
        signer = try key(algorithms.first ?? .RS256)
        keys = try [signer] + algorithms.dropFirst().map(key)
    }

    /// The key set document (RFC 7517, section 5).
    var document: JSONValue { ["keys": .array(keys.map(\.publicJWK))] }
}
