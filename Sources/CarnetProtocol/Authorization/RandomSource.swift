import CarnetDescriptors
import CarnetFoundation

/// Generates unpredictable bytes for state, nonce and code verifier.
package protocol RandomSource: Sendable {
    func bytes(count: Int) -> [UInt8]
}

extension RandomSource {
    /// 256 random bits as 43 characters.
    ///
    /// - Throws: `OAuthError` if the source returns fewer bytes: a short state could be guessed.
    func secret() throws(OAuthError) -> Secret { try secrets(1)[0] }

    /// Several such secrets, of one system call.
    func secrets(_ count: Int) throws(OAuthError) -> [Secret] {
        let bytes = bytes(count: 32 * count)
        guard bytes.count == 32 * count else {
            throw OAuthError(
                .configuration, .unsupported, "the random source returned \(bytes.count) bytes instead of \(32 * count)"
            )
        }
        return (0..<count).map { Secret(Base64URL.encode(bytes[32 * $0..<32 * ($0 + 1)])) }
    }
}
