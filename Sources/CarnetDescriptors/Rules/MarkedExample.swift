/// An example of a rule: a text with `⟦` and `⟧` around each place where the rule finds something.
public struct MarkedExample: Hashable, Sendable {
    /// The text without the marks.
    public let text: String
    /// Where the marks stood, as positions of `text`.
    public let spans: [SourceSpan]

    public init(_ marked: String) {
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

    public func file(named path: String) -> SourceFile {
        SourceFile(path: path, bytes: Array(text.utf8))
    }
}
