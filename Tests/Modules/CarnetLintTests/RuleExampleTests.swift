import CarnetDescriptors
import CarnetSimulation
import Testing

@testable import CarnetLint

/// The examples that a rule's page shows are its tests.
@Suite("Rule example")
struct RuleExampleTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var rule: DiagnosticExplanation
        var text: String
        var testDescription: String { "\(rule.code): \(text.debugDescription)" }
    }

    static let rules =
        DecoderDiagnostics.all + SuppressionDiagnostics.all + SimulationDiagnostics.all
        + LintRuleCatalog.all.map(\.explanation)
    static let bad = rules.flatMap { rule in rule.bad.map { Example(rule: rule, text: $0) } }
    static let good = rules.flatMap { rule in rule.good.map { Example(rule: rule, text: $0) } }

    private func lint(_ example: MarkedExample) -> [Diagnostic] {
        Linter(simulator: SampleSimulator()).lint(files: [example.file(named: "acme.yaml")]).diagnostics
    }

    @Test("A bad example has exactly its findings", arguments: bad)
    func aBadExampleHasExactly(example: Example) {
        let marked = MarkedExample(completing: example.text)
        let diagnostics = lint(marked)
        #expect(diagnostics.map(\.code) == marked.spans.map { _ in example.rule.code }, "\(diagnostics)")
        #expect(diagnostics.map(\.span) == marked.spans, "\(diagnostics)")
        #expect(diagnostics.allSatisfy { $0.severity == example.rule.severity })
    }

    @Test("A good example has none", arguments: good)
    func aGoodExampleHasNone(example: Example) {
        #expect(lint(MarkedExample(completing: example.text)) == [])
    }

    @Test("A finding stays where it is behind wide characters and other line breaks", arguments: bad)
    func aFindingStaysWhere(example: Example) {
        let text = "# 🌱 名前\r\n" + example.text.replacing("\n", with: "\r\n")
        let marked = MarkedExample(completing: text)
        let expected = marked.spans
        let diagnostics = lint(marked)
        #expect(diagnostics.map(\.span) == expected, "\(diagnostics)")
    }

    @Test(
        "A suppression with a reason silences a finding",
        arguments: bad.filter { example in
            !["D", "K00", "C008"].contains { example.rule.code.hasPrefix($0) }
        })
    func aSuppressionWithAReasonSilences(example: Example) {
        let text = "# carnet-lint-disable \(example.rule.code): known to be so\n" + example.text
        #expect(lint(MarkedExample(completing: text)) == [])
    }

    @Test("A message is one sentence without a full stop", arguments: bad)
    func aMessageIsOneSentenceWithout(example: Example) {
        for diagnostic in lint(MarkedExample(completing: example.text)) {
            #expect(!diagnostic.message.hasSuffix("."))
            #expect(!diagnostic.message.contains("\n"))
        }
    }

    @Test("Every rule about a single file has examples")
    func everyRuleAboutASingleFile() {
        // M001 depends on the name of the file and has tests of its own.
        for rule in Self.rules where rule.code != "M001" {
            #expect(!rule.bad.isEmpty, "\(rule.code)")
            #expect(!rule.good.isEmpty, "\(rule.code)")
            #expect(rule.bad.allSatisfy { !MarkedExample($0).spans.isEmpty }, "\(rule.code)")
        }
    }
}
