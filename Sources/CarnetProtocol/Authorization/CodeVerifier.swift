import Crypto

/// A PKCE code verifier (RFC 7636): 32 random bytes as 43 characters, new for each attempt.
struct CodeVerifier {
    let secret: Secret

    /// The S256 challenge (RFC 7636, section 4.2).
    var challenge: String {
        Base64URL.encode(SHA256.hash(data: Array(secret.reveal().utf8)))
    }
}
