import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation

struct ShowCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a descriptor as it is written, or as the engine resolves it.",
        discussion: """
            Examples:
              carnet show acme
              carnet show providers/acme.yaml --resolved
              carnet show acme --resolved --input tenant=example
            """)

    @Argument(value: "id|file", "A provider's id, or a descriptor file.", completion: .providersAndFiles)
    var provider: String

    @Flag(
        help: ArgumentHelp(
            "Fill in inputs and defaults, and show the exact requests of a test client. Inputs without a value are "
                + "filled with the descriptor's examples."
        )
    )
    var resolved = false

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(providers, context, isQuiet: ProviderSources.isFile(provider))
        let entry = try sources.entry(nameOrFile: provider, context.console)
        let ancestors = entry.document.ancestors.map(\.rawValue)
        let identity: JSONObject = [
            "id": .string(entry.descriptor.id.rawValue), "origin": .string(entry.origin.text(context.environment)),
            "extends": .list(ancestors),
        ]
        for line in entry.descriptor.statusLines { context.console.warn(line.printable) }
        guard resolved else {
            _ = try entry.descriptor.variant(client.input.environment)
            let text = String(decoding: entry.document.file.bytes, as: UTF8.self)
            for line in Self.lines(of: text) { context.console.print(line.printable) }
            return context.console.print(json: identity + ["text": .string(text)])
        }
        try await showResolved(entry, sources, context, identity, ancestors: ancestors)
    }

    /// The lines of a file, without what only says how a line ends or how the file is encoded (YAML 1.2.2, 5.2 and 5.4).
    private static func lines(of text: String) -> [String] {
        var scalars = text.unicodeScalars[...]
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var lines = scalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.last == "\r" ? $0.dropLast() : $0) }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private func showResolved(
        _ entry: ProviderRegistry.Entry, _ sources: ProviderSources, _ context: CommandContext,
        _ identity: JSONObject, ancestors: [String]
    ) async throws {
        let source = try Registrations(client, sources.registry, named: [entry], context).source(for: entry.descriptor)
        let (inputs, resolved) = try await ProviderFailure(entry: entry).explaining {
            let descriptor = try entry.descriptor.variant(source.environment)
            let defaults = descriptor.defaultInputs(source.inputs, clientID: source.clientID)
            let inputs = try SimulatedInputs(for: descriptor, given: source.inputs.merging(defaults) { $1 })
            return (inputs, try descriptor.resolve(inputs: inputs.values))
        }
        for input in inputs.madeUp {
            guard !entry.descriptor.hasSecretInput(input.name) else {
                context.console.note("the input \(input.name) is secret; showing \(input.value.printable)")
                continue
            }
            let text = "the input \(input.name) has no value; using the example \(input.value.printable)"
            context.console.note("\(text) (to change it, add --input \(input.name)=VALUE)")
        }
        if !ancestors.isEmpty { context.console.note("extends \(ancestors.joined(separator: ", "))") }
        let view = ResolvedView(resolved, as: source)
        for problem in view.problems { context.console.warn(problem.printable) }
        for line in view.lines { context.console.print(line) }
        context.console.print(json: identity + view.json)
    }
}
