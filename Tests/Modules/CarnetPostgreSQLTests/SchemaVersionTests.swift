import Carnet
import CarnetProtocol
import CarnetStoreTestSupport
import CarnetTesting
import Testing

@testable import CarnetPostgreSQL

/// What Docs/decisions/schema-versions.md promises for a rolling deployment.
@Suite("Two versions of the tables in one PostgreSQL database")
struct SchemaVersionTests {
    private let cluster: PostgreSQLCluster
    private let address: String

    init() throws {
        cluster = try .shared()
        address = try cluster.makeDatabase()
    }

    /// The tables of a later release, which add what this release does not know.
    private static func next(needs: Int? = nil) -> Schema {
        let more = [
            "ALTER TABLE carnet_connection ADD COLUMN region text",
            "ALTER TABLE carnet_pending ADD COLUMN region text NOT NULL DEFAULT 'eu'",
            "ALTER TABLE carnet_lock ADD COLUMN region text",
            "CREATE INDEX carnet_connection_region ON carnet_connection (region)",
            "CREATE TABLE carnet_region (id text PRIMARY KEY)",
        ]
        return Schema(versions: Schema.current.versions + [Schema.Version(needs: needs, more)])
    }

    private func store(_ schema: Schema) throws -> PostgreSQLStore {
        PostgreSQLStore(
            PostgreSQLConfiguration(Secret(address), poolSize: 4), key: try .bytes([UInt8](0..<32)), schema: schema,
            random: SystemRandomSource(), sleep: { try await Task.sleep(for: $0) })
    }

    private func version() throws -> String { try cluster.psql("SELECT version FROM carnet_schema", in: address) }

    @Test("A process that runs while a later version changes the tables goes on, and both see each other's records")
    func runningProcess() async throws {
        let old = try store(.current)
        _ = try await old.keys()
        #expect(try version() == "1\n")
        try await TableVersions.runBeside(old, later: { try store(Self.next()) })
        #expect(try version() == "2\n")
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

    @Test("Used logout tokens pass between them", arguments: UsedTokenStoreConformance.allCases)
    func conforms(to check: UsedTokenStoreConformance) async throws {
        _ = try await store(Self.next()).keys()
        try await check.run(on: try store(.current), and: try store(Self.next()))
    }

    @Test("After the change the earlier version can be deployed again, and the later one after it")
    func rollback() async throws {
        try await TableVersions.rollBack(to: { try store(.current) }, from: { try store(Self.next()) })
        #expect(try version() == "2\n")
    }

    @Test("A version that takes something away refuses earlier ones, and they change nothing")
    func contraction() async throws {
        _ = try await store(.current).save(.test(account: "a"), replacing: nil)
        _ = try await store(Self.next(needs: 2)).keys()
        let error = await #expect(throws: TokenStoreError.self) {
            try await store(.current).save(.test(account: "b"), replacing: nil)
        }
        #expect(error?.kind == .unavailable)
        #expect(error?.reason.contains("needs a program that supports 2") == true, "\(error?.reason ?? "")")
        #expect(try cluster.psql("SELECT count(*) FROM carnet_connection", in: address) == "1\n")
        #expect(try await store(Self.next(needs: 2)).keys().count == 1)
    }

    @Test("A restored backup opens with the keys, and without them names the one that is missing")
    func backup() async throws {
        let connection = Connection.test(account: "a")
        _ = try await store(.current).save(connection, replacing: nil)
        let copy = try cluster.restoredBackup(of: address)
        func opened(with key: [UInt8]) throws -> PostgreSQLStore {
            PostgreSQLStore(PostgreSQLConfiguration(Secret(copy)), key: try .bytes(key))
        }
        let restored = try opened(with: [UInt8](0..<32))
        let stored = try #require(try await restored.load(connection.key))
        #expect(stored.connection == connection)
        _ = try await restored.save(connection, replacing: stored.revision)
        let error = await #expect(throws: TokenStoreError.self) {
            try await opened(with: [UInt8](1..<33)).load(connection.key)
        }
        #expect(error?.kind == .unreadable)
        #expect(error?.reason.contains(try EncryptionKey([UInt8](0..<32)).id) == true)
    }
}
