import CarnetDescriptors
import CarnetFoundation

/// The examples of a rule: texts of one or more of them, with an empty line between two. A line break ends each.
struct RuleExamples: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    fileprivate let texts: [String]

    init(stringLiteral text: String) { texts = Self.separated(text) }
    init(arrayLiteral texts: String...) { self.texts = texts.flatMap(Self.separated) }

    private static func separated(_ text: String) -> [String] {
        text.holds("\n\n") ? text.split(separator: "\n\n").map { "\($0)\n" } : [text + "\n"]
    }
}

extension DiagnosticExplanation {
    init(
        _ code: String, name: String, severity: Diagnostic.Severity = .error, fix: Fix.Applicability? = nil,
        summary: String, rationale: String, references: [String] = [], bad: RuleExamples = [], good: RuleExamples = []
    ) {
        self.init(
            code: code, name: name, severity: severity, summary: summary, rationale: rationale, fix: fix,
            references: references, bad: bad.texts, good: good.texts)
    }
}
