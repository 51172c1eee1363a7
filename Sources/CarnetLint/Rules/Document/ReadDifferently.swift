import CarnetDescriptors
import CarnetFoundation

struct ReadDifferently: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "D024", name: "read-differently", severity: .warning, fix: .safe,
        summary: "Other YAML parsers read a string without quotes as another value, or not at all.",
        rationale: """
            Editors, validators and other programs read the file with parsers for YAML 1.1, YAML 1.2 or a part of both. \
            Without quotes, some take 'no' and 'y' for booleans, '010' for the number 8, '12:30' for a number in base 60 and \
            '2026-11-21' for a date, and PyYAML accepts neither a '?' \
            inside '{ }' and '[ ]' nor a tab between values. Carnet follows the core schema of YAML \
            1.2, with the numbers of JSON. Quotes make the value the same string for all of them.
            """,
        references: ["YAML 1.1, section 5.3 and the types bool, int, float and timestamp", "YAML 1.2, section 10.3.2"],
        bad: [
            "scopes: { default: [⟦on⟧, ⟦y⟧, read] }",
            "tables: { countries: { ⟦no⟧: id.no.acme.example } }\n"
                + "callback: { capture: { country: { pattern: '[a-z]+', example: se } } }\n"
                + "api: { base_url: \"https://{map(callback.country, 'countries')|api.acme.example}\" }",
            "verified: { date: ⟦2026-11-21⟧, how: compared with their reference }",
            "authorization: { parameters: { a: ⟦010⟧, b: ⟦1_000⟧, c: ⟦12:30⟧, d: ⟦0x1F⟧, e: ⟦+1⟧, f: ⟦.5⟧ } }",
            "scopes:⟦\t⟧{ default: [read] } # a\ttab",
            "resources: [{ scope: read, title: Me, url: ⟦https://api.acme.example/me?all=1⟧ }]\nscopes: { catalog: [read] }",
        ],
        good: [
            "scopes: { default: ['on', read] }\nverified: { date: \"2026-11-21\", how: compared with their reference }",
            "resources:\n  - scope: read\n    title: Me\n    url: https://api.acme.example/me?all=1\nscopes: { catalog: [read] }",
            "authorization: { parameters: { a: 10, b: -1.5, c: 1.2.3, d: 2026-11, e: n0, f: true } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        var found: [Diagnostic] = []
        var hasQuestion = false
        visit(context.root, context, &found, &hasQuestion)
        if hasQuestion { visitFlow(context.root, isFlow: false, context, &found) }
        if context.document.file.bytes.holds(UInt8(ascii: "\t")), let tab = firstTab(in: context) {
            found.append(finding("PyYAML accepts no tab between values", in: context, at: tab, help: "use spaces"))
        }
        return found
    }

    /// The first tab that is neither in a string nor in a comment.
    private func firstTab(in context: LintContext) -> SourceSpan? {
        var texts = context.document.comments.map(\.span)
        func collect(_ node: YAMLNode) {
            texts += (node.entries ?? []).map(\.keySpan)
            for part in node.parts { collect(part) }
            if node.scalar != nil { texts.append(node.span) }
        }
        if let own = context.document.ownRoot { collect(own) }
        texts.sort { $0.start < $1.start }
        let text = SourceText(context.document.file)
        var next = 0
        for number in 1...max(1, text.lineCount) {
            for (index, scalar) in (text.line(number) ?? "").unicodeScalars.enumerated() where scalar == "\t" {
                let place = SourcePosition(line: number, column: index + 1)
                while next < texts.count, texts[next].end <= place { next += 1 }
                if next < texts.count, texts[next].start <= place { continue }
                return SourceSpan(start: place, end: SourcePosition(line: number, column: index + 2))
            }
        }
        return nil
    }

    private func visit(_ node: YAMLNode, _ context: LintContext, _ found: inout [Diagnostic], _ hasQuestion: inout Bool)
    {
        switch node.content {
        case .mapping(let entries):
            for index in entries.indices {
                if let kind = PlainScalar.kind(ofKey: entries[index].key) {
                    report(entries[index].key, kind, entries[index].keySpan, context, &found)
                }
                visit(entries[index].value, context, &found, &hasQuestion)
            }
        case .sequence(let elements):
            for index in elements.indices { visit(elements[index], context, &found, &hasQuestion) }
        case .scalar(let scalar) where scalar.isPlain:
            if let kind = PlainScalar.kind(of: scalar.text) { report(scalar.text, kind, node.span, context, &found) }
            if !hasQuestion { hasQuestion = scalar.text.holds(UInt8(ascii: "?")) }
        case .scalar: break
        }
    }

    private func report(
        _ text: String, _ kind: String, _ span: SourceSpan, _ context: LintContext, _ found: inout [Diagnostic]
    ) {
        // A key does not say how it is written, and what is inherited or repeated by an alias stands elsewhere.
        guard context.text.text(in: span) == text else { return }
        found.append(finding("other parsers read \(text) as \(kind)", text, context, at: span))
    }

    private func finding(_ message: String, _ text: String, _ context: LintContext, at span: SourceSpan) -> Diagnostic {
        finding(
            message, in: context, at: span, help: "put it between quotes",
            fix: text.holds(UInt8(ascii: "'")) ? nil : Fix(.safe, "quote it", at: span, with: "'\(text)'"))
    }

    /// Finds strings with a question mark inside `{ }` and `[ ]`.
    private func visitFlow(_ node: YAMLNode, isFlow: Bool, _ context: LintContext, _ found: inout [Diagnostic]) {
        guard let scalar = node.scalar else {
            let isFlow = isFlow || startsFlow(node, context)
            for part in node.parts { visitFlow(part, isFlow: isFlow, context, &found) }
            return
        }
        guard isFlow, scalar.isPlain, scalar.text.holds(UInt8(ascii: "?")),
            context.text.text(in: node.span) == scalar.text
        else { return }
        found.append(finding("PyYAML accepts no ? here without quotes", scalar.text, context, at: node.span))
    }

    private func startsFlow(_ node: YAMLNode, _ context: LintContext) -> Bool {
        let start = node.span.start
        let end = SourcePosition(line: start.line, column: start.column + 1)
        return ["{", "["].contains(context.text.text(in: SourceSpan(start: start, end: end)))
    }
}
