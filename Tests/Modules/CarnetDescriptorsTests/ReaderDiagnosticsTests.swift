import CarnetDescriptors
import Testing

@Suite("Reader rules")
struct ReaderDiagnosticsTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var rule: DiagnosticExplanation
        var text: String
        var testDescription: String { "\(rule.code): \(text.debugDescription)" }
    }

    static let bad = ReaderDiagnostics.all.flatMap { rule in rule.bad.map { Example(rule: rule, text: $0) } }
    static let good = ReaderDiagnostics.all.flatMap { rule in rule.good.map { Example(rule: rule, text: $0) } }

    @Test("A bad example has exactly its finding", arguments: bad)
    func aBadExampleHasExactly(example: Example) {
        let (rule, example) = (example.rule, MarkedExample(example.text))
        let diagnostics = YAMLReader().read(example.file(named: "bad.yaml")).diagnostics
        #expect(diagnostics.map(\.code) == example.spans.map { _ in rule.code })
        #expect(diagnostics.map(\.span) == example.spans)
        #expect(diagnostics.allSatisfy { $0.severity == rule.severity })
    }

    @Test("A good example has no finding", arguments: good)
    func aGoodExampleHasNoFinding(example: Example) {
        let document = YAMLReader().read(MarkedExample(example.text).file(named: "good.yaml"))
        #expect(document.diagnostics == [])
        #expect(document.root != nil)
    }

    @Test("Codes and names are unique")
    func codesAndNamesAreUnique() {
        #expect(Set(ReaderDiagnostics.all.map(\.code)).count == ReaderDiagnostics.all.count)
        #expect(Set(ReaderDiagnostics.all.map(\.name)).count == ReaderDiagnostics.all.count)
    }
}
