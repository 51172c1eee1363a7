import CarnetFoundation

/// A file with a resource map of its own.
package struct ResourceMapFile: Sendable {
    package let entries: [ResourceEntry]
    package let hosts: MapHosts
    package let diagnostics: [Diagnostic]
    package let path: String
    /// Where the entries are, their titles and their URLs.
    package let places: [(entry: SourceSpan, title: SourceSpan, url: SourceSpan)]
    /// The entries as they are written.
    package let nodes: [YAMLNode]

    /// Reads all entries; those with an error are left out and reported.
    package init(_ file: SourceFile, reader: YAMLReader = YAMLReader()) {
        let document = reader.read(file)
        var decoder = DescriptorDecoder(file: file.path)
        let content = document.root.flatMap { Content($0, &decoder) }
        entries = content?.resources ?? []
        hosts = content?.hosts ?? MapHosts()
        diagnostics = (document.diagnostics + decoder.diagnostics).sorted()
        path = file.path
        nodes = document.root?.elements ?? document.root?.entry("resources")?.value.elements ?? []
        places = nodes.map { node in
            func span(_ key: String) -> SourceSpan { node.entry(key)?.value.span ?? node.span }
            return (node.span, span("title"), span("url"))
        }
    }

    /// Fills the entries with the inputs of a provider.
    ///
    /// - Parameter values: Those of a registration, for what only functions or the client's values fill.
    /// - Throws: `ResolutionError`.
    package func resources(
        for provider: Provider, of descriptor: ProviderDescriptor, filling values: TemplateValues? = nil
    ) throws(ResolutionError) -> [Resource] {
        let resolver = try InputResolver(descriptor, values: provider.inputs)
        return try entries.enumerated().map { index, entry throws(ResolutionError) in
            let (shown, isPattern) = entry.showingParameters(besides: descriptor.inputs.names)
            let resource = try shown.resolve(with: resolver, key: "resources.\(index)")
            let filled = values.flatMap { try? resource.filled($0, trusting: provider.trustedHosts) }
            guard var known = resource.known ?? filled else {
                throw ResolutionError(
                    kind: .badURL, provider: provider.id, key: "resources.\(index).url",
                    reason:
                        "it uses a value that exists only after a sign-in; write such a resource into the descriptor")
            }
            known.isPattern = isPattern
            return known
        }
    }

    package static var shape: Shape { Content.shape }

    private struct Content: DescriptorSection {
        static let shorthand: String? = "resources"
        static let keys: [Key<Self>] = [
            Key("resources", \.resources, isRequired: true, "resources that granted scopes allow"),
            Key(
                "hosts", \.hosts,
                "for a resource server, if a URL names a host: the other hosts that resources without a host are for; * is every host"
            ),
        ]
        var resources: [ResourceEntry] = []
        var hosts = MapHosts()
    }
}
