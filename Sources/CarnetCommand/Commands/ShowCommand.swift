import ArgumentParser
import CarnetDescriptors

struct ShowCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a descriptor as it is written, or as the engine sees it."
    )

    @Argument(help: ArgumentHelp("A provider's id, or a descriptor file.", valueName: "id|file"))
    var provider: String

    @Flag(help: "Fill the inputs in and say every default. Inputs that are not given are filled with examples.")
    var resolved = false

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(providers, environment: context.environment)
        let entry = try sources.entry(nameOrFile: provider, context.console)
        let origin = entry.origin.text(context.environment)
        let ancestors = entry.document.ancestors.map(\.rawValue)
        guard resolved else {
            let text = String(decoding: entry.document.file.bytes, as: UTF8.self)
            // The file as it is, not as a terminal might take it.
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(
                text.hasSuffix("\n") ? 1 : 0)
            {
                context.console.answer(String(line).printable)
            }
            context.console.answer(
                json: JSONObject([
                    "id": .string(entry.descriptor.id.rawValue), "origin": .string(origin),
                    "extends": .list(ancestors), "text": .string(text),
                ])
            )
            return
        }
        let source = try Registrations(client, context).source(for: entry.descriptor)
        let given = source.inputs
        let (inputs, resolved) = try await ProviderFailure(entry: entry).explaining {
            let descriptor = try entry.descriptor.variant(source.environment)
            let inputs = descriptor.exampleInputs(given)
            return (inputs, try descriptor.resolve(inputs: inputs))
        }
        for name in inputs.keys.sorted() where given[name] == nil {
            context.console.note("the input \(name) is not given; the descriptor's example stands for it")
        }
        if !ancestors.isEmpty { context.console.note("extends \(ancestors.joined(separator: ", "))") }
        let view = JSONValue(resolved)
        for line in view.yamlLines { context.console.answer(line) }
        context.console.answer(
            json: JSONObject([
                "id": .string(entry.descriptor.id.rawValue), "origin": .string(origin),
                "extends": .list(ancestors), "resolved": view,
            ])
        )
    }
}
