/// What a diagnostic code means: the page that `carnet explain` prints, and the examples that prove the rule.
package struct DiagnosticExplanation: Hashable, Sendable {
    /// Stable and never reused: a family letter and three digits.
    package var code: String
    /// Kebab-case, and describes the problem rather than the remedy.
    package var name: String
    package var severity: Diagnostic.Severity
    package var summary: String
    /// Why it matters.
    package var rationale: String
    /// Whether findings can carry a fix, and of which kind.
    package var fix: Fix.Applicability?
    /// Sections of the standards that say so, e.g. `YAML 1.2.2, section 6.1`.
    package var references: [String]
    /// Texts in which the rule finds something; `⟦` and `⟧` stand around the place where it does.
    package var bad: [String]
    /// Texts in which it finds nothing.
    package var good: [String]

    package init(
        code: String, name: String, severity: Diagnostic.Severity = .error, summary: String, rationale: String,
        fix: Fix.Applicability? = nil, references: [String] = [], bad: [String] = [], good: [String] = []
    ) {
        self.code = code
        self.name = name
        self.severity = severity
        self.summary = summary
        self.rationale = rationale
        self.fix = fix
        self.references = references
        self.bad = bad
        self.good = good
    }

    /// A finding of this rule.
    package func diagnostic(
        _ message: String, file: String, span: SourceSpan, help: String? = nil, related: [Diagnostic.Related] = [],
        fix: Fix? = nil
    ) -> Diagnostic {
        Diagnostic(
            code: code, severity: severity, message: message, file: file, span: span, help: help, related: related,
            fix: fix)
    }
}
