import Foundation
import PackagePlugin

/// Embeds the descriptors of a target's `providers` folder, and fails the build at the line of a broken one.
@main
struct CarnetProviders: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL.appending(path: "providers")
        guard FileManager.default.fileExists(atPath: folder.path) else {
            // A build does not notice new files outside of the target's folder.
            Diagnostics.error("\(target.name) has no descriptors: put them into \(folder.path)")
            return []
        }
        let descriptors = try descriptors(in: folder)
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedProviders.swift")
        let parents = builtInFolder(of: context.package) ?? folder
        return [
            .buildCommand(
                displayName: "Checking \(descriptors.count) provider descriptors",
                executable: try tool(context),
                arguments: [output.path, parents.path] + descriptors.map(\.path),
                inputFiles: try descriptors + self.descriptors(in: parents),
                outputFiles: [output]
            )
        ]
    }

    /// The tool of this package, or a prebuilt one: Package.swift then has no dependency on it.
    private func tool(_ context: PluginContext) throws -> URL {
        if let path = ProcessInfo.processInfo.environment["CARNET_DESCRIPTOR_TOOL"] { return URL(filePath: path) }
        return try context.tool(named: "carnet-descriptor-tool").url
    }

    private func descriptors(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { ["yaml", "yml"].contains($0.pathExtension) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    /// The folder of the built-in descriptors, which those of a host may extend.
    private func builtInFolder(of package: Package) -> URL? {
        if package.targets.contains(where: { $0.name == "CarnetCatalog" }) {
            return package.directoryURL.appending(path: "providers")
        }
        return package.dependencies.lazy.compactMap { self.builtInFolder(of: $0.package) }.first
    }
}
