import CarnetSQLite
import CarnetStoreTestSupport

/// A database in a folder of its own, which is removed with this value.
final class TemporaryDatabase: Sendable {
    static let key = [UInt8](0..<32)

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("carnet-sqlite")
    }

    var root: String { folder.path }

    var path: String { "\(root)/tokens.sqlite" }

    func store(_ key: StoreKeySource? = nil) throws -> SQLiteStore {
        SQLiteStore(path: path, key: try key ?? .bytes(Self.key))
    }
}
