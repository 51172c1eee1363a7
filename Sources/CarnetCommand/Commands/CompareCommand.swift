import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTransport

struct CompareCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare a descriptor with the provider's metadata document.",
        discussion: """
            The command requests only the metadata document of each provider. The exit status is 1 if something \
            differs. With --all, or with several providers, the command skips providers without a metadata document, and \
            providers with a required input that has no value.

            With --probe, the command asks the other endpoints too: it sends each a request of a made-up client, which a \
            working server rejects. It sends no credential. It reports endpoints that are gone, moved or different.

            Examples:
              carnet compare acme
              carnet compare acme --probe
              carnet compare providers/acme.yaml --input tenant=example
              carnet compare --all
            """)

    @Argument(value: "id|file", "Providers' ids, or descriptor files.", completion: .providersAndFiles)
    var named: [String] = []

    @Flag(help: "Compare all providers that have a metadata document.") var all = false

    @OptionGroup(title: "Probe options") var probe: ProbeOptions
    @OptionGroup(title: "Provider options") var providers: ProviderOptions
    @OptionGroup(title: "Client options") var client: ClientOptions
    @OptionGroup(title: "Connection options") var patience: PatienceOptions
    @OptionGroup(title: "Connection options") var reach: ReachOptions

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard named.isEmpty == all else { throw ValidationError("compare needs either providers or --all") }
        guard probe.isOn else { return }
        try refuse([("--verbose", output.verbose)], beside: "--probe", "it prints the outcomes alone")
    }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        let sources = try ProviderSources(
            providers, context, isQuiet: !all && named.allSatisfy(ProviderSources.isFile))
        let entries = all ? sources.registry.entries : try named.map { try sources.entry(nameOrFile: $0, console) }
        let registrations = try Registrations(client, sources.registry, named: entries, context)
        guard !probe.isOn else {
            return try await probe.run(
                entries, registrations, deadline: patience.deadline, isSingle: entries.count == 1 && !all, console
            ) {
                reach.transport(to: $0.namedHosts, context.environment)
            }
        }
        guard !all, entries.count == 1, let entry = entries.first else {
            return try await compare(entries, registrations, context)
        }
        let drift = try await ProviderFailure(entry: entry).explaining {
            let provider = try registrations.trustedProvider(of: entry.descriptor)
            guard provider.hasMetadata else {
                throw Failure(
                    .usage, "\(provider.name) has no metadata document to compare with",
                    details: [Failure.Detail(name: "descriptor_key", text: "issuer")],
                    next: ["add issuer or discovery_url, if the provider has a metadata document"])
            }
            return try await compare(provider, context.environment, console)
        }
        let document = show(drift, entry, console)
        console.print(json: document)
        guard drift.isEmpty else { throw ExitStatus.failed }
    }

    /// Compares one after another: a provider that cannot be reached is reported, and the next is compared.
    private func compare(
        _ entries: [ProviderRegistry.Entry], _ registrations: Registrations, _ context: CommandContext
    ) async throws {
        let console = context.console
        var documents: [JSONValue] = []
        var differs = false
        var failures = ComparisonFailures()
        let comparable = entries.compactMap { entry -> (entry: ProviderRegistry.Entry, provider: Provider)? in
            guard let provider = try? registrations.trustedProvider(of: entry.descriptor), provider.hasMetadata
            else { return nil }
            return (entry, provider)
        }
        let used = Set(comparable.map(\.entry.descriptor.id))
        let skipped = entries.map(\.descriptor.id).filter { !used.contains($0) }.map(\.rawValue)
        for (number, (entry, provider)) in comparable.enumerated() {
            let id = entry.descriptor.id.rawValue
            do {
                let progress = "\(number + 1) of \(comparable.count)"
                let drift = try await compare(provider, context.environment, console, progress)
                documents.append(.object(show(drift, entry, console)))
                differs = differs || !drift.isEmpty
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                failures.add(error, of: id)
                documents.append(["id": .string(id), "error": .string("\(error)")])
            }
        }
        for line in failures.lines { console.warn(line.printable) }
        let counts = [
            (comparable.count - failures.count, "compared"), (failures.count, "failed"), (skipped.count, "skipped"),
        ]
        console.print(
            counts.filter { $0.0 > 0 || $0.1 == "compared" }.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
        console.print(json: ["providers": .array(documents), "skipped": .list(skipped)])
        if differs || failures.count > 0 { throw ExitStatus.failed }
    }

    private func compare(
        _ provider: Provider, _ environment: HostEnvironment, _ console: Console, _ progress: String? = nil
    ) async throws -> [MetadataDrift] {
        let discovery = Discovery(
            transport: reach.transport(to: provider.namedHosts, environment),
            limits: TransportLimits(deadline: patience.deadline), observer: console.observer)
        let place = progress.map { " (\($0))" } ?? ""
        return try await console.showing("fetching the metadata of \(provider.name.printable)\(place)") {
            try await discovery.metadata(of: try await discovery.found(provider))
        }.drift(from: provider)
    }

    /// - Returns: The same as a document.
    private func show(_ drift: [MetadataDrift], _ entry: ProviderRegistry.Entry, _ console: Console) -> JSONObject {
        let file = entry.document.file.path
        let findings = drift.map { finding -> JSONValue in
            let start = entry.document.span(of: finding.key.split(separator: ".").map(String.init)).start
            let text = "\(finding.severity.rawValue): \(finding.key): \(finding.message.printable)"
            console.print("\(file.printable):\(start.line):\(start.column): \(text)")
            return [
                "severity": .string(finding.severity.rawValue), "descriptor_key": .string(finding.key),
                "message": .string(finding.message), "file": .string(file),
                "line": .number(String(start.line)), "column": .number(String(start.column)),
            ]
        }
        if drift.isEmpty {
            console.print("the metadata of \(entry.descriptor.name.printable) agrees with the descriptor")
        }
        return ["id": .string(entry.descriptor.id.rawValue), "drift": .array(findings)]
    }
}

extension ProviderSections {
    fileprivate var hasMetadata: Bool { issuer != nil || discoveryURL != nil || resource != nil }
}

/// Why providers could not be compared. A cause that many share, such as a missing network, is said once.
private struct ComparisonFailures {
    private var causes: [(cause: String, reasons: [String])] = []
    private(set) var count = 0

    mutating func add(_ error: any Error, of id: String) {
        count += 1
        let reason = (error as? OAuthError)?.message ?? "\(error)"
        // The server differs, and says nothing about the cause.
        var words = reason.split(separator: " ").map(String.init)
        for index in words.indices.dropFirst() where words[index - 1] == "to" && words[index].contains(".") {
            words[index] = words[index].hasSuffix(":") ? "the server:" : "the server"
        }
        let cause = words.joined(separator: " ")
        if let index = causes.firstIndex(where: { $0.cause == cause }) {
            causes[index].reasons.append(id)
        } else {
            causes.append((cause, ["\(id): \(reason)", id]))
        }
    }

    var lines: [String] {
        causes.map { cause, reasons in
            let ids = reasons.dropFirst()
            return ids.count == 1 ? reasons[0] : "\(ids.count) providers: \(cause): \(ids.joined(separator: ", "))"
        }
    }
}
