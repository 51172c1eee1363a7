import BenchmarkSubjects
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol
import Foundation

/// How the cost grows with the work: the exponent is 1 where twice the work costs twice as much.
enum Growth {
    private static let sizes = [1, 10, 100, 1000]

    static func rows() async throws -> [Row] {
        try [
            row("linting files") { size in
                let files = (1...size).map { SourceFile(path: "acme\($0).yaml", text: DescriptorCorpus.descriptor($0)) }
                return { _ = Linter().lint(files: files) }
            },
            row("linting a file with more scopes") { size in
                let scopes = (1...size).map { "    - { id: scope\($0), title: Scope \($0) }\n" }.joined()
                let text =
                    "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\nscopes:\n  default: [openid]\n"
                    + "  catalog:\n    - openid\n" + scopes
                let files = [SourceFile(path: "acme.yaml", text: text)]
                return { _ = Linter().lint(files: files) }
            },
            row("matching a pattern with a longer value") { size in
                let pattern = try ValuePattern("([a-z]+-?)*[0-9]")
                let value = String(repeating: "a-", count: size)
                return { _ = pattern.matches(value) }
            },
            row("parsing JSON with more members") { size in
                let members = (1...size).map { #""member\#($0)":{"name":"value \#($0)"}"# }.joined(separator: ",")
                let bytes = Array("{\(members)}".utf8)
                return { _ = try JSONValue(parsing: bytes) }
            },
            row("resources of more granted scopes") { size in
                let scopes = (1...size).map { "scope\($0)" }
                let entries = scopes.map {
                    "  - { id: \($0), title: \($0), scope: \($0), url: \"https://api.acme.example/\($0)\" }\n"
                }
                let text =
                    "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\nresources:\n" + entries.joined()
                guard
                    let provider = try DescriptorDocument(SourceFile(path: "acme.yaml", text: text)).descriptor?
                        .resolve()
                else { throw BenchmarkFailure(reason: "the descriptor of the resources is broken") }
                let map = ResourceMap(of: provider)
                return { _ = map.access(granted: scopes) }
            },
        ]
    }

    private static func row(
        _ work: String, _ prepare: (Int) throws -> () throws -> Void
    ) throws -> Row {
        let bodies = try sizes.map(prepare)
        let exponents = try (0..<5).map { _ in
            exponent(try zip(sizes, bodies).map { size, body in (Double(size), try seconds(body)) })
        }
        let last = try bodies.map { try seconds($0) * 1e6 }
        return Row(
            work: work, unit: "(exponent from 10 to 1,000 times)", values: exponents, goal: 1.1,
            detail: zip(sizes, last).map { String(format: "%d: %.3g µs", $0, $1) }.joined(separator: ", "))
    }

    /// Processor time of one execution, measured for at least 20 ms.
    private static func seconds(_ body: () throws -> Void) throws -> Double {
        try body()
        var runs = 1
        while true {
            let start = ProcessCost.processorTime
            for _ in 0..<runs { try body() }
            let spent = ProcessCost.processorTime - start
            if spent >= 0.02 { return spent / Double(runs) }
            runs *= spent < 0.002 ? 10 : 2
        }
    }

    /// The slope of the least squares of the logarithms, without the smallest size: it is mostly what every execution costs.
    private static func exponent(_ points: [(size: Double, seconds: Double)]) -> Double {
        let logs = points.dropFirst().map { (x: log($0.size), y: log($0.seconds)) }
        let count = Double(logs.count)
        let meanX = logs.reduce(0) { $0 + $1.x } / count
        let meanY = logs.reduce(0) { $0 + $1.y } / count
        let above = logs.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
        let below = logs.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        return above / below
    }
}
