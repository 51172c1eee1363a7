import Synchronization

/// Renewed tokens that the store could not take. Their predecessors may be void at the provider, so they are kept until
/// a later save succeeds or somebody else's tokens count instead.
final class UnsavedConnections: Sendable {
    struct Entry: Sendable {
        var connection: Connection
        /// The revision that they are to replace.
        var revision: String
    }

    private let entries = Mutex<[ConnectionKey: Entry]>([:])

    subscript(key: ConnectionKey) -> Entry? {
        get { entries.withLock { $0[key] } }
        set { entries.withLock { $0[key] = newValue } }
    }
}

/// What a client holds of an account.
struct HeldConnection: Sendable {
    var stored: StoredConnection
    /// Takes the record's place as soon as the store can be written again.
    var unsaved: Connection?

    /// Whose tokens count.
    var newest: Connection { unsaved ?? stored.connection }
}

extension OAuthClient {
    /// The record of an account, with what the store could not take in its place. Only for who has the store's lock.
    nonisolated func held(_ key: ConnectionKey) async throws -> HeldConnection? {
        let stored = try await store.load(key)
        if unsaved[key]?.revision != stored?.revision { unsaved[key] = nil }
        return stored.map { HeldConnection(stored: $0, unsaved: unsaved[key]?.connection) }
    }
}
