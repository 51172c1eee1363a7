import Carnet
import CarnetProtocol
import CarnetStoreTestSupport
import Foundation

@testable import CarnetStorage

/// A store in a folder of its own, which is removed with this value.
final class TemporaryStore: Sendable {
    static let key = [UInt8](0..<32)

    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder("carnet-store")
    }

    var root: String { temporary.path }

    var folder: String { "\(root)/tokens" }

    func store(
        key: StoreKeySource? = nil,
        calls: FileSystemCalls = .system,
        lockPatience: Duration = .seconds(30),
        sleep: @escaping FileLock.Sleep = { try await Task.sleep(for: $0) }
    ) -> FileTokenStore {
        FileTokenStore(
            folder: folder,
            key: key,
            lockPatience: lockPatience,
            random: SystemRandomSource(),
            calls: calls,
            sleep: sleep
        )
    }

    /// The files of the folder with their bytes, but for what the lock's users note in it.
    func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, name == "lock" ? Data() : try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
            }
        )
    }

    /// The path of the only record.
    func recordPath() throws -> String {
        let records = try files().keys.filter { $0.hasSuffix(".record") }
        guard records.count == 1 else { throw NotOneRecord(names: records) }
        return "\(folder)/\(records[0])"
    }

    func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    struct NotOneRecord: Error {
        var names: [String]
    }
}
