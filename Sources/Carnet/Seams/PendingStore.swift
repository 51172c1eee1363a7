public import CarnetProtocol
public import Foundation

/// Keeps sign-ins that wait for their callback, for programs whose callback may come to another process or after a
/// restart. `CarnetTesting` has the conformance suite.
public protocol PendingStore: Sendable {
    /// Keeps a sign-in until its callback comes or it expires. What has expired may be forgotten meanwhile, and when
    /// too many wait, those that would expire first.
    ///
    /// - Throws: `TokenStoreError`.
    func keep(_ pending: PendingAuthorization, now: Date) async throws

    /// Takes a sign-in out: of all who ask for it, in any process, one gets it, once.
    ///
    /// - Parameter id: The state of the callback.
    /// - Returns: `nil` if it was never kept, was taken before, or has expired.
    /// - Throws: `TokenStoreError`.
    func take(_ id: Secret, now: Date) async throws -> PendingAuthorization?
}
