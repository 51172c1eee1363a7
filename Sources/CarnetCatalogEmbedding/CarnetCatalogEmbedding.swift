import Foundation
import PackagePlugin

/// Embeds the built-in descriptors, without a linter: hosts that use the catalogue do not compile one.
@main
struct CarnetCatalogEmbedding: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "providers")
        let descriptors = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedProviders.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(descriptors.count) provider descriptors",
                executable: try context.tool(named: "carnet-embedding-tool").url,
                arguments: [output.path] + descriptors.map(\.path),
                inputFiles: descriptors,
                outputFiles: [output]
            )
        ]
    }
}
