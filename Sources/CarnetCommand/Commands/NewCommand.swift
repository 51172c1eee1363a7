import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol
import CarnetTransport

struct NewCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Write a descriptor to start from.",
        discussion: """
            With --issuer, the command writes the descriptor from the provider's metadata document. On a terminal, it \
            asks for what it does not know. Comments mark guesses.

            Examples:
              carnet new acme --issuer https://id.acme.example --output providers
              carnet new acme > acme.yaml
            """)

    @Argument(value: "id", "The id: lower-case letters, digits and hyphens.") var id: String

    @Option(value: "url", "The issuer, exactly as the provider's metadata names it.") var issuer: String?

    @Option("output", value: "dir", "The folder for ID.yaml. Default: print the descriptor.", completion: .directory)
    var folder: String?

    @OptionGroup(title: "Connection options") var patience: PatienceOptions
    @OptionGroup(title: "Connection options") var reach: ReachOptions

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        guard DescriptorDraft(id: id, issuer: issuer) != nil else {
            throw Failure(.usage, "\"\(id)\" is not an id: use lower-case letters, digits and hyphens, at most 64")
        }
        let questions = questions(context.console)
        let issuer = if let issuer { DescriptorDraft.issuer(ofMetadata: issuer) } else { try await questions?.issuer() }
        guard var draft = DescriptorDraft(id: id, issuer: issuer) else { return }
        var metadata: JSONValue?
        if let issuer {
            metadata = try await context.console.showing("fetching the metadata of \(issuer)") {
                try await self.metadata(for: draft, context)
            }.document
            draft = DescriptorDraft(id: id, issuer: issuer, metadata: metadata) ?? draft
        }
        if let facts = try await questions?.facts(for: draft, hasIssuer: issuer != nil) {
            draft = DescriptorDraft(id: id, issuer: issuer, metadata: metadata, facts: facts) ?? draft
        }
        let missing = draft.missingEndpoints
        guard missing.isEmpty else {
            throw Failure(
                .failed,
                "the metadata of \(issuer ?? id) has no \(missing.joined(separator: " and no ")): Carnet cannot sign in with it",
                next: [
                    "if the provider documents the rest: carnet new \(id) > \(id).yaml, and add the issuer to endpoints"
                ])
        }
        guard let folder else {
            for line in draft.text.split(separator: "\n") { context.console.print(String(line)) }
            context.console.print(json: ["id": .string(id), "text": .string(draft.text)])
            return context.console.noteGuesses(in: draft.text, id)
        }
        let path = folder + "/" + id + ".yaml"
        try NewFiles.write([(path, draft.text)], in: folder, next: "remove it, or choose another id or folder")
        context.console.print(path.printable)
        context.console.print(json: ["id": .string(id), "file": .string(path)])
        context.console.noteGuesses(in: draft.text, id)
        context.console.note("next: carnet lint \(path.printable), carnet try \(path.printable)")
    }

    /// - Returns: `nil` if nobody is at a terminal.
    private func questions(_ console: Console) -> DraftQuestions? {
        guard StandardInput.isTerminal, OutputChannel.standardError.isTerminal, !console.isJSON else { return nil }
        return DraftQuestions { question in
            console.note(question)
            return try await StandardInput.line()
        } say: {
            console.note($0)
        }
    }

    private func metadata(for draft: DescriptorDraft, _ context: CommandContext) async throws -> ProviderMetadata {
        let console = context.console
        let document = DescriptorDocument(SourceFile(path: "\(draft.id).yaml", text: draft.text))
        guard let provider = try? document.descriptor?.resolve() else {
            throw Failure(.usage, "--issuer must be a URL such as https://id.example.com")
        }
        let discovery = Discovery(
            transport: reach.transport(to: provider.namedHosts, context.environment),
            limits: TransportLimits(deadline: patience.deadline), observer: console.observer)
        do {
            return try await discovery.metadata(of: provider)
        } catch let error as OAuthError {
            var failure = Failure(error)
            // There is no descriptor yet, so no key can be named.
            failure.details.removeAll { $0.name == "descriptor_key" }
            let places = ((try? ProviderMetadata.locations(for: provider)) ?? []).map(\.text)
            failure.details.append(Failure.Detail(name: "looked_at", text: places.joined(separator: " ")))
            if error.status != nil {
                failure.next = [
                    "check --issuer: it must equal the issuer in the provider's metadata in every character"
                ]
            }
            throw failure
        }
    }
}

extension Console {
    /// Says at the end what nobody knew.
    func noteGuesses(in draft: String, _ id: String) {
        let guesses = TrialSetup.guesses(in: SourceFile(path: "\(id).yaml", text: draft))
        if !guesses.isEmpty { note("guessed values have a comment in the file: \(guesses.joined(separator: ", "))") }
        guard draft.contains(DescriptorDraft.invented) else { return }
        note("nobody named the host \(id).example: replace the URLs that have it")
    }
}
