import Carnet
import CarnetPostgreSQL
import CarnetProtocol
import CarnetStoreTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("PostgreSQL store")
struct PostgreSQLStoreTests {
    private static let keyBytes = [UInt8](0..<32)
    private let cluster: PostgreSQLCluster
    private let address: String

    init() throws {
        cluster = try .shared()
        address = try cluster.makeDatabase()
    }

    private func store(_ key: StoreKeySource? = nil) throws -> PostgreSQLStore {
        PostgreSQLStore(
            PostgreSQLConfiguration(Secret(address), poolSize: 4), key: try key ?? .bytes(Self.keyBytes))
    }

    private func connection(_ account: String = "ada@example.com") -> Connection { .test(account: account) }

    @Test("Conforms to the protocol", arguments: TokenStoreConformance.allCases)
    func conforms(to check: TokenStoreConformance) async throws {
        try await check.run(on: try store(), and: try store())
    }

    @Test("Conforms to the protocol", arguments: PendingStoreConformance.allCases)
    func conforms(to check: PendingStoreConformance) async throws {
        try await check.run(on: try store(), and: try store())
    }

    @Test("Conforms to the protocol", arguments: UsedTokenStoreConformance.allCases)
    func conforms(to check: UsedTokenStoreConformance) async throws {
        try await check.run(on: try store(), and: try store())
    }

    @Test("New key opens old records and encrypts new ones")
    func newKeyDecryptsOldRecordsAndEncryptsNewOnes() async throws {
        let old = try EncryptionKey(Self.keyBytes)
        let new = try EncryptionKey(Self.keyBytes.reversed())
        for account in ["a", "b"] { _ = try await store().save(connection(account), replacing: nil) }
        let rotated = try store(.keys(KeyRing(new, others: [old])))
        let stored = try #require(try await rotated.load(connection("a").key))
        _ = try await rotated.save(stored.connection, replacing: stored.revision)
        #expect(try await rotated.inventory().recordsByKeyID == [old.id: 1, new.id: 1])
    }

    @Test("Wrong key is named and deletes nothing")
    func wrongKeyIsNamedAndDeletesNothing() async throws {
        _ = try await store().save(connection(), replacing: nil)
        let wrong = try store(.bytes(Self.keyBytes.reversed()))
        let error = await #expect(throws: TokenStoreError.self) { try await wrong.load(connection().key) }
        #expect(error?.kind == .unreadable)
        #expect(error?.reason.contains(try EncryptionKey(Self.keyBytes).id) == true)
        #expect(try await store().load(connection().key)?.connection == connection())
    }

    @Test("Key that is gone is reported before a save")
    func keyThatIsGoneIsReportedBeforeASave() async throws {
        _ = try await store().save(connection(), replacing: nil)
        let keyless = try store(.file("/nowhere/key"))
        let error = await #expect(throws: TokenStoreError.self) { try await keyless.prepareToSave(connection().key) }
        #expect(error?.reason.hasPrefix("the key /nowhere/key is missing") == true)
    }

    @Test("No token is in the database")
    func noTokenIsInTheDatabase() async throws {
        _ = try await store().save(connection(), replacing: nil)
        let hexadecimal = "s3cret".utf8.map { String($0, radix: 16) }.joined()
        let dump = try cluster.psql("SELECT c::text FROM carnet_connection c", in: address)
        #expect(dump.contains("ada@example.com"))
        #expect(!dump.contains("s3cret") && !dump.contains(hexadecimal))
    }

    @Test("Many processes make the tables once")
    func manyProcessesMakeTheTablesOnce() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try await store().keys() } }
            try await group.waitForAll()
        }
        #expect(try cluster.psql("SELECT version FROM carnet_schema", in: address) == "1\n")
    }

    @Test("Newer tables are left alone")
    func newerTablesAreLeftAlone() async throws {
        _ = try await store().save(connection(), replacing: nil)
        try cluster.psql("UPDATE carnet_schema SET version = 7, needs = 6", in: address)
        let error = await #expect(throws: TokenStoreError.self) {
            try await store().save(connection("b"), replacing: nil)
        }
        #expect(
            error?.reason
                == "the database's tables have the version 7, which needs a program that supports 6, and this one supports 1: "
                + "use a newer version of the program"
        )
        #expect(try cluster.psql("SELECT count(*) FROM carnet_connection", in: address) == "1\n")
    }

    @Test("Tables of another program are left alone", arguments: ["carnet_schema", "carnet_connection"])
    func tablesOfAnotherProgramAreLeftAlone(name: String) async throws {
        try cluster.psql("CREATE TABLE \(name) (color text)", in: address)
        let error = await #expect(throws: TokenStoreError.self) { try await store().save(connection(), replacing: nil) }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason.contains(name) == true, "\(error?.reason ?? "")")
        let tables = try cluster.psql("SELECT tablename FROM pg_tables WHERE tablename LIKE 'carnet%'", in: address)
        #expect(tables == "\(name)\n")
    }

    @Test("Cut connections are replaced")
    func cutConnectionsAreReplaced() async throws {
        let store = try store()
        let revision = try await store.save(connection(), replacing: nil)
        try cluster.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'carnet' "
                + "AND datname = '\(address.split(separator: "=").last ?? "")'")
        #expect(try await store.load(connection().key)?.revision == revision)
    }

    @Test("Read only database is unavailable")
    func readOnlyDatabaseIsUnavailable() async throws {
        _ = try await store().save(connection(), replacing: nil)
        let name = address.split(separator: "=").last ?? ""
        try cluster.psql("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        let hurried = PostgreSQLStore(
            PostgreSQLConfiguration(Secret(address), patience: .milliseconds(100)), key: try .bytes(Self.keyBytes))
        #expect(try await hurried.load(connection().key)?.connection == connection())
        for attempt in [
            { _ = try await hurried.save(connection(), replacing: nil) },
            { try await hurried.withLock(on: connection().key) {} },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: TokenStoreError.self) { try await attempt() }
            #expect(error?.kind == .unavailable)
        }
    }

    @Test("Absent server is unavailable")
    func absentServerIsUnavailable() async throws {
        let nowhere = PostgreSQLStore(
            PostgreSQLConfiguration(Secret("host=/nowhere user=x password=s3cret"), patience: .milliseconds(100)),
            key: try .bytes(Self.keyBytes))
        let error = await #expect(throws: TokenStoreError.self) { try await nowhere.load(connection().key) }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason.contains("s3cret") == false)
    }

    /// What a wait does not mend is said at once.
    @Test(
        "Refused connection is not tried again",
        arguments: [("user=nobody dbname=postgres", "28000"), ("user=carnet dbname=nowhere", "3D000")])
    func refusedConnectionIsNotTriedAgain(words: String, state: String) async throws {
        let refused = PostgreSQLStore(
            PostgreSQLConfiguration(Secret("host=\(cluster.folder) \(words)"), patience: .seconds(3600)),
            key: try .bytes(Self.keyBytes))
        let error = await #expect(throws: TokenStoreError.self) { try await refused.load(connection().key) }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason.hasPrefix("the database returned an error: ") == true)
        #expect(error?.reason.hasSuffix("does not exist (\(state))") == true, "\(error?.reason ?? "")")
    }

    @Test("Missing rights are said and nothing is overwritten")
    func missingRightsAreSaidAndNothingIsOverwritten() async throws {
        _ = try await store().save(connection(), replacing: nil)
        let role = "reader_\(address.split(separator: "=").last ?? "")"
        try cluster.psql(
            "CREATE ROLE \(role) LOGIN; GRANT SELECT ON carnet_connection, carnet_schema TO \(role)", in: address)
        let reader = PostgreSQLStore(
            PostgreSQLConfiguration(Secret(address.replacing("user=carnet", with: "user=\(role)"))),
            key: try .bytes(Self.keyBytes))
        #expect(try await reader.load(connection().key)?.connection == connection())
        for attempt in [
            { _ = try await reader.save(connection(), replacing: nil) },
            { try await reader.remove(connection().key) },
            { try await reader.withLock(on: connection().key) {} },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: TokenStoreError.self) { try await attempt() }
            #expect(error?.kind == .unavailable)
            #expect(error?.reason.hasPrefix("the database returned an error: permission denied for ") == true)
        }
        #expect(try await store().load(connection().key)?.connection == connection())
    }

    @Test("Malformed address is not repeated")
    func malformedAddressIsNotRepeated() async throws {
        let store = PostgreSQLStore(
            PostgreSQLConfiguration(Secret("host=x s3cret password=s3cret")), key: try .bytes(Self.keyBytes))
        let error = await #expect(throws: TokenStoreError.self) { try await store.load(connection().key) }
        #expect(error?.kind == .unacceptable)
        #expect(error?.reason.contains("s3cret") == false)
    }

    @Test("Statement of a cancelled task ends")
    func statementOfACancelledTaskEnds() async throws {
        let store = try store()
        _ = try await store.save(connection(), replacing: nil)
        // A load waits for whoever changes the table.
        let blocker = Task.detached { [cluster, address] in
            try cluster.psql(
                "BEGIN; LOCK TABLE carnet_connection IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)", in: address)
        }
        while try cluster.psql(
            "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND database = "
                + "(SELECT oid FROM pg_database WHERE datname = current_database())", in: address) == "0\n"
        { await Task.yield() }
        let loading = Task { try await store.load(connection().key) }
        loading.cancel()
        await #expect(throws: CancellationError.self) { try await loading.value }
        try cluster.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted "
                + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())", in: address)
        _ = await blocker.result
        #expect(try await store.load(connection().key) != nil)
    }
}
