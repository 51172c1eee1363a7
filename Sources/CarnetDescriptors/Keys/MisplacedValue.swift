/// The advice for a value that its key does not take, but a key of the same name elsewhere.
extension [Diagnostic] {
    /// - Parameters:
    ///   - root: The tree of a descriptor.
    ///   - keys: The keys at its top.
    func namingPlaces(in root: YAMLNode, _ keys: [KeyDescription]) -> [Diagnostic] {
        // In a file with very many mistakes, it would cost more than all else and help nobody.
        guard count < 100, contains(where: \.isOfWrongType) else { return self }
        return map { finding in
            guard finding.isOfWrongType, finding.fix == nil, let path = root.path(to: finding.span),
                let advice = Self.advice(path, in: root, keys)
            else { return finding }
            var finding = finding
            finding.help = advice + (finding.help.map { "; \($0)" } ?? "")
            return finding
        }
    }

    private static func advice(_ path: [String], in root: YAMLNode, _ keys: [KeyDescription]) -> String? {
        guard let name = path.last, let value = root.node(at: path),
            let parent = root.node(at: [String](path.dropLast()))
        else { return nil }
        guard !value.isNull else { return indenting(name, path, parent, keys) }
        if let text = value.scalar?.text, text.contains("://"), let endpoint = NamesElsewhere.endpoint(of: name),
            path.first != "endpoints"
        {
            return "an endpoint's URL belongs to endpoints.\(endpoint.rawValue)"
        }
        if let text = value.scalar?.text, let colon = text.firstIndex(of: ":"), path.count == 1,
            keys.first(where: { $0.name == name })?.shape.sections.first?.keys.contains(where: {
                $0.name == text[..<colon]
            }) == true
        {
            return "put a space after '\(text[...colon])'"
        }
        let top = keys.has(name, taking: value) ? [name] : []
        let own = path.joined(separator: ".")
        let places = (top + keys.paths(to: name, taking: value)).filter { $0 != own }
        return (1...3).contains(places.count) ? "such a value belongs to " + places.joined(separator: ", or ") : nil
    }

    /// For a section without a value: the keys after it, which belong to it.
    private static func indenting(
        _ name: String, _ path: [String], _ parent: YAMLNode, _ keys: [KeyDescription]
    ) -> String? {
        guard path.count == 1, let section = keys.first(where: { $0.name == name })?.shape.sections.first,
            let position = parent.entries?.firstIndex(where: { $0.key == name })
        else { return nil }
        let after = parent.entries?[(position + 1)...].prefix { entry in
            section.keys.contains { $0.name == entry.key && $0.shape.takes(entry.value) }
        }
        guard let after, !after.isEmpty else { return nil }
        return "indent the keys that belong to \(name): \(after.map(\.key).joined(separator: ", "))"
    }
}

extension Diagnostic {
    fileprivate var isOfWrongType: Bool { code == DecoderRule.wrongType.rawValue }
}

extension Shape {
    /// Whether a value has this shape as far as its kind says. A shape that takes any value does not decide.
    func takes(_ value: YAMLNode) -> Bool {
        switch (self, value.content) {
        case (.either(let shapes), _): shapes.contains { $0.takes(value) }
        case (.text(_, _, let takesScalars), .scalar(let scalar)):
            takesScalars ? !scalar.isNull : scalar.isText
        case (.choice(let names), .scalar(let scalar)): names.contains(scalar.text)
        case (.integer(let range), .scalar(let scalar)): scalar.integer.map { range.contains($0) } ?? false
        case (.boolean, .scalar(let scalar)): scalar.boolean != nil
        case (.list(let element), .sequence(let elements)): elements.allSatisfy { element.takes($0) }
        case (.section(let section), .mapping(let entries)):
            !entries.isEmpty
                && entries.allSatisfy { entry in section.keys.contains { $0.name == entry.key } }
        default: false
        }
    }
}

extension YAMLNode {
    /// The keys that lead to the value at a span.
    fileprivate func path(to span: SourceSpan) -> [String]? {
        for entry in entries ?? [] {
            if entry.value.span == span { return [entry.key] }
            if let path = entry.value.path(to: span) { return [entry.key] + path }
        }
        return nil
    }
}
