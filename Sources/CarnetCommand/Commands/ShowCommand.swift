import ArgumentParser
import CarnetDescriptors

struct ShowCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a descriptor as it is written, or as the engine sees it."
    )

    @Argument(
        help: ArgumentHelp("A provider's id, or a descriptor file.", valueName: "id|file"),
        completion: .providerIDs)
    var provider: String

    @Flag(
        help: ArgumentHelp(
            "Fill the inputs in, say every default, and show the requests of a pretend client to the byte. Inputs that are "
                + "not given are filled with examples."
        )
    )
    var resolved = false

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(providers, context, isQuiet: ProviderSources.isFile(provider))
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
        let (inputs, resolved) = try await ProviderFailure(entry: entry).explaining {
            let descriptor = try entry.descriptor.variant(source.environment)
            let inputs = try PretendInputs(for: descriptor, given: source.inputs)
            return (inputs, try descriptor.resolve(inputs: inputs.values))
        }
        for input in inputs.madeUp {
            let text = "the input \(input.name) is not given; \(input.value.printable) stands for it"
            context.console.note("\(text) (give --input \(input.name)=VALUE)")
        }
        if !ancestors.isEmpty { context.console.note("extends \(ancestors.joined(separator: ", "))") }
        let view = ResolvedView(resolved, of: entry.document, as: source)
        for problem in view.problems { context.console.warn(problem.printable) }
        for line in view.lines { context.console.answer(line) }
        var document = JSONObject([
            "id": .string(entry.descriptor.id.rawValue), "origin": .string(origin), "extends": .list(ancestors),
        ])
        for member in view.json { document[member.name] = member.value }
        context.console.answer(json: document)
    }
}
