public import CarnetDescriptors
import CarnetProtocol

extension OAuthClient {
    /// Reads the host's own resource map: a list of `{scope, title, url}` in YAML or JSON, or a mapping with the key
    /// `resources`.
    ///
    /// - Throws: `OAuthError` of kind `badDescriptor` with the place of the first mistake.
    public func resourceMap(_ file: SourceFile) throws -> ResourceMap {
        let content = ResourceMapFile(file)
        if let mistake = content.diagnostics.first(where: { $0.severity == .error }) {
            throw OAuthError(
                .configuration, .badDescriptor, "the resource map has a mistake: \(mistake)",
                descriptorKey: "resources", hint: "run carnet lint on the file")
        }
        do throws(ResolutionError) {
            return ResourceMap(try resources(of: content), scopes: provider.scopes)
        } catch {
            throw OAuthError(.configuration, .badDescriptor, error.reason, descriptorKey: error.key)
        }
    }

    /// - Throws: `ResolutionError`.
    package func resources(of file: ResourceMapFile) throws(ResolutionError) -> [Resource] {
        let values = provider.values(registration, now: clock.now, random: random)
        return try file.resources(for: provider, of: descriptor, filling: values)
    }
}
