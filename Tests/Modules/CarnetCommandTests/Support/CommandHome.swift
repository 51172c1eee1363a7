import Foundation

/// An empty home in which `carnet` runs: nothing of the person who runs the tests reaches it, and nothing stays behind.
final class CommandHome: Sendable {
    /// The folder that is both home and working folder.
    let folder: URL

    init() throws {
        // The path is resolved because programs print it so, and /tmp is a link on some systems.
        folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "carnet-test-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The environment that every program here starts with.
    var environment: [String: String] {
        [
            "HOME": folder.path,
            "XDG_CONFIG_HOME": folder.appending(path: ".config").path,
            "XDG_DATA_HOME": folder.appending(path: ".local/share").path,
            "XDG_STATE_HOME": folder.appending(path: ".local/state").path,
            "XDG_CACHE_HOME": folder.appending(path: ".cache").path,
            "LANG": "C.UTF-8",
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        ]
    }

    /// Writes a file, and the folders above it, at a path under ``folder``.
    @discardableResult
    func write(_ text: String, to path: String) throws -> URL {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file, options: .atomic)
        return file
    }

    /// Starts `carnet`; what the environment adds or replaces is given.
    func start(_ arguments: [String], environment added: [String: String] = [:]) throws -> CommandRun {
        try CommandRun(
            BuiltProduct.carnet,
            arguments,
            environment: environment.merging(added) { $1 },
            folder: folder
        )
    }

    /// Runs `carnet` to its end.
    func run(
        _ arguments: String...,
        input: Data = Data(),
        environment added: [String: String] = [:],
        within limit: Duration = CommandRun.patience
    ) async throws -> CommandResult {
        let run = try start(arguments, environment: added)
        run.send(input)
        return try await run.finish(within: limit)
    }
}
