/// Gives unpredictable bytes: for state, nonce and code verifier.
public protocol RandomSource: Sendable {
    func bytes(count: Int) -> [UInt8]
}
