import CarnetDescriptors

/// For GitHub Actions: one workflow command a finding, which shows up beside the line in a pull request.
package struct GitHubReporter: Reporter {
    package init() {}

    package func render(_ report: LintReport) -> String { report.diagnostics.map { render($0) + "\n" }.joined() }

    private func render(_ diagnostic: Diagnostic) -> String {
        let span = diagnostic.span
        var properties = [
            ("file", diagnostic.file), ("line", String(span.start.line)), ("col", String(span.start.column)),
            ("endLine", String(span.end.line)),
        ]
        // GitHub reads endColumn only for a single line, and takes it as the last column rather than the one after it.
        if span.end.line == span.start.line {
            properties.append(("endColumn", String(max(span.start.column, span.end.column - 1))))
        }
        properties.append(("title", diagnostic.code))
        let list = properties.map { "\($0.0)=\(escapedProperty($0.1))" }.joined(separator: ",")
        let text = [diagnostic.message, diagnostic.help].compactMap { $0 }.joined(separator: "\n")
        let command = diagnostic.severity == .information ? "notice" : diagnostic.severity.rawValue
        return "::\(command) \(list)::\(escapedData(text))"
    }

    /// A line break would end the command and could start another.
    private func escapedData(_ text: String) -> String {
        TerminalText.replacing(text) { ["%": "%25", "\r": "%0D", "\n": "%0A"][$0] ?? TerminalText.escape($0) }
    }

    private func escapedProperty(_ text: String) -> String {
        TerminalText.replacing(escapedData(text)) { [":": "%3A", ",": "%2C"][$0] }
    }
}
