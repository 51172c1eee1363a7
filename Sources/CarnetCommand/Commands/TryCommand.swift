import ArgumentParser
import CarnetDemo
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct TryCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Sign in to a sandbox that simulates the provider: no browser, no network, no account.",
        discussion: """
            Every step is shown with its request and response; secrets are redacted unless --show-secrets is given. The exit \
            status is 0 only if every step succeeded. Inputs without a value are filled with the descriptor's examples.

            Examples:
              carnet try acme
              carnet try providers/acme.yaml
              carnet try acme --input tenant=example
              carnet try acme --show-secrets
              carnet try acme --diagram svg > sign-in.svg
            """)

    @Argument(value: "id|file", "A provider's id, or a descriptor file.", completion: .providersAndFiles)
    var provider: String

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Provider options") var input: InputOptions

    @Option("redirect-uri", value: "uri", "The test client's redirect URI.") var redirectURI: String?

    @Flag(help: "Show the codes, tokens and secrets of the simulated sign-in. They open nothing.")
    var showSecrets = false

    @Option(
        value: "text|svg", "Print only a sequence diagram of the sign-in: text for a terminal, svg for a document.")
    var diagram: SequenceDiagram.Format?

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard diagram != nil else { return }
        try refuse(
            [("--json", output.json), ("--show-secrets", showSecrets)], beside: "--diagram",
            "the diagram is all that is printed")
    }

    func run(_ context: CommandContext) async throws {
        let sources = try ProviderSources(providers, context, isQuiet: ProviderSources.isFile(provider))
        let entry = try sources.entry(nameOrFile: provider, context.console)
        try TrialSetup.check(entry, among: sources.registry)
        try await ProviderFailure(entry: entry).explaining {
            let setup = try TrialSetup(
                entry, inputs: try input.values(for: entry.descriptor, context.environment, context.console),
                environment: input.environment, redirectURI: redirectURI)
            if let diagram {
                try await draw(diagram, setup, context)
            } else {
                try await run(setup, context)
            }
        }
    }

    private func draw(_ format: SequenceDiagram.Format, _ setup: TrialSetup, _ context: CommandContext) async throws {
        let console = context.console
        var steps: [TrialStep] = []
        // The picture has the beginnings of the code verifier and its challenge, and nothing else that is secret.
        let result = await (try Trial(setup, showsSecrets: true) { steps.append($0) }).run()
        let diagram = SequenceDiagram(of: steps)
        switch format {
        case .svg:
            let file = diagram.svgFile(title: "Sign-in with \(setup.provider.name)")
            console.print(bytes: Array((file.text + "\n").utf8))
        case .text:
            for line in diagram.text(width: TerminalWidth.forHelp(context.environment)) { console.print(line) }
        }
        for case .failed(let failure) in steps.map(\.outcome) { console.report(failure) }
        if result.hasFailed { throw ExitStatus.failed }
    }

    private func run(_ setup: TrialSetup, _ context: CommandContext) async throws {
        let console = context.console
        let text = TrialText(console, columns: TerminalWidth.columns(of: .standardOutput, context.environment))
        text.printHead(setup)
        var steps: [JSONValue] = []
        let trial = try Trial(setup, showsSecrets: showSecrets) { step in
            text.show(step, number: steps.count + 1)
            steps.append(step.json(number: steps.count + 1))
        }
        let result = await trial.run()
        text.printSummary(result, of: setup)
        console.print(json: document(setup, steps, result))
        if result.hasFailed { throw ExitStatus.failed }
    }

    private func document(_ setup: TrialSetup, _ steps: [JSONValue], _ result: TrialResult) -> JSONObject {
        let inputs = setup.provider.inputs.sorted { $0.key < $1.key }.map { Named($0.key, JSONValue.string($0.value)) }
        return [
            "provider": .string(setup.provider.id.rawValue), "ok": .bool(!result.hasFailed),
            "client_id": .string(setup.client.registration.clientID),
            "redirect_uri": .string(setup.client.registration.redirectURI), "inputs": .object(JSONObject(inputs)),
            "guessed": .list(setup.guesses), "simulated": .list(setup.assumptions(of: result)),
            "example_inputs": .list(setup.examples.map(\.name)), "steps": .array(steps),
            "scopes": ["requested": .list(result.requested), "granted": .list(result.granted)],
            "profile": .object(JSONObject(result.profile)), "resources": .array(result.resources.map(\.json)),
        ]
    }
}
