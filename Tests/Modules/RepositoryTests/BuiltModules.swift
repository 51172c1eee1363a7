import CarnetTestSupport
import Foundation

/// The modules that the tests were built with.
enum BuiltModules {
    /// The folder that holds the test program.
    static let folder: URL = {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Modules").path), folder.path != "/" {
            folder = folder.deletingLastPathComponent()
        }
        return folder
    }()

    /// Where the C modules are that the Swift modules import.
    static let moduleMaps: [String] = {
        let manager = FileManager.default
        let checkouts = folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "checkouts")
        let roots = [checkouts, Repository.root.appending(path: "Sources")]
        var maps: Set<String> = ["/usr/include/postgresql"]
        for root in roots {
            for case let path as String in manager.enumerator(atPath: root.path) ?? .init()
            where path.hasSuffix("/module.modulemap") && !path.contains("/Tests/") {
                maps.insert(root.appending(path: path).deletingLastPathComponent().path)
            }
        }
        let generated = ((try? manager.contentsOfDirectory(atPath: folder.path)) ?? []).map {
            folder.appending(path: $0).appending(path: "module.modulemap").path
        }.filter(manager.fileExists)
        return maps.sorted().flatMap { ["-I", $0] }
            + generated.sorted().flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }()
}
