import Foundation

/// A folder of its own in which the `openssl` command makes keys and certificates; removed with this value.
public final class OpenSSLFolder: Sendable {
    public struct Failure: Error {
        public let arguments: [String]
    }

    private let folder: URL

    public init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "carnet-certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    public func path(_ name: String) -> String { folder.appending(path: name).path }

    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// Makes a key of P-256 beside whatever a command that takes `-newkey` makes.
    public static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    public func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
    }
}
