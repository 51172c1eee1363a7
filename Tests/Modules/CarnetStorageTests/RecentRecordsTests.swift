import Carnet
import CarnetProtocol
import CarnetStoreTestSupport
import Foundation
import Testing

@testable import CarnetStorage

@Suite("Recently decrypted records")
struct RecentRecordsTests {
    private let stored = StoredConnection(connection: .test(), revision: "1")
    private let id: RecordID

    init() throws { id = try RecordID(Connection.test().key) }

    @Test("A record is known for a minute, and only with the same bytes")
    func bytes() {
        let recent = RecentRecords()
        let now = ContinuousClock.now
        recent.keep(stored, id, as: [1, 2, 3], at: now)
        #expect(recent.stored(id, as: [1, 2, 3], at: now + .seconds(59))?.connection == stored.connection)
        for bytes in [[], [1, 2], [1, 2, 4], [1, 2, 3, 4]] as [[UInt8]] {
            #expect(recent.stored(id, as: bytes, at: now) == nil)
        }
        #expect(recent.stored(id, as: [1, 2, 3], at: now + .seconds(60)) == nil)
    }

    @Test("What another process changes or removes is seen at once")
    func processes() async throws {
        let temporary = try TemporaryStore()
        let (one, other) = (temporary.store(), temporary.store())
        let key = Connection.test().key
        _ = try await one.save(.test(token: "first"), replacing: nil)
        for token in ["second", "third"] {
            _ = try await one.load(key)
            let revision = try await other.save(.test(token: token), replacing: nil)
            let loaded = try await one.load(key)
            #expect(loaded?.connection.tokens.accessToken == Secret(token) && loaded?.revision == revision)
        }
        try await other.remove(key)
        #expect(try await one.load(key) == nil)
    }

    @Test("A record that was damaged or replaced by another account's is never taken from memory")
    func damage() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        let key = Connection.test().key
        _ = try await store.save(.test(), replacing: nil)
        _ = try await store.load(key)
        let path = try temporary.recordPath()
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(filePath: path))
        await #expect(throws: TokenStoreError.self) { try await store.load(key) }
    }
}
