import ArgumentParser
import Carnet
import CarnetDescriptors

/// Which resources there are.
struct MapOptions: ParsableArguments {
    @Option(
        "map", value: "file",
        "A resource map in YAML, or a JSON array of {scope, title, url}, instead of the descriptor's resources.",
        completion: .file())
    var file: String?

    /// The map of the file, or of the descriptor.
    ///
    /// - Throws: `Failure` with everything that is wrong with the file; `ResolutionError`.
    func map(for account: Account, _ console: Console) async throws -> ResourceMap {
        if let file { return try map(file, for: account.client, console) }
        return try await account.session().resourceMap()
    }

    /// The map for a client without an account.
    ///
    /// - Throws: As `map(for:_:)`; errors of the token request, if the URL of a resource takes a value of its response.
    func map(
        for client: OAuthClient, with grant: ClientGrant, _ console: Console
    ) async throws -> ResourceMap {
        if let file { return try map(file, for: client, console) }
        return try await console.showing("requesting a token") { try await client.resourceMap(with: grant) }
    }

    private func map(_ file: String, for client: OAuthClient, _ console: Console) throws -> ResourceMap {
        let content = try ResourceMapFile(readingFrom: file, console)
        return ResourceMap(try client.resources(of: content), scopes: client.provider.scopes)
    }

    /// The resources of the file; none without one.
    ///
    /// - Throws: As `map(for:_:)`.
    func resources(
        for provider: Provider, of descriptor: ProviderDescriptor, _ console: Console
    ) throws -> [Resource] {
        guard let file else { return [] }
        return try ResourceMapFile(readingFrom: file, console).resources(for: provider, of: descriptor)
    }
}

extension ResourceMapFile {
    /// - Throws: `Failure` with everything that is wrong with the file.
    init(readingFrom path: String, _ console: Console) throws {
        let source = try SourceFile(readingFrom: path)
        self.init(source)
        guard diagnostics.contains(where: { $0.severity == .error }) else { return }
        throw Failure(diagnostics: diagnostics, in: source, console)
    }
}
