import CarnetTestSupport
import Foundation
import Testing

/// The targets of `Package.swift`, as the package manager reads it.
enum PackageGraph {
    /// The direct dependencies of a target.
    struct Dependencies {
        /// Targets of this package.
        let targets: Set<String>
        /// Products of others.
        let products: Set<String>

        /// Every module may import `CarnetFoundation`.
        var imports: Set<String> { targets.union(products).subtracting(["CarnetFoundation"]) }
    }

    static func targets() throws -> [String: Dependencies] {
        let dump = Process()
        let output = Pipe()
        dump.executableURL = URL(filePath: "/usr/bin/env")
        // A build folder of its own: the package's is locked while its tests run.
        let scratch = FileManager.default.temporaryDirectory.appending(path: "carnet-dump-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        dump.arguments = [
            "swift", "package", "--package-path", Repository.root.path, "--scratch-path", scratch.path, "dump-package",
        ]
        dump.standardOutput = output
        dump.standardError = FileHandle.nullDevice
        try dump.run()
        let json = output.fileHandleForReading.readDataToEndOfFile()
        dump.waitUntilExit()
        let package = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        let targets = try #require(package["targets"] as? [[String: Any]])
        let names = Set(targets.compactMap { $0["name"] as? String })
        var graph: [String: Dependencies] = [:]
        for target in targets {
            let name = try #require(target["name"] as? String)
            let dependencies = target["dependencies"] as? [[String: [Any]]] ?? []
            let direct = dependencies.flatMap(\.values).compactMap { $0.first as? String }
            #expect(direct.count == dependencies.count)
            graph[name] = Dependencies(
                targets: Set(direct).intersection(names), products: Set(direct).subtracting(names))
        }
        return graph
    }
}
