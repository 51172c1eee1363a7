import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import HTTPTypes
import Logging

struct GatewayCheckCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether the gateway can start, or print what it decides about a request.",
        discussion: """
            With a file alone, the command checks secrets, keys, inputs and store. The gateway may be running.

            Examples:
              carnet gateway check gateway.yaml
              carnet gateway check gateway.yaml --online
              carnet gateway check gateway.yaml GET https://apps.example/admin
              carnet gateway check gateway.yaml GET https://apps.example/admin --as provider=acme groups=ops
              carnet gateway check gateway.yaml --requests requests.yaml
            """)

    @Argument(help: ArgumentHelp("The gateway file.", valueName: "file"), completion: .yamlFile)
    var file: String

    @Argument(help: ArgumentHelp("The method of a request.", valueName: "method"))
    var method: String?

    @Argument(help: ArgumentHelp("The absolute URL of the request.", valueName: "url"))
    var url: String?

    @Option(
        name: .customLong("as"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "The sender: a YAML file, or values such as provider=acme email=a@b.example email_verified=true groups=ops. "
                + "Default: nobody.", valueName: "account"),
        completion: .file())
    var account: [String] = []

    @Option(
        help: ArgumentHelp(
            "A YAML file of requests with expected decisions, instead of one request.", valueName: "file"),
        completion: .yamlFile)
    var requests: String?

    @Flag(help: "With a file alone, also request the metadata and keys of its providers.")
    var online = false

    @OptionGroup var sources: GatewaySources
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if let method, url == nil, method.contains("://") {
            throw ValidationError(
                "the method of the request is missing; write: carnet gateway check \(file.shellWord) GET \(method.shellWord)"
            )
        }
        guard method == nil || url != nil else { throw ValidationError("a request is a method and a URL") }
        guard requests == nil || method == nil && account.isEmpty else {
            throw ValidationError("--requests has the requests and their senders; leave out the others")
        }
        guard !online || method == nil && requests == nil else {
            throw ValidationError("--online checks the file alone; leave out the request")
        }
        guard method != nil || account.isEmpty else { throw ValidationError("--as needs a method and a URL") }
    }

    /// - Throws: `Failure`; `ExitStatus` if a request is refused, or a decision differs from the expected one.
    func run(_ context: CommandContext) async throws {
        guard method != nil || requests != nil else { return try await checkStart(context) }
        let console = context.console
        let registry = try ProviderSources(sources.providers, context).registry
        let source = try SourceFile(readingFrom: file)
        let read = GatewayFile(source)
        guard read.rules != nil else { throw Failure(diagnostics: read.diagnostics, in: source, console) }
        let gateway = try Gateway(read, knowing: registry)
        if let requests { return try runTable(requests, gateway, console) }
        let request = try reading(console, try CheckedGatewayRequest(method: method ?? "", url: url ?? ""))
        let decision = gateway.decide(request.forwarded, as: try account(console)?.identity(in: gateway))
        let row = [
            decision.isAllowed ? "allowed" : "refused (\(decision.outcome.rawValue))", decision.place?.printable ?? "-",
            decision.route?.title?.printable ?? "-", decision.reason.printable,
        ]
        for line in Table.lines([row]) { console.print(line) }
        for header in decision.headers { console.print("  \(header.name.rawName): \(header.value)".printable) }
        console.print(json: Self.json(request, decision))
        if !decision.isAllowed { throw ExitStatus.failed }
    }

    /// Whether a gateway can start with the file: with its secrets, keys, inputs and store.
    private func checkStart(_ context: CommandContext) async throws {
        let console = context.console
        let logger = Logger(label: "carnet.gateway") { _ in ConsoleLogHandler(console) }
        let summary: GatewayLoader.Summary
        var failures: [Failure] = []
        do {
            let loader = try sources.loader(file, context, logger: logger)
            summary = try await loader.check()
            if online { failures = await loader.failures(of: summary) }
        } catch let error as GatewayMistakes {
            throw error.failure(console)
        }
        summary.report(console)
        for provider in summary.rules.providers where provider.returnsAfterSignOut {
            let uri = summary.rules.origin.site + GatewayPaths.signedOut
            console.note("register the post-logout redirect URI \(uri) at \(provider.id)")
        }
        console.print("\(file): \(summary.line)".printable)
        console.print(
            json: [
                "file": .string(file), "origin": .string(summary.rules.origin.site),
                "providers": .list(summary.rules.providers.map(\.id.rawValue)),
                "routes": .number("\(summary.rules.routes.count)"), "store": .string(summary.store),
                "findings": .list(summary.findings.map(\.description)), "unavailable": .list(failures.map(\.summary)),
            ])
        for failure in failures { console.note(failure) }
        if !failures.isEmpty || summary.findings.contains(where: { $0.severity == .error }) { throw ExitStatus.failed }
    }

    private func account(_ console: Console) throws -> CheckedAccount? {
        guard let first = account.first else { return nil }
        guard account.count == 1, !first.contains("=") else {
            return try reading(console, try CheckedAccount(values: account))
        }
        return try reading(console, try CheckedAccount(try SourceFile(readingFrom: first)))
    }

    private func runTable(_ path: String, _ gateway: Gateway, _ console: Console) throws {
        let requests = try reading(console, try ExpectedDecisions(try SourceFile(readingFrom: path)))
        var table = DecisionTable(path: path)
        for row in requests.rows {
            let decision = requests.decision(of: row, by: gateway)
            table.add(
                "\(row.request.method) \(row.request.url)", line: row.line, decision: decision.outcome.rawValue,
                place: decision.place, expected: row.expected, difference: row.difference(from: decision),
                document: Self.json(row.request, decision))
        }
        try table.print(to: console)
    }

    private func reading<Value>(_ console: Console, _ value: @autoclosure () throws -> Value) throws -> Value {
        do {
            return try value()
        } catch let error as GatewayFileMistake {
            guard let file = error.file else {
                throw Failure(.usage, error.reason, next: ["see carnet gateway check --help"])
            }
            throw Failure(diagnostics: error.diagnostics, in: file, console)
        }
    }

    private static func json(_ request: CheckedGatewayRequest, _ decision: GatewayDecision) -> JSONObject {
        [
            "method": .string(request.method), "url": .string(request.url),
            "decision": .string(decision.isAllowed ? "allowed" : "refused"),
            "outcome": .string(decision.outcome.rawValue), "reason": .string(decision.reason),
            "title": .optional(decision.route?.title), "place": .optional(decision.place),
            "missing": .list(decision.missing.map { $0.phrase() }),
            "headers": .object(JSONObject(decision.headers.map { Named($0.name.rawName, .string($0.value)) })),
            "absent_headers": .list(decision.absentHeaders.map(\.rawName)),
        ]
    }
}
