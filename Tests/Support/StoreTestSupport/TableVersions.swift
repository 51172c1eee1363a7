public import Carnet
import CarnetProtocol
import Testing

/// What must hold for every store while two versions of its tables are in use.
public enum TableVersions {
    /// A store of the earlier version goes on while one of the later version changes the tables, and both see each other's
    /// records.
    public static func runBeside(
        _ old: any TokenStore, later: () throws -> any TokenStore
    ) async throws {
        let revision = try await old.save(.test(account: "a"), replacing: nil)
        let new = try later()
        #expect(try await new.load(Connection.test(account: "a").key)?.revision == revision)
        let saved = try await old.save(.test(account: "a", token: "s3cret-2"), replacing: revision)
        #expect(try await new.load(Connection.test(account: "a").key)?.revision == saved)
        _ = try await new.save(.test(account: "b"), replacing: nil)
        #expect(try await old.keys().map(\.account) == ["a", "b"])
        try await old.withLock(on: Connection.test(account: "b").key) {}
    }

    /// After the change the earlier version can be deployed again, and the later one after it.
    public static func rollBack(
        to earlier: () throws -> any TokenStore, from later: () throws -> any TokenStore
    ) async throws {
        _ = try await later().save(.test(account: "a"), replacing: nil)
        let old = try earlier()
        let stored = try #require(try await old.load(Connection.test(account: "a").key))
        _ = try await old.save(stored.connection, replacing: stored.revision)
        #expect(try await later().load(stored.connection.key)?.connection == stored.connection)
    }
}
