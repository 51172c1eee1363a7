import Foundation
import PackagePlugin

/// `swift package lint-providers [TARGET...]`: checks the descriptors in the `providers` folders of a package's targets, or of
/// those that are named, and in the folder beside Package.swift. It needs no network and writes nothing.
@main
struct CarnetLintProviders: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let targets = try arguments.isEmpty ? context.package.targets : context.package.targets(named: arguments)
        var folders = targets.map(\.directoryURL)
        if arguments.isEmpty { folders.append(context.package.directoryURL) }
        folders = folders.map { $0.appending(path: "providers") }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
        guard !folders.isEmpty else {
            Diagnostics.error("no target has a folder providers")
            return
        }
        let parents = builtInFolder(of: context.package) ?? folders[0]
        for folder in folders {
            let process = Process()
            process.executableURL = try tool(context)
            process.arguments = ["lint", "--parents", parents.path, folder.path]
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus != 0 { Diagnostics.error("\(folder.path) has errors") }
        }
    }

    private func tool(_ context: PluginContext) throws -> URL {
        if let path = ProcessInfo.processInfo.environment["CARNET_DESCRIPTOR_TOOL"] { return URL(filePath: path) }
        return try context.tool(named: "carnet-descriptor-tool").url
    }

    private func builtInFolder(of package: Package) -> URL? {
        if package.targets.contains(where: { $0.name == "CarnetCatalog" }) {
            return package.directoryURL.appending(path: "providers")
        }
        return package.dependencies.lazy.compactMap { self.builtInFolder(of: $0.package) }.first
    }
}
