import CarnetDescriptors
import CarnetFoundation

struct PlaceInPlainText: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "K124",
        name: "place-in-plain-text",
        severity: .warning,
        summary: "A value has an input between braces, but its key takes no template.",
        rationale: """
            Carnet fills `{name}` only in keys whose values are templates, as the descriptor reference says for each key. \
            In another key, the braces are sent or compared as they are written.
            """,
        bad: [
            """
            inputs: { region: { enum: [eu, us], default: eu } }
            issuer: https://{region}.acme.example
            authorization: { response_type: '⟦{region}⟧' }

            """
        ],
        good: [
            """
            inputs: { region: { enum: [eu, us], default: eu } }
            issuer: https://{region}.acme.example
            scopes: { default: [openid, '{region}.photos'] }
            register: { notes: ['Open {region}.acme.example.'] }

            """
        ]
    )

    /// Sections and keys whose texts are for people, are examples, or have braces of another meaning.
    private static let others: Set<String> = [
        "notes", "samples", "sample", "register", "display", "verified", "status", "redirects", "docs", "name", "title",
        "description", "because", "none", "optional", "example", "pattern", "enum", "template", "anonymous", "link",
        "tables",
        "environments",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = Set(context.descriptor.inputs.names.map { "{\($0)}" } + ["{client.id}"])
        guard !context.descriptor.inputs.isEmpty || context.document.file.bytes.holds("{client.id}") else { return [] }
        let templates = Set((context.templateUses.map(\.node) + context.scopeUses.map(\.node)).map(\.span))
        var found: [Diagnostic] = []
        func search(_ node: YAMLNode) {
            if let text = node.scalar?.text {
                guard text.holds(UInt8(ascii: "{")), !templates.contains(node.span),
                    let place = places.first(where: { text.contains($0) }), let range = text.firstRange(of: place)
                else { return }
                found.append(
                    finding(
                        "\(place) is not filled here", in: context, at: context.span(of: text[range], in: node),
                        help: "this key takes no template"))
                return
            }
            for part in node.elements ?? [] { search(part) }
            for entry in node.entries ?? [] where !Self.others.contains(entry.key) { search(entry.value) }
        }
        search(context.root)
        return found
    }
}
