public import Carnet
import CarnetPostgreSQL
import CarnetSQLite
import CarnetStorage
import Foundation

/// One storage that several processes can open, as text for a command line.
public struct StoreLocation: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        case files, sqlite, postgresql
    }

    public struct Unknown: Error {
        public init() {}
    }

    public let kind: Kind
    public let place: String
    /// How long a lock outlives its holder, in milliseconds.
    public let lease: Int

    public init(_ kind: Kind, _ place: String, lease: Int = 10_000) {
        self.kind = kind
        self.place = place
        self.lease = lease
    }

    public init(arguments: ArraySlice<String>) throws {
        let words = Array(arguments)
        guard words.count == 3, let kind = Kind(rawValue: words[0]), let lease = Int(words[2]) else { throw Unknown() }
        self.init(kind, words[1], lease: lease)
    }

    /// How long an exchange may take that holds a lock, in milliseconds: the lock outlasts it.
    public var exchange: Int { max(lease * 4 / 3, 1000) }

    public var arguments: [String] { [kind.rawValue, place, String(lease)] }

    public func open() throws -> any TokenStore {
        let key = try StoreKeySource.bytes([UInt8](0..<32))
        switch kind {
        case .files: return FileTokenStore(folder: place, key: key)
        case .sqlite: return SQLiteStore(path: place, key: key)
        case .postgresql:
            return PostgreSQLStore(
                PostgreSQLConfiguration(Secret(place), poolSize: 4, lease: .milliseconds(lease)), key: key)
        }
    }
}
