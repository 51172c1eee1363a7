import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTransport

struct CompareCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare a descriptor with the provider's metadata document.",
        discussion: """
            The command requests only the metadata document of each provider. The exit status is 1 if something \
            differs. With --all, or with several providers, the command skips providers without a metadata document, and \
            providers with a required input that has no value.

            Examples:
              carnet compare acme
              carnet compare providers/acme.yaml --input tenant=example
              carnet compare --all
            """
    )

    @Argument(
        help: ArgumentHelp("Providers' ids, or descriptor files.", valueName: "id|file"), completion: .providerIDs)
    var named: [String] = []

    @Flag(help: "Compare all providers that have a metadata document.")
    var all = false

    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Connection options") var reach: ReachOptions

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard named.isEmpty == all else { throw ValidationError("compare needs either providers or --all") }
    }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        let sources = try ProviderSources(
            providers, context, isQuiet: !all && named.allSatisfy(ProviderSources.isFile))
        let entries = all ? sources.registry.entries : try named.map { try sources.entry(nameOrFile: $0, console) }
        let registrations = try Registrations(client, sources.registry, context)
        guard !all, entries.count == 1, let entry = entries.first else {
            return try await compare(entries, registrations, context)
        }
        let inputs = try registrations.trustedInputs(for: entry.descriptor)
        let drift = try await ProviderFailure(entry: entry).explaining {
            let provider = try entry.descriptor.resolve(inputs: inputs)
            guard provider.hasMetadata else {
                throw Failure(
                    .usage,
                    "\(provider.name) has no metadata document to compare with",
                    details: [Failure.Detail(name: "descriptor_key", text: "issuer")],
                    next: ["add issuer or discovery_url, if the provider has a metadata document"]
                )
            }
            return try await compare(provider, context.environment, console)
        }
        show(drift, entry, console)
        console.print(json: document(drift, entry))
        guard drift.isEmpty else { throw ExitStatus.failed }
    }

    /// Compares one after another: a provider that cannot be reached is reported, and the next is compared.
    private func compare(
        _ entries: [ProviderRegistry.Entry], _ registrations: Registrations, _ context: CommandContext
    ) async throws {
        let console = context.console
        var documents: [JSONValue] = []
        var skipped: [String] = []
        var isFailed = false
        for entry in entries {
            let descriptor = entry.descriptor
            guard let inputs = try? registrations.trustedInputs(for: descriptor),
                let provider = try? descriptor.resolve(inputs: inputs), provider.hasMetadata
            else {
                skipped.append(descriptor.id.rawValue)
                continue
            }
            do {
                let drift = try await compare(provider, context.environment, console)
                show(drift, entry, console)
                documents.append(.object(document(drift, entry)))
                isFailed = isFailed || !drift.isEmpty
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                isFailed = true
                let reason = "\(error)"
                console.warn("\(descriptor.id): \(reason.printable)")
                documents.append(["id": .string(descriptor.id.rawValue), "error": .string(reason)])
            }
        }
        console.print("\(documents.count) compared, \(skipped.count) skipped")
        console.print(json: JSONObject(["providers": .array(documents), "skipped": .list(skipped)]))
        if isFailed { throw ExitStatus.failed }
    }

    private func compare(
        _ provider: Provider, _ environment: HostEnvironment, _ console: Console
    ) async throws -> [MetadataDrift] {
        let discovery = Discovery(
            transport: reach.transport(to: provider, environment),
            observer: console.isVerbose ? VerboseObserver(console: console) : nil
        )
        return try await console.showing("fetching the metadata of \(provider.name.printable)") {
            try await discovery.metadata(of: provider)
        }.drift(from: provider)
    }

    private func show(_ drift: [MetadataDrift], _ entry: ProviderRegistry.Entry, _ console: Console) {
        let file = entry.document.file.path
        for finding in drift {
            let start = place(of: finding, in: entry)
            console.print(
                "\(file.printable):\(start.line):\(start.column): \(finding.severity.rawValue): "
                    + "\(finding.key): \(finding.message.printable)"
            )
        }
        if drift.isEmpty {
            console.print("the metadata of \(entry.descriptor.name.printable) agrees with the descriptor")
        }
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

extension ProviderSections {
    fileprivate var hasMetadata: Bool { issuer != nil || discoveryURL != nil }
}
