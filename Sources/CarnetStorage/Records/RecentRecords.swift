import Carnet
import CarnetFoundation

/// Decrypted records, for when the store returns the same bytes again.
///
/// The store is read each time, so a record that was replaced or removed, by whichever process, is not used. A record is decrypted again
/// after a minute, so that a key that was removed from the ring is missed.
package final class RecentRecords: Sendable {
    /// Of the encrypted records, in bytes. The decrypted ones need a few times as much.
    private static let limit = 4 << 20
    private static let lifetime: Duration = .seconds(60)

    private struct Entry {
        let bytes: [UInt8]
        let stored: StoredConnection
        let since: ContinuousClock.Instant
    }

    private let entries = Lock(Recent<RecordID, Entry>(limit: RecentRecords.limit))

    package init() {}

    func stored(_ id: RecordID, as bytes: [UInt8], at now: ContinuousClock.Instant = .now) -> StoredConnection? {
        guard let entry = entries.withLock({ $0.value(of: id) }), entry.bytes == bytes,
            now - entry.since < Self.lifetime
        else { return nil }
        return entry.stored
    }

    func keep(_ stored: StoredConnection, _ id: RecordID, as bytes: [UInt8], at now: ContinuousClock.Instant = .now) {
        entries.withLock { $0.keep(Entry(bytes: bytes, stored: stored, since: now), for: id, size: bytes.count) }
    }

    func forget(_ id: RecordID) { entries.withLock { $0.forget(id) } }
}
