import CarnetFoundation

/// One finding in a file: the mistake, its position, the allowed values, and how to fix it.
///
/// The reader, the decoder and the linter report diagnostics.
public struct Diagnostic: Hashable, Sendable {
    public enum Severity: String, Hashable, Sendable, CaseIterable {
        case error
        case warning
        /// Not a mistake, but a reader should know it.
        case information
    }

    /// Another place that explains the finding, e.g. where a key was defined first.
    package struct Related: Hashable, Sendable {
        package var message: String
        package var file: String
        package var span: SourceSpan

        package init(message: String, file: String, span: SourceSpan) {
            (self.message, self.file, self.span) = (message, file, span)
        }
    }

    /// A stable code such as `D003`; `carnet explain` has its page.
    public var code: String
    public var severity: Severity
    /// What was found, in one sentence without a full stop.
    public var message: String
    public var file: String
    package var span: SourceSpan
    /// The line where it begins, from 1.
    public var line: Int { span.start.line }
    /// The column where it begins, from 1, in characters.
    public var column: Int { span.start.column }
    /// What is allowed, or what to do next.
    public var help: String?
    package var related: [Related]
    package var fix: Fix?
    /// Whether a report of the line leaves out the span, because it is a secret.
    package var hidesSpan = false

    package init(
        code: String, severity: Severity = .error, message: String, file: String, span: SourceSpan, help: String? = nil,
        related: [Related] = [], fix: Fix? = nil
    ) {
        self.code = code
        self.severity = severity
        self.message = message
        self.file = file
        self.span = span
        self.help = help
        self.related = related
        self.fix = fix
    }
}

extension Diagnostic: Described {
    /// `file:line:column: severity: message [code]`, the form that editors and terminals link.
    package var summary: String {
        "\(file):\(span.start.line):\(span.start.column): \(severity.rawValue): \(message) [\(code)]"
    }
}

extension Sequence<Diagnostic> {
    /// By file, place, code, message and help: the order of every report.
    package func sorted() -> [Diagnostic] {
        sorted { lhs, rhs in
            if lhs.file != rhs.file { return lhs.file < rhs.file }
            if lhs.span != rhs.span { return lhs.span < rhs.span }
            return (lhs.code, lhs.message, lhs.help ?? "") < (rhs.code, rhs.message, rhs.help ?? "")
        }
    }
}

/// Edits to the text that fix a finding.
package struct Fix: Hashable, Sendable {
    package enum Applicability: String, Hashable, Sendable {
        /// Keeps the author's meaning with certainty; `--fix` applies it.
        case safe
        /// A guess. It is only shown.
        case unsafe
    }

    package struct Edit: Hashable, Sendable {
        package var span: SourceSpan
        package var replacement: String

        package init(span: SourceSpan, replacement: String) {
            self.span = span
            self.replacement = replacement
        }
    }

    package var summary: String
    package var applicability: Applicability
    package var edits: [Edit]

    package init(summary: String, applicability: Applicability, edits: [Edit]) {
        (self.summary, self.applicability, self.edits) = (summary, applicability, edits)
    }

    /// One edit.
    init(_ summary: String, _ applicability: Applicability, at span: SourceSpan, writing text: String) {
        self.init(
            summary: summary, applicability: applicability, edits: [Edit(span: span, replacement: text)])
    }
}
