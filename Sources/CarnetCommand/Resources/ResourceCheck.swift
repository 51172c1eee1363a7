import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// `carnet resources check`: what a resource server decides, without a server.
struct ResourceCheck {
    let options: CheckOptions
    let console: Console

    static let usage = "carnet resources check FILE METHOD PATH, or FILE --requests REQUESTS"

    /// - Parameter arguments: A map, a method and a path.
    /// - Throws: `Failure`; `ExitStatus` if a request is refused, or a decision differs from the expected one.
    func run(_ arguments: [String]) throws {
        guard let path = arguments.first, arguments.count == (options.requests == nil ? 3 : 1) else {
            throw Failure(.usage, "check takes a resource map and a request", next: [Self.usage])
        }
        let file = try SourceFile(readingFrom: path)
        let map = ResourceMapFile(file)
        guard !map.diagnostics.contains(where: { $0.severity == .error }) else {
            throw Failure(diagnostics: map.diagnostics, in: file, console)
        }
        let (table, problems) = RouteTable.reading(map.entries, hosts: map.hosts)
        if let problem = problems.first {
            throw Failure(
                .usage, "\(map.place(of: problem.index)): \(problem.reason)", next: ["run carnet lint \(path)"])
        }
        let now = SystemWallClock().now
        if let requests = options.requests {
            try runTable(ExpectedRequests(try SourceFile(readingFrom: requests)), requests, table, map, now)
            return
        }
        let request = CheckedRequest(
            method: arguments[1], target: arguments[2], host: options.host,
            scopes: options.withoutToken
                ? nil : options.scopes.flatMap { $0.split { " ,".contains($0) }.map(String.init) },
            claims: try options.claimObject())
        let decision = request.decision(by: table, now: now)
        let place = decision.index.map(map.place(of:))
        var row = [decision.word, "\(decision.status)"]
        if let place, let title = decision.title { row += [place.printable, title.printable] }
        for line in Table.lines([row + [decision.reason.printable]]) { console.print(line) }
        console.print(json: Self.json(request, decision, place))
        if !decision.isAllowed { throw ExitStatus.failed }
    }

    private func runTable(
        _ requests: ExpectedRequests, _ path: String, _ table: RouteTable, _ map: ResourceMapFile, _ now: Date
    ) throws {
        var rows: [[String]] = []
        var documents: [JSONValue] = []
        var wrong = 0
        for row in requests.rows {
            let decision = row.request.decision(by: table, now: now)
            let isMet = row.isMet(by: decision)
            if !isMet { wrong += 1 }
            let place = decision.index.map(map.place(of:))
            rows.append([
                isMet ? "ok" : "WRONG", "\(path):\(row.line)".printable,
                "\(row.request.method) \(row.request.target)".printable, "\(decision.word) \(decision.status)",
                (place ?? "-").printable, isMet ? "" : "expected \(row.expected): \(decision.reason)".printable,
            ])
            documents.append(
                .object(
                    Self.json(row.request, decision, place)
                        + JSONObject([
                            "expected": .string(row.expected), "ok": .bool(isMet), "line": .number("\(row.line)"),
                        ])))
        }
        for line in Table.lines(rows) { console.print(line) }
        console.print("\(requests.rows.count) requests, \(wrong) wrong")
        console.print(json: JSONObject(["requests": .array(documents), "wrong": .number("\(wrong)")]))
        if wrong > 0 { throw ExitStatus.failed }
    }

    private static func json(
        _ request: CheckedRequest, _ decision: CheckedRequest.Decision, _ place: String?
    ) -> JSONObject {
        JSONObject([
            "method": .string(request.method), "path": .string(request.target), "decision": .string(decision.word),
            "status": .number("\(decision.status)"), "reason": .string(decision.reason),
            "title": decision.title.map(JSONValue.string) ?? .null, "place": place.map(JSONValue.string) ?? .null,
        ])
    }
}

extension ResourceMapFile {
    /// File and line of an entry.
    func place(of index: Int) -> String { "\(path):\(places[index].entry.start.line)" }
}
