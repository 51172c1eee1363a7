import CarnetFoundation

/// A JSON value whose strings are templates, as text.
extension Template {
    static func jsonShape(in place: TemplatePlace) -> Shape { .either([shape(in: place), .structure]) }

    /// Reads a string as a template, and anything else as JSON.
    init?(json node: YAMLNode, in place: TemplatePlace, _ decoder: inout DescriptorDecoder) {
        if let scalar = node.scalar, scalar.isNull || scalar.isText {
            self.init(node, in: place, &decoder)
            return
        }
        if let entries = node.entries, entries.count == 1, entries[0].hasNoColon {
            // A template without quotes.
            decoder.reportWrongType(node, expected: Self.shape(in: place))
            return nil
        }
        let count = decoder.diagnostics.count
        var parts: [Part] = []
        Self.add(node, to: &parts, in: place, &decoder)
        guard decoder.diagnostics.count == count else { return nil }
        self.init(JSONValue(node).jsonText(), parts: parts, isJSON: true)
    }

    private static func add(
        _ node: YAMLNode, to parts: inout [Part], in place: TemplatePlace, _ decoder: inout DescriptorDecoder
    ) {
        func literal(_ text: String) {
            if case .literal(let before)? = parts.last {
                parts[parts.count - 1] = .literal(before + text)
            } else {
                parts.append(.literal(text))
            }
        }
        switch node.content {
        case .mapping(let entries):
            for (index, entry) in entries.enumerated() {
                literal((index == 0 ? "{" : ",") + JSONValue.string(entry.key).jsonText() + ":")
                add(entry.value, to: &parts, in: place, &decoder)
            }
            literal(entries.isEmpty ? "{}" : "}")
        case .sequence(let elements):
            for (index, element) in elements.enumerated() {
                literal(index == 0 ? "[" : ",")
                add(element, to: &parts, in: place, &decoder)
            }
            literal(elements.isEmpty ? "[]" : "]")
        case .scalar(let scalar):
            guard scalar.isText else { return literal(JSONValue(node).jsonText()) }
            guard let template = Template(node, in: place, &decoder) else { return }
            literal("\"")
            for part in template.parts {
                if case .literal(let text) = part { literal(text.inJSON) } else { parts.append(part) }
            }
            literal("\"")
        }
    }
}

extension String {
    /// The text between the quotes of a JSON string.
    var inJSON: String { String(JSONValue.string(self).jsonText().dropFirst().dropLast()) }
}
