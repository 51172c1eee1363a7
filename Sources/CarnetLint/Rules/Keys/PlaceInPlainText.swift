import CarnetDescriptors
import CarnetFoundation

struct PlaceInPlainText: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "K124", name: "place-in-plain-text", severity: .warning,
        summary: "A value or a name has an input between braces, but takes no template.",
        rationale: """
            Carnet fills `{name}` only in keys whose values are templates, as the descriptor reference says for each key. \
            In another key, and in the names of headers and parameters, the braces are sent or compared as they are written.
            """,
        bad: """
            inputs: { region: { enum: [eu, us], default: eu } }
            issuer: https://{region}.acme.example
            authorization: { response_type: '⟦{region}⟧' }

            token: { grant_type: '⟦{client.grant}⟧' }

            inputs: { header: { default: X-Api-Key } }
            issuer: https://id.acme.example/{header}
            token: { parameters: { ⟦'{header}'⟧: two } }
            """,
        good: """
            inputs: { region: { enum: [eu, us], default: eu } }
            issuer: https://{region}.acme.example
            scopes: { default: [openid, '{region}.photos'] }
            register: { notes: ['Open {region}.acme.example.'] }
            """)

    /// Sections and keys whose texts are for people, are examples, or have braces of another meaning.
    private static let others: Set<String> = [
        "notes", "samples", "sample", "register", "display", "verified", "status", "redirects", "docs", "name", "title",
        "description", "because", "none", "optional", "example", "pattern", "enum", "template", "anonymous", "link",
        "tables",
        "environments",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = Set(context.descriptor.inputs.names.map { "{\($0)}" })
        let templates = Set((context.templateUses.map(\.node) + context.scopeUses.map(\.node)).map(\.span))
        var found: [Diagnostic] = []
        func search(_ node: YAMLNode) {
            if let text = node.scalar?.text {
                guard text.holds(UInt8(ascii: "{")), !templates.contains(node.span), let range = text.place
                else { return }
                let place = text[range]
                found += findings(
                    "\(place) is not filled here", in: context, at: context.span(of: text[range], in: node),
                    help: "this key takes no template")
                return
            }
            for part in node.elements ?? [] { search(part) }
            for entry in node.entries ?? [] where !Self.others.contains(entry.key) {
                if let range = entry.key.place, case let place = String(entry.key[range]), places.contains(place) {
                    found += findings(
                        "\(place) is not filled here", in: context, at: entry.keySpan,
                        help: "a name is no template; write one key for each name")
                }
                search(entry.value)
            }
        }
        search(context.root)
        return found
    }
}

extension String {
    /// A name between braces, as a template has it.
    fileprivate var place: Range<Index>? {
        var rest = self[...]
        while let close = rest.firstIndex(of: "}") {
            if let open = rest[..<close].lastIndex(of: "{") {
                let name = rest[rest.index(after: open)..<close]
                if !name.isEmpty, name.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || "_.".utf8.contains($0) }) {
                    return open..<rest.index(after: close)
                }
            }
            rest = rest[rest.index(after: close)...]
        }
        return nil
    }
}
