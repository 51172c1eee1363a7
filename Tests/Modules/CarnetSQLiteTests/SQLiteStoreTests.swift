import Carnet
import CarnetProtocol
import CarnetSQLite
import CarnetStoreTestSupport
import CarnetTesting
import Foundation
import GRDB
import Testing

@Suite("SQLite store")
struct SQLiteStoreTests {
    private let key = Connection.test().key

    @Test("Conforms to the protocol", arguments: TokenStoreConformance.allCases)
    func conforms(to check: TokenStoreConformance) async throws {
        let temporary = try TemporaryDatabase()
        try await check.run(on: try temporary.store(), and: try temporary.store())
    }

    @Test("Conforms to the protocol", arguments: PendingStoreConformance.allCases)
    func conforms(to check: PendingStoreConformance) async throws {
        let temporary = try TemporaryDatabase()
        try await check.run(on: try temporary.store(), and: try temporary.store())
    }

    @Test("Conforms to the protocol", arguments: UsedTokenStoreConformance.allCases)
    func conforms(to check: UsedTokenStoreConformance) async throws {
        let temporary = try TemporaryDatabase()
        try await check.run(on: try temporary.store(), and: try temporary.store())
    }

    @Test("Files are the owner's alone")
    func filesAreTheOwnersAlone() async throws {
        let temporary = try TemporaryDatabase()
        let store = try temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary.root)
        #expect(names.contains("tokens.sqlite-lock"))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(temporary.root)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        _ = try await store.keys()
    }

    // LOG-03: a prefix of a token is a secret too.
    @Test("No token is in any file")
    func noTokenIsInAnyFile() async throws {
        let temporary = try TemporaryDatabase()
        let store = try temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        for name in try FileManager.default.contentsOfDirectory(atPath: temporary.root) {
            let bytes = try Data(contentsOf: URL(filePath: "\(temporary.root)/\(name)"))
            #expect(bytes.range(of: Data("s3cret".utf8)) == nil, "\(name)")
        }
        _ = try await store.keys()
    }

    @Test("New key opens old records and encrypts new ones")
    func newKeyDecryptsOldRecordsAndEncryptsNewOnes() async throws {
        let temporary = try TemporaryDatabase()
        let old = try EncryptionKey(TemporaryDatabase.key)
        let new = try EncryptionKey(TemporaryDatabase.key.reversed())
        for account in ["a", "b"] {
            _ = try await temporary.store().save(.test(account: account), replacing: nil)
        }
        let rotated = try temporary.store(.keys(KeyRing(new, others: [old])))
        let stored = try #require(try await rotated.load(Connection.test(account: "a").key))
        _ = try await rotated.save(stored.connection, replacing: stored.revision)
        #expect(try await rotated.inventory().recordsByKeyID == [old.id: 1, new.id: 1])
    }

    @Test("Wrong key is named and deletes nothing")
    func wrongKeyIsNamedAndDeletesNothing() async throws {
        let temporary = try TemporaryDatabase()
        _ = try await temporary.store().save(.test(), replacing: nil)
        let wrong = try temporary.store(.bytes(TemporaryDatabase.key.reversed()))
        let error = await #expect(throws: TokenStoreError.self) { try await wrong.load(key) }
        #expect(error?.kind == .unreadable)
        #expect(error?.reason.contains(try EncryptionKey(TemporaryDatabase.key).id) == true)
        #expect(try await temporary.store().load(key)?.connection == .test())
    }

    @Test("Key that is gone is reported before a save")
    func keyThatIsGoneIsReportedBeforeASave() async throws {
        let temporary = try TemporaryDatabase()
        let store = try temporary.store(.file("\(temporary.root)/key"))
        _ = try await store.save(.test(), replacing: nil)
        try FileManager.default.removeItem(atPath: "\(temporary.root)/key")
        let error = await #expect(throws: TokenStoreError.self) { try await store.prepareToSave(key) }
        #expect(error?.reason.hasPrefix("the key \(temporary.root)/key is missing") == true)
    }

    @Test("Account with NUL is unacceptable")
    func accountWithNULIsUnacceptable() async throws {
        let temporary = try TemporaryDatabase()
        let error = await #expect(throws: TokenStoreError.self) {
            try await temporary.store().save(.test(account: "a\0b"), replacing: nil)
        }
        #expect(error?.kind == .unacceptable)
    }

    @Test("Database of another program is left alone")
    func databaseOfAnotherProgramIsLeftAlone() async throws {
        let temporary = try TemporaryDatabase()
        _ = try await temporary.store().save(.test(), replacing: nil)
        // A database whose header names another program.
        try await changed(temporary) { $0.replaceSubrange(68..<72, with: [1, 2, 3, 4]) }
        let before = try Data(contentsOf: URL(filePath: temporary.path))
        let error = await #expect(throws: TokenStoreError.self) { try await temporary.store().keys() }
        #expect(error?.reason == "\(temporary.path) is the database of another program")
        #expect(try Data(contentsOf: URL(filePath: temporary.path)) == before)
    }

    @Test("Newer database is left alone")
    func newerDatabaseIsLeftAlone() async throws {
        let temporary = try TemporaryDatabase()
        _ = try await temporary.store().save(.test(), replacing: nil)
        try await DatabaseQueue(path: temporary.path).write { database in
            try database.execute(
                sql: "INSERT INTO grdb_migrations VALUES ('of a newer version'); PRAGMA user_version = 9")
        }
        let error = await #expect(throws: TokenStoreError.self) {
            try await temporary.store().save(.test(token: "new"), replacing: nil)
        }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason.hasPrefix("\(temporary.path) was changed by a newer version") == true)
        let records = try await DatabaseQueue(path: temporary.path).read {
            try Data.fetchAll($0, sql: "SELECT record FROM connection")
        }
        #expect(records.count == 1)
        try await DatabaseQueue(path: temporary.path).write { database in
            try database.execute(
                sql: "DELETE FROM grdb_migrations WHERE identifier = 'of a newer version'; PRAGMA user_version = 0")
        }
        #expect(try await temporary.store().load(key)?.connection == .test())
    }

    @Test("Tables of another program are left alone")
    func tablesOfAnotherProgramAreLeftAlone() async throws {
        let temporary = try TemporaryDatabase()
        #expect(
            FileManager.default.createFile(
                atPath: temporary.path, contents: nil, attributes: [.posixPermissions: 0o600]))
        try await DatabaseQueue(path: temporary.path).write {
            try $0.execute(sql: "CREATE TABLE connection (color TEXT)")
        }
        let before = try Data(contentsOf: URL(filePath: temporary.path))
        let error = await #expect(throws: TokenStoreError.self) {
            try await temporary.store().save(.test(), replacing: nil)
        }
        #expect(error?.reason == "\(temporary.path) is the database of another program")
        #expect(try Data(contentsOf: URL(filePath: temporary.path)) == before)
    }

    @Test("File that is no database is left alone")
    func fileThatIsNoDatabaseIsLeftAlone() async throws {
        let temporary = try TemporaryDatabase()
        let text = Data(String(repeating: "not a database\n", count: 100).utf8)
        #expect(
            FileManager.default.createFile(
                atPath: temporary.path, contents: text, attributes: [.posixPermissions: 0o600]))
        let error = await #expect(throws: TokenStoreError.self) {
            try await temporary.store().save(.test(), replacing: nil)
        }
        #expect(error?.kind == .unreadable)
        #expect(error?.reason.hasPrefix(temporary.path) == true)
        #expect(try Data(contentsOf: URL(filePath: temporary.path)) == text)
    }

    @Test("Truncated database is unreadable")
    func truncatedDatabaseIsUnreadable() async throws {
        let temporary = try TemporaryDatabase()
        _ = try await temporary.store().save(.test(), replacing: nil)
        try await changed(temporary) { $0 = $0.prefix($0.count / 2 + 100) }
        let error = await #expect(throws: TokenStoreError.self) { try await temporary.store().load(key) }
        #expect(error?.kind == .unreadable)
    }

    @Test("File that others may use is rejected")
    func fileThatOthersMayUseIsRefused() async throws {
        let temporary = try TemporaryDatabase()
        _ = try await temporary.store().save(.test(), replacing: nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: temporary.path)
        let error = await #expect(throws: TokenStoreError.self) { try await temporary.store().keys() }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason.contains("chmod 600") == true)
    }

    @Test("Folder that cannot be made is named")
    func folderThatCannotBeMadeIsNamed() async throws {
        let store = SQLiteStore(path: "/proc/carnet/tokens.sqlite", key: try .bytes(TemporaryDatabase.key))
        let error = await #expect(throws: TokenStoreError.self) { try await store.save(.test(), replacing: nil) }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason.contains("/proc/carnet") == true)
    }

    /// Changes the bytes of a database that nobody has open.
    private func changed(_ temporary: TemporaryDatabase, _ change: (inout Data) -> Void) async throws {
        let file = URL(filePath: temporary.path)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: temporary.path + suffix) }
        var bytes = try Data(contentsOf: file)
        change(&bytes)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }
}
