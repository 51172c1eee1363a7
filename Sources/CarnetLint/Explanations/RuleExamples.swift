import CarnetDescriptors

/// The examples of a rule: texts of one or more of them, with an empty line between two. A line break ends each.
struct RuleExamples: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    fileprivate let texts: [String]

    init(stringLiteral text: String) { texts = Self.separated(text) }
    init(arrayLiteral texts: String...) { self.texts = texts.flatMap(Self.separated) }

    private static func separated(_ text: String) -> [String] {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.reduce(into: [""]) { texts, line in
            if line.isEmpty { texts.append("") } else { texts[texts.count - 1] += "\(Substring(line))\n" }
        }
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
