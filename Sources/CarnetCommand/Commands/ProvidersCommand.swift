import ArgumentParser
import CarnetDescriptors

struct ProvidersCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List every provider that can be selected by name, and where it comes from.",
        discussion: """
            Providers are found in this order, a later one hiding an earlier one of the same id: built in, the folder \
            carnet/providers of the user's configuration, CARNET_PROVIDERS, ./providers, --providers.
            """
    )

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(providers, environment: context.environment)
        let registry = sources.registry
        let rows = registry.entries.map { entry in
            let hidden = registry.hidden.filter { $0.descriptor.id == entry.descriptor.id }
            let origins = hidden.map { $0.origin.text(context.environment).printable }
            var remark = origins.isEmpty ? "" : "  (hides \(origins.joined(separator: ", ")))"
            if let parent = entry.descriptor.parent { remark += "  (extends \(parent))" }
            return [
                entry.descriptor.id.rawValue, entry.descriptor.name.printable,
                entry.origin.text(context.environment).printable + remark,
            ]
        }
        for line in Table.lines(rows) { context.console.answer(line) }
        context.console.answer(json: document(sources, context.environment))
        sources.warnAboutBroken(context.console)
    }

    private func document(_ sources: ProviderSources, _ environment: HostEnvironment) -> JSONObject {
        let registry = sources.registry
        func json(_ entry: ProviderRegistry.Entry, hides: [ProviderRegistry.Entry]) -> JSONValue {
            var object = JSONObject([
                "id": .string(entry.descriptor.id.rawValue), "name": .string(entry.descriptor.name),
                "origin": .string(entry.origin.kind), "file": .string(entry.document.file.path),
                "inputs": .list(entry.descriptor.inputs.names),
            ])
            object["extends"] = JSONValue.optional(entry.descriptor.parent?.rawValue)
            object["environments"] = .list(entry.descriptor.environmentNames)
            object["hides"] = .array(
                hides.map { ["origin": .string($0.origin.kind), "file": .string($0.document.file.path)] })
            return .object(object)
        }
        return JSONObject([
            "providers": .array(
                registry.entries.map { entry in
                    json(entry, hides: registry.hidden.filter { $0.descriptor.id == entry.descriptor.id })
                }
            ),
            "broken": .list(registry.broken.map(\.file.path) + sources.unreadable.map(\.path)),
        ])
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
