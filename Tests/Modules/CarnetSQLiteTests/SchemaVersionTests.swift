import Carnet
import CarnetProtocol
import CarnetStoreTestSupport
import CarnetTesting
import Foundation
import GRDB
import Testing

@testable import CarnetSQLite

/// What Docs/decisions/schema-versions.md promises for a rolling deployment.
@Suite("Two versions of the tables in one SQLite database")
struct SchemaVersionTests {
    private let temporary: TemporaryDatabase

    init() throws {
        temporary = try TemporaryDatabase()
    }

    /// The tables of a later release, which add what this release does not know.
    private static func next(needs: Int? = nil) -> Schema {
        let more = """
            ALTER TABLE connection ADD COLUMN region TEXT;
            ALTER TABLE pending ADD COLUMN region TEXT NOT NULL DEFAULT 'eu';
            CREATE INDEX connection_region ON connection (region);
            CREATE TABLE region (id TEXT NOT NULL PRIMARY KEY);
            """
        return Schema(versions: Schema.current.versions + [Schema.Version(needs: needs, more)])
    }

    private func store(_ schema: Schema) throws -> SQLiteStore {
        SQLiteStore(
            path: temporary.path, key: try .bytes(TemporaryDatabase.key), busyTimeout: .seconds(10),
            lockPatience: .seconds(60), schema: schema, random: SystemRandomSource(),
            sleep: { try await Task.sleep(for: $0) })
    }

    @Test("A process that runs while a later version changes the tables goes on, and both see each other's records")
    func runningProcess() async throws {
        try await TableVersions.runBeside(store(.current), later: { try store(Self.next()) })
    }

    @Test(
        "Every promise of a store holds between two versions, also for one that starts after the change",
        arguments: TokenStoreConformance.allCases)
    func conforms(to check: TokenStoreConformance) async throws {
        _ = try await store(Self.next()).keys()
        try await check.run(on: try store(.current), and: try store(Self.next()))
    }

    @Test("Pending sign-ins pass between them", arguments: PendingStoreConformance.allCases)
    func conforms(to check: PendingStoreConformance) async throws {
        _ = try await store(Self.next()).keys()
        try await check.run(on: try store(.current), and: try store(Self.next()))
    }

    @Test("After the change the earlier version can be deployed again, and the later one after it")
    func rollback() async throws {
        try await TableVersions.rollBack(to: { try store(.current) }, from: { try store(Self.next()) })
    }

    @Test("A version that takes something away refuses earlier ones, and they change nothing")
    func contraction() async throws {
        _ = try await store(.current).save(.test(account: "a"), replacing: nil)
        _ = try await store(Self.next(needs: 2)).keys()
        let error = await #expect(throws: TokenStoreError.self) {
            try await store(.current).save(.test(account: "b"), replacing: nil)
        }
        #expect(error?.kind == .unavailable)
        #expect(try await store(Self.next(needs: 2)).keys().count == 1)
    }

    @Test("A copy that SQLite makes of the running database opens with the keys")
    func backup() async throws {
        let connection = Connection.test(account: "a")
        let store = try store(.current)
        _ = try await store.save(connection, replacing: nil)
        let copy = try TemporaryDatabase()
        try await DatabaseQueue(path: temporary.path).vacuum(into: copy.path)
        try restrict(copy.path)
        #expect(try await copy.store().load(connection.key)?.connection == connection)
    }

    private func restrict(_ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
