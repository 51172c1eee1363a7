/// An example of a rule: a text with `⟦` and `⟧` around each place where the rule finds something.
package struct MarkedExample: Hashable, Sendable {
    /// The text without the marks.
    package let text: String
    /// Where the marks stood, as positions of `text`.
    package let spans: [SourceSpan]

    package init(_ marked: String) {
        var text = ""
        var spans: [SourceSpan] = []
        var opened: [SourcePosition] = []
        var position = SourcePosition(line: 1, column: 1)
        var previous: Unicode.Scalar?
        for scalar in marked.unicodeScalars {
            switch scalar {
            case "⟦": opened.append(position)
            case "⟧":
                if let start = opened.popLast() { spans.append(SourceSpan(start: start, end: position)) }
            default:
                text.unicodeScalars.append(scalar)
                if scalar == "\n", previous == "\r" {
                    // The second half of a line break that has been counted.
                } else if scalar == "\n" || scalar == "\r" {
                    position = SourcePosition(line: position.line + 1, column: 1)
                } else if scalar != "\u{FEFF}" || previous != nil {
                    position.column += 1
                }
                previous = scalar
            }
        }
        self.text = text
        self.spans = spans.sorted()
    }

    /// An example that shows only the keys it is about: what a descriptor cannot do without is put before it. A gateway file
    /// stays as it is.
    package init(completing marked: String) {
        let lines = marked.split(whereSeparator: \.isNewline).map { $0.filter { !"⟦⟧".contains($0) } }
        func says(_ key: String) -> Bool { lines.contains { $0.hasPrefix(key + ":") } }
        guard !says("carnet"), !says("gateway") else {
            self.init(marked)
            return
        }
        var start = "carnet: 1\n"
        if !says("id") { start += "id: acme\n" }
        if !says("name") { start += "name: Acme\n" }
        if !says("issuer"), !says("endpoints"), !says("discovery_url") { start += "issuer: https://id.acme.example\n" }
        self.init(start + marked)
    }

    package func file(named path: String) -> SourceFile {
        SourceFile(path: path, bytes: Array(text.utf8))
    }
}
