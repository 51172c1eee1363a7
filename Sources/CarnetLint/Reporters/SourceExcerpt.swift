import CarnetDescriptors

/// One line of a file as it is shown above an underline.
struct SourceExcerpt {
    /// The line with tabs as spaces and nothing that a terminal would obey; cut to a window if it is very long.
    let line: String
    /// How many columns of the terminal lie before the span.
    let indentation: Int
    /// How many columns the span takes, at least one.
    let length: Int

    private static let tabWidth = 4
    private static let maximumWidth = 160

    init?(_ span: SourceSpan, in text: SourceText) {
        guard let source = text.line(span.start.line) else { return nil }
        let cells = Self.cells(of: source)
        let first = min(span.start.column - 1, cells.count)
        let last = span.end.line == span.start.line ? min(span.end.column - 1, cells.count) : cells.count
        let window = Self.window(around: first..<max(first, last), in: cells)
        let before = window.range.lowerBound..<first
        let covered = first..<min(max(first, last), window.range.upperBound)
        line = window.prefix + cells[window.range].map(\.text).joined() + window.suffix
        indentation = TerminalText.width(window.prefix) + cells[before].reduce(0) { $0 + $1.width }
        length = max(1, cells[covered].reduce(0) { $0 + $1.width })
    }

    /// What one scalar of the source becomes.
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

    private static func window(
        around span: Range<Int>, in cells: [Cell]
    ) -> (range: Range<Int>, prefix: String, suffix: String) {
        guard cells.count > maximumWidth else { return (0..<cells.count, "", "") }
        let start = max(0, min(span.lowerBound - maximumWidth / 4, cells.count - maximumWidth))
        let end = min(cells.count, start + maximumWidth)
        return (start..<end, start > 0 ? "…" : "", end < cells.count ? "…" : "")
    }
}
