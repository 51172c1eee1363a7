import Foundation
import PackagePlugin

/// Embeds the descriptors of a target's `providers` folder, or of the package's own, and fails the build at the line of a
/// broken one.
@main
struct CarnetProviders: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folders = [target.directoryURL, context.package.directoryURL].map { $0.appending(path: "providers") }
        guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
            Diagnostics.error("there is no providers folder beside \(target.name) or Package.swift")
            return []
        }
        let descriptors = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { ["yaml", "yml"].contains($0.pathExtension) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedProviders.swift")
        let parents = (builtInFolder(of: context.package) ?? folder).path
        return [
            .buildCommand(
                displayName: "Checking \(descriptors.count) provider descriptors",
                executable: try context.tool(named: "carnet-descriptor-tool").url,
                arguments: ["embed", "--output", output.path, "--parents", parents] + descriptors.map(\.path),
                inputFiles: descriptors,
                outputFiles: [output]
            )
        ]
    }

    /// The folder of the built-in descriptors, which those of a host may extend.
    private func builtInFolder(of package: Package) -> URL? {
        if package.targets.contains(where: { $0.name == "CarnetCatalog" }) {
            return package.directoryURL.appending(path: "providers")
        }
        return package.dependencies.lazy.compactMap { self.builtInFolder(of: $0.package) }.first
    }
}
