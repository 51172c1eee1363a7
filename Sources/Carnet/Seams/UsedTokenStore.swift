public import Foundation

/// Remembers tokens that are good for one use, such as a provider's logout tokens, by their ids.
///
/// Several processes that answer for one client share one, or each takes a token once.
public protocol UsedTokenStore: Sendable {
    /// Marks a token as used: of all who ask, in any process, one gets `true`.
    ///
    /// - Parameter end: When the token ends by itself, and its mark with it.
    /// - Throws: Whatever keeps the mark from being made; the token is not taken then.
    func use(_ id: String, until end: Date, now: Date) async throws -> Bool

    /// Takes a mark back, because what the token asks for could not be done.
    func forget(_ id: String) async throws
}
