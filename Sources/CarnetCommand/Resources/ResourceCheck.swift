import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct ResourcesCheckCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Print what a server with a resource map decides about a request.",
        discussion: """
            Examples:
              carnet resources check resources.yaml GET /accounts/5 --scopes accounts
              carnet resources check resources.yaml --requests requests.yaml
            """)

    @Argument(value: "file", "The resource map.", completion: .yamlFile) var file: String

    @Argument(value: "method", "The method of a request.") var method: String?

    @Argument(value: "path", "The path of the request.") var target: String?

    @Option(parsing: .upToNextOption, help: ArgumentHelp("The scopes of the token.", valueName: "scope"))
    var scopes: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Claims of the token. A value may be JSON, such as a list.", valueName: "name=value"))
    var claims: [String] = []

    @Option(value: "host", "The host of the request, with its port.") var host: String?

    @Flag(help: "The request has no token.") var withoutToken = false

    @Option(
        value: "file", "A YAML or JSON file of requests with expected decisions, instead of one.", completion: .file())
    var requests: String?

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func validate() throws {
        let isOne = (requests == nil) == (target != nil) && (requests == nil || method == nil)
        try refuse(if: !isOne, "the command takes a method and a path, or --requests")
    }

    /// - Throws: `Failure`; `ExitStatus` if a request is refused, or a decision differs from the expected one.
    func run(_ context: CommandContext) async throws {
        let console = context.console
        let map = try ResourceMapFile(readingFrom: file, console)
        let (table, problems) = RouteTable.reading(map.entries, hosts: map.hosts)
        if let problem = problems.first {
            throw Failure(
                .usage, "\(map.place(of: problem.index)): \(problem.reason)", next: ["run carnet lint \(file)"])
        }
        let now = SystemWallClock().now
        if let requests {
            var rows = DecisionTable(path: requests)
            for row in try ExpectedRequest.all(in: try SourceFile(readingFrom: requests)) {
                let decision = row.request.decision(by: table, now: now)
                let place = decision.index.map(map.place(of:))
                rows.add(
                    "\(row.request.method) \(row.request.target)", line: row.line,
                    decision: "\(decision.word) \(decision.status)", place: place, expected: row.expected,
                    difference: row.isMet(by: decision) ? nil : "expected \(row.expected): \(decision.reason)",
                    document: Self.json(row.request, decision, place))
            }
            return try rows.print(to: console)
        }
        let request = CheckedRequest(
            method: method ?? "", target: target ?? "", host: host,
            scopes: withoutToken ? nil : scopes.flatMap { $0.split { " ,".contains($0) }.map(String.init) },
            claims: try claimObject())
        let decision = request.decision(by: table, now: now)
        let place = decision.index.map(map.place(of:))
        var row = [decision.word, "\(decision.status)"]
        if let place, let title = decision.title { row += [place.printable, title.printable] }
        for line in Table.lines([row + [decision.reason.printable]]) { console.print(line) }
        console.print(json: Self.json(request, decision, place))
        if !decision.isAllowed { throw ExitStatus.failed }
    }

    /// - Throws: `ValidationError`.
    private func claimObject() throws -> JSONObject {
        var object = JSONObject()
        for claim in claims {
            guard let equals = claim.utf8.firstIndex(of: UInt8(ascii: "=")), equals > claim.startIndex else {
                throw ValidationError("--claims takes NAME=VALUE, not \(claim)")
            }
            let text = String(claim[equals...].dropFirst())
            object[String(claim[..<equals])] = (try? JSONValue(parsing: text)) ?? .string(text)
        }
        return object
    }

    private static func json(
        _ request: CheckedRequest, _ decision: CheckedRequest.Decision, _ place: String?
    ) -> JSONObject {
        [
            "method": .string(request.method), "path": .string(request.target), "decision": .string(decision.word),
            "status": .number("\(decision.status)"), "reason": .string(decision.reason),
            "title": .optional(decision.title), "place": .optional(place),
        ]
    }
}

extension ResourceMapFile {
    /// File and line of an entry.
    func place(of index: Int) -> String { "\(path):\(places[index].entry.start.line)" }
}
