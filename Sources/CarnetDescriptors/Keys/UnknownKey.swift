/// What is said about a key that a mapping does not have.
extension DescriptorDecoder {
    /// - Parameters:
    ///   - below: The paths of a key in the sections of this mapping.
    ///   - elsewhere: What to write for a name that other programs use.
    mutating func reportUnknownKey(
        _ entry: YAMLEntry, allowed: [String], below: (String) -> [String] = { _ in [] },
        elsewhere: (String) -> String? = { _ in nil }
    ) {
        var (help, meant): (String?, String?)
        var moved: Fix?
        let renamed = Self.synonym(of: entry.key, in: allowed)
        if entry.hasNoColon {
            help = "a comma ends a value inside { }: put the whole text between quotes"
        } else if let renamed {
            meant = renamed
        } else if hasRoomForSuggestions {
            if let slip = nearestName(to: entry.key, in: allowed, within: 1) {
                meant = slip
            } else if let advice = elsewhere(entry.key) {
                help = advice
                moved = Self.moving(entry, as: advice)
            } else {
                var paths = below(entry.key)
                if paths.isEmpty { paths = everywhere?(entry.key) ?? [] }
                if (1...Self.mostPaths).contains(paths.count) {
                    help =
                        paths == [entry.key]
                        ? "it is a key at the top of the file"
                        : "it is a key of another section: " + paths.joined(separator: ", or ")
                } else {
                    meant = nearestName(to: entry.key, in: allowed)
                }
            }
        }
        let replaced = meant.map {
            Fix(
                "replace \"\(entry.key)\" by \"\($0)\"", renamed == nil ? .unsafe : .safe, at: entry.keySpan,
                writing: $0)
        }
        report(
            .unknownKey, "unknown key \"\(entry.key)\"", at: entry.keySpan,
            help: help ?? meant.map { "did you mean \"\($0)\"?" } ?? "allowed here: "
                + allowed.sorted().joined(separator: ", "),
            fix: replaced ?? moved)
    }

    /// Writes the URL of an endpoint where it belongs: `token_url: X` becomes `endpoints: { token: X }`.
    private static func moving(_ entry: YAMLEntry, as advice: String) -> Fix? {
        let start = "it is endpoints."
        guard advice.hasPrefix(start), let text = entry.value.scalar?.text, !text.isEmpty,
            entry.value.span.start.line == entry.value.span.end.line, !text.contains(where: { ",[]{}".contains($0) })
        else { return nil }
        let name = advice.dropFirst(start.count)
        let end = SourceSpan(start: entry.value.span.end, end: entry.value.span.end)
        return Fix(
            summary: "write endpoints: { \(name): \(text) }", applicability: .unsafe,
            edits: [
                Fix.Edit(span: entry.keySpan, replacement: "endpoints: { \(name)"),
                Fix.Edit(span: end, replacement: " }"),
            ])
    }

    private static let mostPaths = 4
}

extension YAMLEntry {
    /// Whether it is the rest of a text with a comma, inside `{ }`: there is nothing, not even a colon, after it.
    var hasNoColon: Bool {
        value.isNull && value.span.start == keySpan.end && value.span.end == keySpan.end
    }
}

extension [KeyDescription] {
    /// The paths at the first level that has some.
    ///
    /// - Parameter value: What the key must take.
    func paths(to name: String, levels: Int = 2, taking value: YAMLNode? = nil) -> [String] {
        let sections = flatMap { key in key.shape.sections.map { (key.name, $0.keys) } }
        let here = sections.filter { $0.1.has(name, taking: value) }.map { "\($0.0).\(name)" }
        guard here.isEmpty, levels > 1 else { return here }
        return sections.flatMap { key, keys in
            keys.paths(to: name, levels: levels - 1, taking: value).map { "\(key).\($0)" }
        }
    }

    func has(_ name: String, taking value: YAMLNode?) -> Bool {
        contains { key in key.name == name && value.map { key.shape.takes($0) } ?? true }
    }
}

extension Shape {
    /// The mappings with fixed keys that a value of this shape can be.
    var sections: [SectionDescription] {
        switch self {
        case .section(let section): [section]
        case .either(let shapes): shapes.flatMap(\.sections)
        default: []
        }
    }
}
