public import Carnet
import CarnetStorage
import Foundation
import GRDB

/// A storage of its own, which is removed with this value.
public final class TemporaryStorage: Sendable {
    public let location: StoreLocation
    private let folder: TemporaryFolder

    /// - Parameter cluster: Where a PostgreSQL database is made; in the one of this process unless given.
    public init(_ kind: StoreLocation.Kind, in cluster: PostgreSQLCluster? = nil, lease: Int = 10_000) throws {
        folder = try TemporaryFolder("carnet-storage")
        location =
            switch kind {
            case .files: StoreLocation(.files, "\(folder.path)/tokens")
            case .sqlite: StoreLocation(.sqlite, "\(folder.path)/tokens.sqlite")
            case .postgresql: StoreLocation(.postgresql, try (cluster ?? .shared()).makeDatabase(), lease: lease)
            }
    }

    /// The bytes of an account's record, past the store.
    public func record(of key: ConnectionKey) throws -> [UInt8] {
        let id = try RecordID(key).text
        switch location.kind {
        case .files:
            return Array(try Data(contentsOf: URL(filePath: "\(location.place)/\(id).record")))
        case .sqlite:
            return try DatabaseQueue(path: location.place).read { database in
                let sql = "SELECT record FROM connection WHERE id = ?"
                return Array(try Data.fetchOne(database, sql: sql, arguments: [id]) ?? Data())
            }
        case .postgresql:
            let sql = "SELECT encode(record, 'hex') FROM carnet_connection WHERE id = '\(id)'"
            let digits = try PostgreSQLCluster.shared().psql(sql, in: location.place)
                .filter { !$0.isNewline }.compactMap(\.hexDigitValue)
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        }
    }

    public func replaceRecord(of key: ConnectionKey, with bytes: [UInt8]) throws {
        let id = try RecordID(key).text
        switch location.kind {
        case .files:
            let path = "\(location.place)/\(id).record"
            try Data(bytes).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        case .sqlite:
            try DatabaseQueue(path: location.place).write { database in
                try database.execute(
                    sql: "UPDATE connection SET record = ? WHERE id = ?", arguments: [Data(bytes), id])
            }
        case .postgresql:
            let sql = "UPDATE carnet_connection SET record = '\\x\(bytes.hexadecimal)' WHERE id = '\(id)'"
            try PostgreSQLCluster.shared().psql(sql, in: location.place)
        }
    }
}
