import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetTestSupport
import Testing

/// SARIF against the schema of SARIF 2.1.0, with a validator of another project as the reference.
@Suite("SARIF schema")
struct SARIFSchemaTests {
    private static func problems(_ documents: JSONValue...) throws -> [String?] {
        let response = try SchemaValidator.validate(documents, against: "sarif-2.1.0")
        #expect(response.schema == nil)
        return response.instances
    }

    @Test("Every finding of every rule makes valid SARIF")
    func everyFindingOfEveryRuleMakes() throws {
        let examples = DiagnosticCatalog.all.flatMap { rule in
            rule.bad.enumerated().map { MarkedExample(completing: $1).file(named: "p/\(rule.code) \($0).yaml") }
        }
        let report = Linter().lint(files: examples, unreadable: [.init(path: "/a b/ä.yaml", reason: .notFound)])
        #expect(report.diagnostics.contains { $0.fix != nil })
        #expect(report.diagnostics.contains { !$0.related.isEmpty })
        let text = SARIFReporter(documentation: "https://docs.example/lint").render(report)
        let document = try JSONValue(parsing: text)
        #expect(try Self.problems(document) == [nil])
        let rules = document[JSONPointer(tokens: ["runs", "0", "tool", "driver", "rules"])]?.array ?? []
        #expect(Set(rules.compactMap { $0["id"]?.string }) == Set(report.diagnostics.map(\.code)))
        #expect(rules.allSatisfy { $0["helpUri"]?.string?.hasPrefix("https://docs.example/lint/") == true })
    }

    @Test("A log without findings is valid too")
    func aLogWithoutFindingsIsValid() throws {
        let log = try JSONValue(parsing: SARIFReporter().render(LintReport(files: [], diagnostics: [])))
        #expect(try Self.problems(log) == [nil])
    }

    @Test("What is not in the schema is seen")
    func whatIsNotInTheSchema() throws {
        let log: JSONValue = ["version": "2.1.0", "runs": [["tool": ["driver": ["name": "carnet"]], "x": 1]]]
        let place: JSONValue = ["physicalLocation": ["artifactLocation": ["uri": "a b.yaml"]]]
        let result: JSONValue = ["message": ["text": "x"], "locations": [place]]
        let other: JSONValue = [
            "version": "2.1.0", "runs": [["tool": ["driver": ["name": "carnet"]], "results": [result]]],
        ]
        let problems = try Self.problems(log, other).map { $0 ?? "none" }
        #expect(problems[0].contains("'x' was unexpected"))
        #expect(problems[1].contains("'a b.yaml' is not a 'uri-reference'"))
    }
}
