/// Generates unpredictable bytes for state, nonce and code verifier.
package protocol RandomSource: Sendable {
    func bytes(count: Int) -> [UInt8]
}

extension RandomSource {
    /// 256 random bits as 43 characters.
    ///
    /// - Throws: `OAuthError` if the source returns fewer bytes: a short state could be guessed.
    func secret() throws(OAuthError) -> Secret {
        let bytes = bytes(count: 32)
        guard bytes.count == 32 else {
            throw OAuthError(
                .configuration, .unsupported, "the random source returned \(bytes.count) bytes instead of 32")
        }
        return Secret(Base64URL.encode(bytes))
    }
}
