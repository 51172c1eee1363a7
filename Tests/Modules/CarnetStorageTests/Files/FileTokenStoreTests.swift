import Carnet
import CarnetProtocol
import CarnetStoreTestSupport
import CarnetTesting
import Foundation
import Testing

@testable import CarnetStorage

@Suite("File token store")
struct FileTokenStoreTests {
    @Test("Conforms to the protocol", arguments: TokenStoreConformance.allCases)
    func conforms(to check: TokenStoreConformance) async throws {
        let temporary = try TemporaryStore()
        try await check.run(on: temporary.store(), and: temporary.store())
    }

    @Test("Conforms to the protocol", arguments: PendingStoreConformance.allCases)
    func conforms(to check: PendingStoreConformance) async throws {
        let temporary = try TemporaryStore()
        try await check.run(on: temporary.store(), and: temporary.store())
    }

    @Test("Survives restart")
    func survivesRestart() async throws {
        let temporary = try TemporaryStore()
        let revision = try await temporary.store().save(.test(), replacing: nil)
        let loaded = try await temporary.store().load(Connection.test().key)
        #expect(loaded?.connection == .test())
        #expect(loaded?.revision == revision)
    }

    @Test("Nothing is written before the first save")
    func nothingIsWrittenBeforeTheFirstSave() async throws {
        let temporary = try TemporaryStore()
        #expect(try await temporary.store().load(Connection.test().key) == nil)
        #expect(try await temporary.store().keys() == [])
        try await temporary.store().remove(Connection.test().key)
        #expect(!FileManager.default.fileExists(atPath: temporary.folder))
    }

    @Test("Files and folder are the owner's alone")
    func filesAndFolderAreTheOwnersAlone() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        try await store.withLock(on: Connection.test().key) {}
        #expect(try temporary.mode(temporary.folder) == 0o700)
        let names = try temporary.files().keys
        #expect(names.count == 3)
        for name in names {
            #expect(try temporary.mode("\(temporary.folder)/\(name)") == 0o600, "\(name)")
        }
    }

    /// LOG-03: a prefix of a token is a secret too.
    @Test("No token is in any file")
    func noTokenIsInAnyFile() async throws {
        let temporary = try TemporaryStore()
        _ = try await temporary.store().save(.test(), replacing: nil)
        let secrets = [
            Connection.test().tokens.accessToken, Connection.test().tokens.refreshToken,
            Connection.test().tokens.idToken,
        ]
        for (name, bytes) in try temporary.files() {
            for secret in secrets.compactMap({ $0?.reveal() }) {
                for form in [Data(secret.utf8), Data(Data(secret.utf8).base64EncodedString().utf8)] {
                    #expect(bytes.range(of: form.prefix(8)) == nil, "\(name)")
                }
            }
            if name != "key" {
                let key = try Data(contentsOf: URL(filePath: "\(temporary.folder)/key"))
                #expect(bytes.range(of: key.prefix(8)) == nil, "\(name)")
            }
        }
    }

    @Test("Same tokens are encrypted differently each time")
    func sameTokensAreEncryptedDifferentlyEachTime() async throws {
        let temporary = try TemporaryStore()
        let first = try await temporary.store().save(.test(), replacing: nil)
        let second = try await temporary.store().save(.test(), replacing: first)
        #expect(first != second)
    }

    @Test("Keys are listed without the key")
    func keysAreListedWithoutTheKey() async throws {
        let temporary = try TemporaryStore()
        _ = try await temporary.store().save(.test(), replacing: nil)
        try FileManager.default.removeItem(atPath: "\(temporary.folder)/key")
        #expect(try await temporary.store().keys() == [Connection.test().key])
    }

    @Test("Key that is gone is reported before a save")
    func keyThatIsGoneIsReportedBeforeASave() async throws {
        let temporary = try TemporaryStore()
        _ = try await temporary.store().save(.test(), replacing: nil)
        try FileManager.default.removeItem(atPath: "\(temporary.folder)/key")
        await expectStoreError(.unreadable) { try await temporary.store().prepareToSave(Connection.test().key) }
    }

    @Test("Names that are too long are unacceptable")
    func namesThatAreTooLongAreUnacceptable() async throws {
        let temporary = try TemporaryStore()
        let connection = Connection.test(account: String(repeating: "x", count: 65_537))
        await expectStoreError(.unacceptable) { try await temporary.store().save(connection, replacing: nil) }
    }

    @Test("Save goes on though its task is cancelled")
    func saveGoesOnThoughItsTaskIsCancelled() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.save(.test(), replacing: nil)
        }
        let revision = try await task.value
        #expect(try await store.load(Connection.test().key)?.revision == revision)
    }

    @Test("Wait for a lock is bounded")
    func waitForALockIsBounded() async throws {
        let temporary = try TemporaryStore()
        let key = Connection.test().key
        // Time passes at once.
        let hurried = temporary.store(lockPatience: .seconds(60), sleep: { _ in })
        let error = try await temporary.store().withLock(on: key) {
            await #expect(throws: TokenStoreError.self) { try await hurried.withLock(on: key) {} }
        }
        #expect(error?.kind == .locked)
        #expect(error?.reason.contains("\(temporary.folder)/") == true)
        #expect(error?.reason.contains("60 seconds") == true)
        let holder = "process \(ProcessInfo.processInfo.processIdentifier) has held it since 20"
        #expect(error?.reason.contains(holder) == true, "\(error?.reason ?? "")")
    }

    /// A note of a process that is gone, or about another lock, names nobody.
    @Test(
        "Note that is wrong names nobody",
        arguments: ["1 999999999 1", "junk", "", "-1 -1 -1", "9223372036854775807 1 1"])
    func noteThatIsWrongNamesNobody(note: String) async throws {
        let temporary = try TemporaryStore()
        let key = Connection.test().key
        let hurried = temporary.store(lockPatience: .seconds(60), sleep: { _ in })
        let error = try await temporary.store().withLock(on: key) {
            let line = (note + "\n").padding(toLength: 64, withPad: " ", startingAt: 0)
            try Data(String(repeating: line, count: 1024).utf8).write(to: URL(filePath: "\(temporary.folder)/lock.new"))
            let handle = try FileHandle(forWritingTo: URL(filePath: "\(temporary.folder)/lock"))
            try handle.write(contentsOf: try Data(contentsOf: URL(filePath: "\(temporary.folder)/lock.new")))
            return await #expect(throws: TokenStoreError.self) { try await hurried.withLock(on: key) {} }
        }
        #expect(error?.reason.hasSuffix("another process has held it") == true, "\(error?.reason ?? "")")
    }

    @Test("Removed accounts leave nothing")
    func removedAccountsLeaveNothing() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        for number in 0..<3 {
            let connection = Connection.test(account: "\(number)")
            try await store.withLock(on: connection.key) { _ = try await store.save(connection, replacing: nil) }
            try await store.withLock(on: connection.key) { try await store.remove(connection.key) }
        }
        #expect(try temporary.files().keys.sorted() == ["key", "lock"])
    }

    @Test("New key opens old records and encrypts new ones")
    func newKeyDecryptsOldRecordsAndEncryptsNewOnes() async throws {
        let temporary = try TemporaryStore()
        let old = try EncryptionKey(TemporaryStore.key)
        let new = try EncryptionKey(TemporaryStore.key.reversed())
        for account in ["a", "b"] {
            _ = try await temporary.store(key: .keys(KeyRing(old))).save(.test(account: account), replacing: nil)
        }
        let rotated = temporary.store(key: .keys(KeyRing(new, others: [old])))
        let stored = try #require(try await rotated.load(Connection.test(account: "a").key))
        _ = try await rotated.save(stored.connection, replacing: stored.revision)
        #expect(try await rotated.inventory().recordsByKeyID == [old.id: 1, new.id: 1])
        let withoutOld = temporary.store(key: .keys(KeyRing(new)))
        #expect(try await withoutOld.load(Connection.test(account: "a").key) != nil)
        await expectStoreError(.unreadable) { try await withoutOld.load(Connection.test(account: "b").key) }
    }

    @Test("Record can be saved inside its lock")
    func recordCanBeSavedInsideItsLock() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        let revision = try await store.withLock(on: Connection.test().key) {
            try await store.save(.test(), replacing: nil)
        }
        #expect(try await store.load(Connection.test().key)?.revision == revision)
    }
}

/// Runs `body`, which has to throw a `TokenStoreError` of that kind.
@discardableResult
func expectStoreError<Result>(
    _ kind: TokenStoreError.Kind,
    naming path: String = "",
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Result
) async -> TokenStoreError? {
    let error = await #expect(throws: TokenStoreError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.kind == kind, "\(error?.reason ?? "")", sourceLocation: sourceLocation)
    #expect(
        path.isEmpty || error?.reason.contains(path) == true, "\(error?.reason ?? "")", sourceLocation: sourceLocation)
    #expect(error?.reason.contains("s3cret") != true, sourceLocation: sourceLocation)
    return error
}
