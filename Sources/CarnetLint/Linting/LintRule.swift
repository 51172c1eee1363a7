package import CarnetDescriptors

/// One thing that a descriptor can get wrong although it reads well.
///
/// A rule's file holds its explanation and its examples, and the examples are its tests. It is only asked about
/// descriptors whose shape is right.
package protocol LintRule: Sendable {
    var explanation: DiagnosticExplanation { get }
    /// Whether it validates values by themselves, so that it can be asked about a descriptor with errors too.
    var checksSingleValues: Bool { get }
    /// Whether a comment with a reason may silence the rule; not where the engine ignores what the file says.
    var isSuppressible: Bool { get }
    /// Whether the finding only asks if the provider really demands what the file says, so that a note about the key, with
    /// a reason, silences it.
    var isReminder: Bool { get }
    func check(_ context: LintContext) -> [Diagnostic]
}

/// A rule that validates values by themselves. It is asked about a descriptor with errors too, because what they leave out
/// makes nothing else wrong for it.
protocol SingleValueRule: LintRule {}

extension SingleValueRule {
    var checksSingleValues: Bool { true }
}

extension LintRule {
    package var checksSingleValues: Bool { false }
    package var isSuppressible: Bool { true }
    package var isReminder: Bool { false }

    func finding(
        _ message: String, in context: LintContext, at span: SourceSpan, help: String? = nil,
        related: [Diagnostic.Related] = [], fix: Fix? = nil
    ) -> Diagnostic {
        explanation.diagnostic(message, file: context.path, span: span, help: help, related: related, fix: fix)
    }

    /// The same as a list, for a check that finds nothing else, or adds it to others.
    func findings(
        _ message: String, in context: LintContext, at span: SourceSpan, help: String? = nil,
        related: [Diagnostic.Related] = [], fix: Fix? = nil
    ) -> [Diagnostic] {
        [finding(message, in: context, at: span, help: help, related: related, fix: fix)]
    }
}

extension Fix {
    /// A fix that replaces one stretch of the text.
    init(_ applicability: Applicability, _ summary: String, at span: SourceSpan, with replacement: String) {
        self.init(summary: summary, applicability: applicability, edits: [Edit(span: span, replacement: replacement)])
    }
}
