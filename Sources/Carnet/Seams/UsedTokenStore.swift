public import CarnetFoundation

/// Remembers the ids of tokens for one use, such as a provider's logout tokens.
///
/// All processes of a client must share one store. Otherwise each process accepts a token once.
public protocol UsedTokenStore: Sendable {
    /// Marks a token as used. Only one caller, in any process, gets `true`.
    ///
    /// - Parameter end: The token's expiry, after which the mark may be dropped.
    /// - Throws: Errors of the store; the token is then rejected.
    func use(_ id: String, until end: Date, now: Date) async throws -> Bool

    /// Removes a mark, because the token's action failed.
    func forget(_ id: String) async throws
}
