public import CarnetFoundation
public import CarnetProtocol

/// Keeps sign-ins that wait for their callback, for programs whose callback may arrive at another process or after a
/// restart. `CarnetTesting` has the conformance suite.
public protocol PendingStore: Sendable {
    /// Keeps a sign-in until its callback arrives or it expires. Expired sign-ins may be dropped, and if there are
    /// too many, those that expire first.
    ///
    /// - Throws: `TokenStoreError`.
    func save(_ pending: PendingAuthorization, now: Date) async throws

    /// Removes and returns a sign-in. Only one caller, in any process, gets it.
    ///
    /// - Parameter id: The state of the callback.
    /// - Returns: `nil` if it was never kept, was removed before, or has expired.
    /// - Throws: `TokenStoreError`.
    func take(_ id: Secret, now: Date) async throws -> PendingAuthorization?
}
