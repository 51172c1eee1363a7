import CarnetFoundation
import CarnetProtocol

/// The decisions about a file of requests, beside the expected ones.
struct DecisionTable {
    let path: String
    private var rows: [[String]] = []
    private var documents: [JSONValue] = []
    private var wrong = 0

    init(path: String) { self.path = path }

    /// - Parameters:
    ///   - place: File and line of the route.
    ///   - difference: What is wrong; `nil` if the decision is the expected one.
    ///   - document: Request and decision as JSON.
    mutating func add(
        _ request: String, line: Int, decision: String, place: String?, expected: String, difference: String?,
        document: JSONObject
    ) {
        if difference != nil { wrong += 1 }
        let row = [
            difference == nil ? "ok" : "WRONG", "\(path):\(line)", request, decision, place ?? "-", difference ?? "",
        ]
        rows.append(row.map(\.printable))
        documents.append(
            .object(
                document + [
                    "expected": .string(expected), "ok": .bool(difference == nil), "line": .number("\(line)"),
                ]))
    }

    /// - Throws: `ExitStatus` if a decision differs from the expected one.
    func print(to console: Console) throws {
        for line in Table.lines(rows) { console.print(line) }
        console.print("\(rows.count) requests, \(wrong) wrong")
        console.print(json: ["requests": .array(documents), "wrong": .number("\(wrong)")])
        if wrong > 0 { throw ExitStatus.failed }
    }
}
