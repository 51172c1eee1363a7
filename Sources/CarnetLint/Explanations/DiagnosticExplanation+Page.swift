package import CarnetDescriptors

extension DiagnosticExplanation {
    /// The rule's page in Markdown: what it finds, why, and what it says about each example.
    ///
    /// - Parameter linter: What is asked about the examples; one with a simulator, for a rule of simulation.
    package func page(by linter: Linter) -> String {
        var page = "# \(code): \(name)\n\n\(summary)\n\n"
        page += "Severity: \(severity.rawValue). Fix: \(fixSentence).\n\n"
        page += "## Why\n\n\(rationale)\n"
        if !bad.isEmpty { page += "\n## Found\n" + bad.map { block($0, "yaml found") + findings($0, linter) }.joined() }
        if !good.isEmpty {
            page += "\n## Not found\n" + good.map { block($0, isReaderDiagnostic ? "yaml part" : "yaml") }.joined()
        }
        if !references.isEmpty { page += "\n## References\n\n" + references.map { "- \($0)\n" }.joined() }
        return page
    }

    private var fixSentence: String {
        switch fix {
        case .safe: "`carnet lint --fix` applies it if it is certain"
        case .unsafe: "suggested, but not applied"
        case nil: "none"
        }
    }

    /// Whether the rule is about YAML, so that its examples need not be descriptors.
    private var isReaderDiagnostic: Bool { ReaderDiagnostics.all.contains(self) }

    private func example(_ marked: String) -> MarkedExample {
        isReaderDiagnostic ? MarkedExample(marked) : MarkedExample(completing: marked)
    }

    /// - Parameter info: what stands after the fence; a bare `yaml` is a descriptor without findings.
    private func block(_ marked: String, _ info: String) -> String {
        let text = example(marked).text
        guard !text.isEmpty else { return "\nAn empty file.\n" }
        // Invisible characters would also be invisible on the page.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(TerminalText.escaped).joined(
                separator: "\t")
        }
        let shown = lines.joined(separator: "\n")
        return "\n```\(info)\n\(shown)\(shown.hasSuffix("\n") ? "" : "\n")```\n"
    }

    private func findings(_ marked: String, _ linter: Linter) -> String {
        let file = example(marked).file(named: "acme.yaml")
        let diagnostics =
            isReaderDiagnostic ? YAMLReader().read(file).diagnostics : linter.lint(files: [file]).diagnostics
        guard !diagnostics.isEmpty else { return "" }
        let text = SourceText(file)
        let output = diagnostics.map { TextReporter().render($0) { _ in text } }
        return "\n```text\n\(output.joined(separator: "\n"))```\n"
    }
}

extension DiagnosticCatalog {
    /// The list of all rules in Markdown, with links to their pages.
    ///
    /// - Parameter others: Rules about files of other kinds.
    package static func index(with others: [DiagnosticExplanation]) -> String {
        var index = """
            # Lint rules

            For authors of descriptors and gateway files. `carnet lint` reports each finding with one of these codes, and `carnet explain \
            CODE` prints its page. A code is never reused for another rule. If a rule about the meaning of a file \
            does not apply, suppress its finding with a comment and a reason. Findings about YAML and about keys cannot be \
            suppressed:

                # carnet-lint-disable-next-line C015: their console accepts no IP address

            | code | name | severity | finds |
            |---|---|---|---|

            """
        for rule in (all + others).sorted(by: { $0.code < $1.code }) {
            index +=
                "| [\(rule.code)](\(rule.code).md) | \(rule.name) | \(rule.severity.rawValue) | \(rule.summary) |\n"
        }
        return index
    }
}
