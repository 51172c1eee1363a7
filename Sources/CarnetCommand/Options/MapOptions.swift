import ArgumentParser
import Carnet
import CarnetDescriptors

/// Which resources there are.
struct MapOptions: ParsableArguments {
    @Option(
        name: .customLong("map"),
        help: ArgumentHelp(
            "A resource map in YAML, or a JSON array of {scope, title, url}, instead of the descriptor's resources.",
            valueName: "file"
        )
    )
    var file: String?

    /// The map of the file, or of the descriptor.
    ///
    /// - Throws: `Failure` with everything that is wrong with the file; `ResolutionError`.
    func map(for account: Account, _ console: Console) async throws -> ResourceMap {
        let provider = account.client.provider
        guard let file else { return try await account.session().resourceMap() }
        let source = try SourceFile(readingFrom: file)
        let map = ResourceMapFile(source)
        if map.diagnostics.contains(where: { $0.severity == .error }) {
            throw Failure(diagnostics: map.diagnostics, in: source, console)
        }
        return ResourceMap(
            try map.resources(for: provider, of: account.entry.descriptor), scopes: provider.scopes)
    }
}
