import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// A PKCE code verifier (RFC 7636): 32 random bytes as 43 characters, new for each attempt.
struct CodeVerifier {
    let secret: Secret

    /// The S256 challenge (RFC 7636, section 4.2).
    func challenge(_ encoding: ChallengeEncoding) -> String {
        let hash = SHA256.hash(Array(secret.reveal().utf8))
        return switch encoding {
        case .base64url: hash.withUnsafeBytes { Base64URL.encode($0.bindMemory(to: UInt8.self)) }
        case .hexadecimal: hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
