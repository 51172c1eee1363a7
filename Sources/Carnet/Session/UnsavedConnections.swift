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
