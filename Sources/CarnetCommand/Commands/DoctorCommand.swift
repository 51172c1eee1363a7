import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetHTTP
import CarnetProtocol

struct DoctorCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Compare a descriptor with the provider's own metadata document, live.",
        discussion: "Nothing is sent but a request for the document. Exit status 1 says that something differs."
    )

    @Argument(help: ArgumentHelp("A provider's id, or a descriptor file.", valueName: "id|file"))
    var provider: String

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let console = context.console
        let sources = try ProviderSources(providers, environment: context.environment)
        let entry = try sources.entry(nameOrFile: provider, console)
        let inputs = try Registrations(client, context).source(for: entry.descriptor).inputs
        let drift = try await ProviderFailure(entry: entry).explaining {
            let provider = try entry.descriptor.resolve(inputs: inputs)
            guard provider.issuer != nil || provider.discoveryURL != nil else {
                throw Failure(
                    .usage,
                    "\(provider.name) has no metadata to be compared with",
                    details: [Failure.Detail(name: "descriptor_key", text: "issuer")],
                    next: ["add issuer or discovery_url, if the provider has a metadata document"]
                )
            }
            let discovery = Discovery(
                transport: AsyncHTTPTransport(localAccess: .named(by: provider)),
                observer: console.isVerbose ? VerboseObserver(console: console) : nil
            )
            return try await console.showing("fetching the metadata of \(provider.name)") {
                try await discovery.metadata(of: provider)
            }.drift(from: provider)
        }
        let file = entry.document.file.path
        for finding in drift {
            let start = place(of: finding, in: entry)
            console.answer(
                "\(file.printable):\(start.line):\(start.column): \(finding.severity.rawValue): "
                    + "\(finding.key): \(finding.message.printable)"
            )
        }
        if drift.isEmpty { console.answer("\(entry.descriptor.name.printable) is as its descriptor says") }
        console.answer(json: document(drift, entry))
        guard drift.isEmpty else { throw ExitStatus.failed }
    }

    private func place(of drift: MetadataDrift, in entry: ProviderRegistry.Entry) -> SourcePosition {
        entry.document.span(of: drift.key.split(separator: ".").map(String.init)).start
    }

    private func document(_ drift: [MetadataDrift], _ entry: ProviderRegistry.Entry) -> JSONObject {
        let findings = drift.map { finding -> JSONValue in
            let start = place(of: finding, in: entry)
            return [
                "severity": .string(finding.severity.rawValue), "descriptor_key": .string(finding.key),
                "message": .string(finding.message), "file": .string(entry.document.file.path),
                "line": .number(String(start.line)), "column": .number(String(start.column)),
            ]
        }
        return JSONObject(["id": .string(entry.descriptor.id.rawValue), "drift": .array(findings)])
    }
}
