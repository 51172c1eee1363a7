/// What a diagnostic code means: the page that `carnet explain` prints, and the examples that prove the rule.
public struct RuleExplanation: Hashable, Sendable {
    /// Stable and never reused: a family letter and three digits.
    public var code: String
    /// Kebab-case, and describes the problem rather than the remedy.
    public var name: String
    public var severity: Diagnostic.Severity
    public var summary: String
    /// Why it matters.
    public var rationale: String
    /// Whether findings can carry a fix, and of which kind.
    public var fix: Fix.Applicability?
    /// Sections of the standards that say so, e.g. `YAML 1.2.2, section 6.1`.
    public var references: [String]
    /// Texts in which the rule finds something; `⟦` and `⟧` stand around the place where it does.
    public var bad: [String]
    /// Texts in which it finds nothing.
    public var good: [String]

    public init(
        code: String,
        name: String,
        severity: Diagnostic.Severity = .error,
        summary: String,
        rationale: String,
        fix: Fix.Applicability? = nil,
        references: [String] = [],
        bad: [String] = [],
        good: [String] = []
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
    public func diagnostic(
        _ message: String,
        file: String,
        span: SourceSpan,
        help: String? = nil,
        related: [Diagnostic.Related] = [],
        fix: Fix? = nil
    ) -> Diagnostic {
        Diagnostic(
            code: code,
            severity: severity,
            message: message,
            file: file,
            span: span,
            help: help,
            related: related,
            fix: fix
        )
    }
}
