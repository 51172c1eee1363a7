import Carnet
import CarnetProtocol
import CarnetSQLite
import Foundation

/// A database in a folder of its own, which is removed with this value.
final class TemporaryDatabase: Sendable {
    static let key = [UInt8](0..<32)

    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "carnet-sqlite-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    var path: String { "\(root)/tokens.sqlite" }

    func store(_ key: StoreKeySource? = nil) throws -> SQLiteStore {
        SQLiteStore(path: path, key: try key ?? .bytes(Self.key))
    }
}

extension Connection {
    static func test(account: String = "ada@example.com", token: String = "s3cret-access-token") -> Self {
        Self(
            key: ConnectionKey(provider: "acme", account: account),
            clientID: "client",
            tokens: TokenSet(
                accessToken: Secret(token),
                tokenType: "Bearer",
                refreshToken: Secret("s3cret-refresh-token"),
                scopes: ["openid"],
                issuedAt: Date(timeIntervalSince1970: 1_767_225_600)
            )
        )
    }
}
