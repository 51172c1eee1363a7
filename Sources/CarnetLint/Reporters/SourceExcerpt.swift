import CarnetDescriptors

/// One line of a file as it is shown above an underline. Secrets in it are masked.
struct SourceExcerpt {
    /// The line with tabs as spaces and nothing that a terminal would obey; cut to a window if it is very long.
    let line: String
    /// How many columns of the terminal lie before the span.
    let indentation: Int
    /// How many columns the span takes, at least one.
    let length: Int

    private static let tabWidth = 4
    private static let maximumWidth = 160

    /// - Parameter hidesSpan: Whether the span itself is a secret.
    init?(_ span: SourceSpan, in text: SourceText, hidesSpan: Bool = false) {
        guard let range = text.lineRange(span.start.line) else { return nil }
        let lineEnd = text.position(ofOffset: range.upperBound).column
        let window = Self.window(around: span, lineEnd: lineEnd)
        let shown = SourceSpan(
            start: SourcePosition(line: span.start.line, column: window.lowerBound),
            end: SourcePosition(line: span.start.line, column: window.upperBound))
        guard let source = text.text(in: shown) else { return nil }
        var cells = Self.cells(of: MaskedSecrets.masking(source))
        let prefix = window.lowerBound > 1 ? "…" : ""
        let first = min(max(span.start.column - window.lowerBound, 0), cells.count)
        let end = span.end.line == span.start.line ? span.end.column - window.lowerBound : cells.count
        let last = min(max(first, end), cells.count)
        if hidesSpan {
            for index in first..<last where cells[index].width > 0 { cells[index] = Cell(text: "*", width: 1) }
        }
        line = prefix + cells.map(\.text).joined() + (window.upperBound < lineEnd ? "…" : "")
        indentation = TerminalText.width(prefix) + cells[..<first].reduce(0) { $0 + $1.width }
        length = max(1, cells[first..<last].reduce(0) { $0 + $1.width })
    }

    /// The text that shows one Unicode scalar of the source.
    private struct Cell {
        var text: String
        var width: Int
    }

    private static func cells(of source: String) -> [Cell] {
        var cells: [Cell] = []
        var column = 0
        for character in source {
            let scalars = Array(character.unicodeScalars)
            if character == "\t" {
                let width = tabWidth - column % tabWidth
                cells.append(Cell(text: String(repeating: " ", count: width), width: width))
            } else if scalars.contains(where: TerminalText.mustBeEscaped) {
                for scalar in scalars {
                    let text = TerminalText.escaped(String(scalar))
                    cells.append(Cell(text: text, width: TerminalText.width(text)))
                }
            } else {
                // The parts of one character share its width; a span that cuts it starts where it starts.
                cells.append(Cell(text: String(character), width: TerminalText.width(character)))
                cells += repeatElement(Cell(text: "", width: 0), count: scalars.count - 1)
            }
            column = column + cells.suffix(scalars.count).reduce(0) { $0 + $1.width }
        }
        return cells
    }

    /// The columns that are shown: all of them, or those around the span.
    private static func window(around span: SourceSpan, lineEnd: Int) -> Range<Int> {
        guard lineEnd - 1 > maximumWidth else { return 1..<lineEnd }
        let start = max(1, min(span.start.column - maximumWidth / 4, lineEnd - maximumWidth))
        return start..<min(lineEnd, start + maximumWidth)
    }
}
