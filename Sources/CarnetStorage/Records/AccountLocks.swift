import Carnet

/// The locks of a store's accounts, in one file next to its records.
///
/// Tasks of this process queue first, so that at most one of them waits for the file's lock.
package final class AccountLocks: Sendable {
    private static let storePosition: Int64 = 0

    private let path: String
    private let patience: Duration
    private let sleep: FileLock.Sleep
    private let queues = KeyedLocks<Int64>()

    package init(path: String, patience: Duration, sleep: @escaping FileLock.Sleep) {
        (self.path, self.patience, self.sleep) = (path, patience, sleep)
    }

    /// - Throws: `TokenStoreError`; `CancellationError`; errors of `body`.
    package func withLock<Result: Sendable>(on id: RecordID, _ body: () async throws -> Result) async throws -> Result {
        try await withLock(at: id.lockPosition, body)
    }

    /// A lock for one writer at a time, for all accounts.
    package func withStoreLock<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await withLock(at: Self.storePosition, body)
    }

    private func withLock<Result: Sendable>(
        at position: Int64, _ body: () async throws -> Result
    ) async throws -> Result {
        try await queues.withLock(on: position) {
            try await FileLock.withLock(at: position, of: path, patience: patience, sleep: sleep, body)
        }
    }
}
