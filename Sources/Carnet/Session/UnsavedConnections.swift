import CarnetDescriptors
import CarnetFoundation

/// Refreshed tokens that the store could not save. The old ones may be invalid at the provider, so these are kept
/// until a save succeeds or another writer's tokens count.
final class UnsavedConnections: Sendable {
    struct Entry: Sendable {
        var connection: Connection
        var revision: String
    }

    private let entries = Lock<[ConnectionKey: Entry]>([:])

    subscript(key: ConnectionKey) -> Entry? {
        get { entries.withLock { $0[key] } }
        set { entries.withLock { $0[key] = newValue } }
    }
}

/// An account's record as the store and the memory have it.
struct LoadedConnection: Sendable {
    var stored: StoredConnection
    /// Replaces the record as soon as the store works again.
    var unsaved: Connection?

    var newest: Connection { unsaved ?? stored.connection }
}

extension OAuthClient {
    /// The record of an account, replaced by the unsaved one if there is one. Call it only with the store's lock.
    func loaded(_ key: ConnectionKey) async throws -> LoadedConnection? {
        let stored = try await store.load(key)
        if unsaved[key]?.revision != stored?.revision { unsaved[key] = nil }
        return stored.map { LoadedConnection(stored: $0, unsaved: unsaved[key]?.connection) }
    }
}
