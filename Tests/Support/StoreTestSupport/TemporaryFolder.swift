import Foundation

/// A folder of its own, for its owner alone, which is removed with this value.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// - Parameter name: What the folder's name begins with.
    public init(_ name: String) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
