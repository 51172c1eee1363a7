import Carnet
import CarnetProtocol
import CarnetStoreTestSupport
import Foundation
import Testing

@testable import CarnetStorage

/// A store that cannot be read says so, and is left as it is.
@Suite("Damaged store")
struct DamagedStoreTests {
    private let key = Connection.test().key

    /// A store with one record, whose bytes are then changed.
    private func damaged(_ change: (inout Data) -> Void) async throws -> (TemporaryStore, String) {
        let temporary = try TemporaryStore()
        _ = try await temporary.store().save(.test(), replacing: nil)
        let path = try temporary.recordPath()
        var bytes = try Data(contentsOf: URL(filePath: path))
        change(&bytes)
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
        return (temporary, path)
    }

    private func expectUnreadable(_ temporary: TemporaryStore, _ path: String) async throws -> TokenStoreError? {
        let before = try Data(contentsOf: URL(filePath: path))
        let error = await expectStoreError(.unreadable, naming: path) { try await temporary.store().load(key) }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        return error
    }

    @Test("Truncated record is unreadable", arguments: [0, 1, 8, 9, 17, 20, 21, 40, 80, 120])
    func truncatedRecordIsUnreadable(length: Int) async throws {
        let (temporary, path) = try await damaged { $0 = $0.prefix(length) }
        _ = try await expectUnreadable(temporary, path)
    }

    @Test("Record without its last byte is unreadable")
    func recordWithoutItsLastByteIsUnreadable() async throws {
        let (temporary, path) = try await damaged { $0.removeLast() }
        _ = try await expectUnreadable(temporary, path)
    }

    @Test("Foreign file is unreadable")
    func foreignFileIsUnreadable() async throws {
        let (temporary, path) = try await damaged { $0 = Data("not a record\n".utf8) }
        let error = try await expectUnreadable(temporary, path)
        #expect(error?.reason == "\(path) is damaged: its header is invalid")
    }

    @Test("Newer format is unreadable")
    func newerFormatIsUnreadable() async throws {
        let (temporary, path) = try await damaged { $0[8] = 3 }
        let error = try await expectUnreadable(temporary, path)
        #expect(
            error?.reason
                == "\(path) has the format 3, and this version reads formats up to 2: use a newer version of the program"
        )
    }

    @Test("Wrong key is named")
    func wrongKeyIsNamed() async throws {
        let temporary = try TemporaryStore()
        let right = try StoreKeySource.bytes(TemporaryStore.key)
        let wrong = try StoreKeySource.bytes(TemporaryStore.key.reversed())
        _ = try await temporary.store(key: right).save(.test(), replacing: nil)
        let path = try temporary.recordPath()
        let error = await expectStoreError(.unreadable, naming: path) {
            try await temporary.store(key: wrong).load(key)
        }
        let id = try EncryptionKey(TemporaryStore.key).id
        #expect(error?.reason.contains("is encrypted with the key \(id), and the store has the key ") == true)
        #expect(try await temporary.store(key: right).load(key)?.connection == .test())
    }

    @Test("Record of another account is unreadable")
    func recordOfAnotherAccountIsUnreadable() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        let mine = try temporary.recordPath()
        let other = Connection.test(account: "eve@example.com")
        _ = try await store.save(other, replacing: nil)
        let names = try temporary.files().keys.filter { $0.hasSuffix(".record") }
        let others = try #require(names.map { "\(temporary.folder)/\($0)" }.first { $0 != mine })
        try FileManager.default.removeItem(atPath: mine)
        try FileManager.default.copyItem(atPath: others, toPath: mine)
        await expectStoreError(.unreadable, naming: mine) { try await store.load(key) }
        let inventory = try await store.inventory()
        #expect(inventory.accounts == [other.key])
        #expect(inventory.damaged.map(\.reason) == ["\(mine) is the record of another account"])
    }

    @Test("Damaged record hides no other")
    func damagedRecordHidesNoOther() async throws {
        let (temporary, path) = try await damaged { $0 = $0.prefix(12) }
        let other = Connection.test(account: "eve@example.com")
        _ = try await temporary.store().save(other, replacing: nil)
        #expect(try await temporary.store().keys() == [other.key])
        let inventory = try await temporary.store().inventory()
        #expect(inventory.damaged.map(\.reason) == ["\(path) is damaged: it is truncated or was changed"])
    }

    @Test("Lost key is not replaced")
    func lostKeyIsNotReplaced() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        let keyPath = "\(temporary.folder)/key"
        try FileManager.default.removeItem(atPath: keyPath)
        await expectStoreError(.unreadable, naming: keyPath) { try await store.load(key) }
        await expectStoreError(.unreadable, naming: keyPath) {
            try await store.save(.test(account: "new"), replacing: nil)
        }
        #expect(!FileManager.default.fileExists(atPath: keyPath))
    }

    @Test("Damaged key is unreadable", arguments: [0, 31, 33])
    func damagedKeyIsUnreadable(length: Int) async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        let keyPath = "\(temporary.folder)/key"
        let handle = try FileHandle(forWritingTo: URL(filePath: keyPath))
        try handle.truncate(atOffset: UInt64(length))
        try handle.close()
        await expectStoreError(.unreadable, naming: keyPath) { try await store.load(key) }
    }

    @Test("a record that others may have written is unreadable, and the error says what repairs it")
    func untrustedRecord() async throws {
        let (readable, path) = try await damaged { _ in }
        #expect(chmod(path, 0o644) == 0)
        let error = await expectStoreError(.unreadable, naming: path) { try await readable.store().load(key) }
        #expect(error?.remedy == "chmod 600 '\(path)'")
        let (linked, record) = try await damaged { _ in }
        try FileManager.default.moveItem(atPath: record, toPath: "\(linked.folder)/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: record, withDestinationPath: "\(linked.folder)/elsewhere")
        let foreign = await expectStoreError(.unreadable, naming: record) { try await linked.store().load(key) }
        #expect(foreign?.remedy == "mv '\(record)' '\(record).damaged'")
        // A new sign-in replaces the link, not what it leads to.
        _ = try await linked.store().save(.test(), replacing: nil)
        #expect(try await linked.store().load(key)?.connection == .test())
    }

    @Test("an error about the key advises to restore it, not to give up the records")
    func remedyOfADamagedKey() async throws {
        let temporary = try TemporaryStore()
        _ = try await temporary.store().save(.test(), replacing: nil)
        let keyPath = "\(temporary.folder)/key"
        #expect(truncate(keyPath, 0) == 0)
        let error = await expectStoreError(.unreadable, naming: keyPath) { try await temporary.store().load(key) }
        #expect(error?.remedy?.hasPrefix("restore \(keyPath) from a backup") == true)
    }

    @Test("Damaged record can be removed or replaced")
    func damagedRecordCanBeRemovedOrReplaced() async throws {
        let (temporary, _) = try await damaged { $0 = Data("junk".utf8) }
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        #expect(try await store.load(key)?.connection == .test())
        let (another, _) = try await damaged { $0 = Data() }
        try await another.store().remove(key)
        #expect(try await another.store().keys() == [])
    }
}
