import CarnetDescriptors

/// The edit that takes a second element out of a list, if nothing else stands between it and the one before.
enum Removal {
    static func fix(ofElement index: Int, in elements: [YAMLNode], text: SourceText) -> Fix? {
        guard index > 0, elements.indices.contains(index) else { return nil }
        let span = SourceSpan(start: elements[index - 1].span.end, end: elements[index].span.end)
        let between = SourceSpan(start: span.start, end: elements[index].span.start)
        // A comment between the two must survive.
        guard let written = text.text(in: between), written.allSatisfy({ ", -\t\r\n".contains($0) || $0.isNewline })
        else { return nil }
        return Fix(.safe, "remove the second", at: span, with: "")
    }
}
