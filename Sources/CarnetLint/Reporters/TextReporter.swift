package import CarnetDescriptors

/// For people: each finding with its source line, the exact place underlined, and what to do.
package struct TextReporter: Reporter {
    private let usesColor: Bool

    package init(usesColor: Bool = false) {
        self.usesColor = usesColor
    }

    package func render(_ report: LintReport) -> String {
        var texts: [String: SourceText] = [:]
        let shown = Set(report.diagnostics.flatMap { [$0.file] + $0.related.map(\.file) })
        for file in report.files where shown.contains(file.path) { texts[file.path] = SourceText(file) }
        let findings = report.diagnostics.map { render($0) { texts[$0] } }
        return (findings + [summary(of: report)]).joined(separator: "\n") + "\n"
    }

    /// One finding, with a line break at its end.
    ///
    /// - Parameter text: the text of a file that the finding names, if there is one to show.
    package func render(_ diagnostic: Diagnostic, text: (String) -> SourceText?) -> String {
        let numbers = [diagnostic.span.start.line] + diagnostic.related.map(\.span.start.line)
        let gutter = String(numbers.max() ?? 1).count
        let mark = Paint(diagnostic.severity)
        let severity = paint(diagnostic.severity.rawValue, mark)
        let message = paint(TerminalText.sentence(diagnostic.message), .strong)
        var lines = ["\(place(diagnostic.file, diagnostic.span)): \(severity): \(message) [\(diagnostic.code)]"]
        lines += excerpt(
            diagnostic.span, text(diagnostic.file), gutter: gutter, mark: mark,
            hidesSpan: diagnostic.hidesSpan || diagnostic.code == SecretInDescriptor.code)
        let blank = String(repeating: " ", count: gutter)
        if let help = diagnostic.help { lines.append("\(blank) = help: \(TerminalText.sentence(help))") }
        if let fix = diagnostic.fix {
            let kind = fix.applicability == .safe ? "fix" : "possible fix"
            lines.append("\(blank) = \(kind): \(TerminalText.sentence(fix.summary))")
        }
        for related in diagnostic.related {
            let message = TerminalText.sentence(related.message)
            lines.append("\(blank) = \(place(related.file, related.span)): \(message)")
            lines += excerpt(related.span, text(related.file), gutter: gutter, mark: .note)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func place(_ file: String, _ span: SourceSpan) -> String {
        "\(TerminalText.escaped(file)):\(span.start.line):\(span.start.column)"
    }

    private func excerpt(
        _ span: SourceSpan, _ text: SourceText?, gutter: Int, mark: Paint, hidesSpan: Bool = false
    ) -> [String] {
        guard let text, let excerpt = SourceExcerpt(span, in: text, hidesSpan: hidesSpan) else { return [] }
        let number = String(span.start.line)
        let blank = String(repeating: " ", count: gutter)
        let padded = String(repeating: " ", count: gutter - number.count) + number
        let underline = "^" + String(repeating: "~", count: excerpt.length - 1)
        let indentation = String(repeating: " ", count: excerpt.indentation)
        return [
            "\(blank) \(paint("|", .note))",
            "\(paint(padded, .note)) \(paint("|", .note)) \(excerpt.line)",
            "\(blank) \(paint("|", .note)) \(indentation)\(paint(underline, mark))",
        ]
    }

    private func summary(of report: LintReport) -> String {
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        let files = count(report.fileCount, "file")
        guard !report.diagnostics.isEmpty else { return "no findings in \(files)" }
        let counts = [
            (report.errorCount, "error"), (report.warningCount, "warning"), (report.informationCount, "remark"),
        ].filter { $0.0 > 0 }.map { count($0.0, $0.1) }
        let fixable = report.fixableCount
        let hint = fixable == 0 ? "" : "; \(fixable) can be fixed with --fix"
        return "\(counts.joined(separator: " and ")) in \(files)\(hint)"
    }

    private enum Paint: String {
        case error = "1;31"
        case warning = "1;33"
        case note = "1;34"
        case strong = "1"

        init(_ severity: Diagnostic.Severity) {
            self = severity == .error ? .error : severity == .warning ? .warning : .note
        }
    }

    private func paint(_ text: String, _ paint: Paint) -> String {
        usesColor ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }
}
