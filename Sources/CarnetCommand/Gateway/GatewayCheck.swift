import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import HTTPTypes

/// The sender of the request that `carnet gateway check` decides about.
struct GatewayCheckOptions: ParsableArguments {
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
}

/// `carnet gateway check`: what a gateway decides, without a server.
struct GatewayCheck {
    let options: GatewayCheckOptions
    let registry: ProviderRegistry
    let console: Console

    static let usage = "carnet gateway check FILE, FILE METHOD URL, or FILE --requests REQUESTS"

    init(options: GatewayCheckOptions, _ registry: ProviderRegistry, _ context: CommandContext) {
        self.options = options
        self.registry = registry
        console = context.console
    }

    /// - Parameter arguments: A gateway file, a method and a URL.
    /// - Throws: `Failure`; `ExitStatus` if a request is refused, or a decision differs from the expected one.
    func run(_ arguments: [String]) throws {
        guard let path = arguments.first, arguments.count == (options.requests == nil ? 3 : 1) else {
            if arguments.count == 2, options.requests == nil, arguments[1].contains("://") {
                throw Failure(
                    .usage, "the method of the request is missing",
                    next: [
                        "write: carnet gateway check \(arguments[0].shellWord) GET \(arguments[1].shellWord)",
                        Self.usage,
                    ])
            }
            throw Failure(.usage, "check takes a gateway file and a request", next: [Self.usage])
        }
        let source = try SourceFile(readingFrom: path)
        let file = GatewayFile(source)
        guard file.rules != nil else { throw Failure(diagnostics: file.diagnostics, in: source, console) }
        let gateway = try Gateway(file, knowing: registry)
        if let requests = options.requests { return try runTable(requests, gateway) }
        let request = try reading { () throws(GatewayFileMistake) in
            try CheckedGatewayRequest(method: arguments[1], url: arguments[2])
        }
        let decision = gateway.decide(request.forwarded, as: try account()?.identity(in: gateway))
        let row = [
            decision.isAllowed ? "allowed" : "refused (\(decision.outcome.rawValue))", decision.place?.printable ?? "-",
            decision.route?.title?.printable ?? "-", decision.reason.printable,
        ]
        for line in Table.lines([row]) { console.print(line) }
        for header in decision.headers { console.print("  \(header.name.rawName): \(header.value)".printable) }
        console.print(json: Self.json(request, decision))
        if !decision.isAllowed { throw ExitStatus.failed }
    }

    private func account() throws -> CheckedAccount? {
        guard let first = options.account.first else { return nil }
        guard options.account.count == 1, !first.contains("=") else {
            return try reading { () throws(GatewayFileMistake) in try CheckedAccount(values: options.account) }
        }
        let file = try SourceFile(readingFrom: first)
        return try reading { () throws(GatewayFileMistake) in try CheckedAccount(file) }
    }

    private func runTable(_ path: String, _ gateway: Gateway) throws {
        let source = try SourceFile(readingFrom: path)
        let requests = try reading { () throws(GatewayFileMistake) in try ExpectedDecisions(source) }
        var rows: [[String]] = []
        var documents: [JSONValue] = []
        var wrong = 0
        for row in requests.rows {
            let decision = requests.decision(of: row, by: gateway)
            let difference = row.difference(from: decision)
            if difference != nil { wrong += 1 }
            rows.append([
                difference == nil ? "ok" : "WRONG", "\(path):\(row.line)".printable,
                "\(row.request.method) \(row.request.url)".printable, decision.outcome.rawValue,
                (decision.place ?? "-").printable, (difference ?? "").printable,
            ])
            documents.append(
                .object(
                    Self.json(row.request, decision)
                        + JSONObject([
                            "expected": .string(row.expected), "ok": .bool(difference == nil),
                            "line": .number("\(row.line)"),
                        ])))
        }
        for line in Table.lines(rows) { console.print(line) }
        console.print("\(requests.rows.count) requests, \(wrong) wrong")
        console.print(json: JSONObject(["requests": .array(documents), "wrong": .number("\(wrong)")]))
        if wrong > 0 { throw ExitStatus.failed }
    }

    private func reading<Value>(_ body: () throws(GatewayFileMistake) -> Value) throws -> Value {
        do throws(GatewayFileMistake) {
            return try body()
        } catch {
            guard let file = error.file else { throw Failure(.usage, error.reason, next: [Self.usage]) }
            throw Failure(diagnostics: error.diagnostics, in: file, console)
        }
    }

    private static func json(_ request: CheckedGatewayRequest, _ decision: GatewayDecision) -> JSONObject {
        JSONObject([
            "method": .string(request.method), "url": .string(request.url),
            "decision": .string(decision.isAllowed ? "allowed" : "refused"),
            "outcome": .string(decision.outcome.rawValue), "reason": .string(decision.reason),
            "title": .optional(decision.route?.title), "place": .optional(decision.place),
            "missing": .list(decision.missing.map { $0.phrase() }),
            "headers": .object(
                JSONObject(decision.headers.map { Named($0.name.rawName, JSONValue.string($0.value)) })),
            "absent_headers": .list(decision.absentHeaders.map(\.rawName)),
        ])
    }
}
