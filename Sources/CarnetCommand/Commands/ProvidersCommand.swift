import ArgumentParser
import CarnetDescriptors
import CarnetFoundation
import CarnetLint

struct ProvidersCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List the available providers and their origin.",
        discussion: """
            Carnet reads providers from these places. A later place overrides a provider with the same id:

              1. the built-in catalogue
              2. the folder ~/.config/carnet/providers
              3. the folders in CARNET_PROVIDERS
              4. the folders of --providers

            Carnet also reads the folder ./providers. Unless --providers or CARNET_PROVIDERS names it, it adds providers \
            and overrides none, and its providers get no client secret.

            Examples:
              carnet providers
              carnet providers --search cloud
              carnet providers --providers my-providers
            """)

    @Option(value: "words", "Only providers with all of these words in id or name, ignoring case.") var search: String?

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(providers, context)
        let registry = sources.registry
        let entries = found(in: registry)
        let rows = entries.map { entry in
            let hidden = registry.hidden.filter { $0.descriptor.id == entry.descriptor.id }
            let origins = hidden.map { $0.origin.text(context.environment).printable }
            var remark = origins.isEmpty ? "" : "  (overrides \(origins.joined(separator: ", ")))"
            if let status = entry.descriptor.status.remark { remark += "  (\(status.printable))" }
            if let parent = entry.descriptor.parent { remark += "  (extends \(parent))" }
            return [
                entry.descriptor.id.rawValue, entry.descriptor.name.printable,
                entry.origin.text(context.environment).printable + remark,
            ]
        }
        for line in fitting(rows, context) { context.console.print(line) }
        context.console.print(json: document(entries, sources))
        if let search, entries.isEmpty {
            let names = registry.entries.map(\.descriptor.name)
            let nearest =
                nearestName(to: search, in: registry.ids.map(\.rawValue)) ?? nearestName(to: search, in: names)
            let suggestion = nearest.map { "; did you mean \($0.printable)?" } ?? ""
            context.console.note("no provider has \"\(search.printable)\" in its id or name\(suggestion)")
        }
    }

    /// The rows. On a terminal that is too narrow, what is built in has no origin, and the rest of a line is left out.
    private func fitting(_ rows: [[String]], _ context: CommandContext) -> [String] {
        let lines = Table.lines(rows)
        guard let columns = TerminalWidth.columns(of: .standardOutput, context.environment),
            lines.contains(where: { TerminalText.width($0) > columns })
        else { return lines }
        let builtIn = ProviderRegistry.Origin.builtIn.text(context.environment)
        return Table.lines(rows.map { $0.last?.hasPrefix(builtIn) == true ? Array($0.dropLast()) : $0 }).map { line in
            guard TerminalText.width(line) > columns else { return line }
            var cut = line
            while TerminalText.width(cut) >= columns { cut.removeLast() }
            return cut + "…"
        }
    }

    private func found(in registry: ProviderRegistry) -> [ProviderRegistry.Entry] {
        guard let search else { return registry.entries }
        let words = search.lowercased().split(separator: " ")
        return registry.entries.filter { entry in
            let text = "\(entry.descriptor.id) \(entry.descriptor.name)".lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }

    private func document(
        _ entries: [ProviderRegistry.Entry], _ sources: ProviderSources
    ) -> JSONObject {
        let registry = sources.registry
        func json(_ entry: ProviderRegistry.Entry) -> JSONValue {
            let own: JSONObject = [
                "id": .string(entry.descriptor.id.rawValue), "name": .string(entry.descriptor.name),
                "origin": .string(entry.origin.kind), "file": .string(entry.document.file.path),
                "inputs": .list(entry.descriptor.inputs.names),
                "extends": .optional(entry.descriptor.parent?.rawValue),
                "environments": .list(entry.descriptor.environmentNames),
            ]
            let hidden = registry.hidden.filter { $0.descriptor.id == entry.descriptor.id }
                .map { ["origin": .string($0.origin.kind), "file": .string($0.document.file.path)] as JSONValue }
            return .object(own + entry.descriptor.facts + ["hides": .array(hidden)])
        }
        return [
            "providers": .array(entries.map(json)),
            "broken": .list(registry.broken.map(\.file.path) + sources.unreadable.map(\.path)),
            "refused": .list((registry.refused + registry.withheld).map(\.document.file.path)),
        ]
    }
}

extension ProviderRegistry.Origin {
    fileprivate var kind: String {
        switch self {
        case .builtIn: "built_in"
        case .folder: "folder"
        case .file: "file"
        }
    }
}

extension ProviderDescriptor {
    /// What a program needs to choose a provider and to offer it.
    fileprivate var facts: JSONObject {
        let deviceGrant = ["urn:ietf:params:oauth:grant-type:device_code"]
        let facts: JSONObject = [
            "docs": .optional(docs),
            "status": [
                "state": .string(self.status.word), "remark": .optional(self.status.remark),
                "reason": .optional(self.status.reason), "link": .optional(self.status.link),
            ],
            "pkce": .bool(self.authorization.pkce.isRequired),
            "client_authentication": .list(self.client.methods.map(\.rawValue)),
            "refresh_rotation": .string(self.refresh.rotation.rawValue),
            "default_scopes": .list(self.scopes.defaults),
            "endpoints": .list(EndpointName.allCases.filter { self.endpoints[$0] != nil }.map(\.rawValue)),
            "grants": .list(["authorization_code"] + (self.endpoints[.deviceAuthorization] == nil ? [] : deviceGrant)),
        ]
        guard let verified = self.verified else { return facts }
        return facts + [
            "verified": [
                "date": .string(verified.date), "how": .string(verified.how), "link": .optional(verified.link),
            ]
        ]
    }
}
