import CarnetLint

extension SequenceDiagram {
    /// For a terminal of this many columns.
    package func text(width: Int) -> [String] {
        let width = max(Self.minimumWidth, min(Self.usualWidth, width))
        let space = (width - Self.left - Self.right) / (Party.allCases.count - 1)
        let columns = Party.allCases.map { Self.left + $0.rawValue * space }
        let life = Canvas(width, columns)
        var lines = (0..<2).map { number in
            var line = Canvas(width, [])
            for party in Party.allCases where number < party.name.count {
                line.put(party.name[number], centredAt: columns[party.rawValue])
            }
            return line.text
        }
        for arrow in arrows {
            let (start, end) = (columns[arrow.from.rawValue], columns[arrow.to.rawValue])
            var label = life
            label.put(TerminalText.escaped(arrow.text), from: start, towards: end)
            var line = life
            line.draw(from: start, to: end, with: arrow.number == nil ? "╌" : "─")
            lines += [label.text, line.text]
        }
        return lines + [life.text]
    }

    private static let usualWidth = 80
    private static let minimumWidth = 60
    /// The columns beside the first and the last line of life: half of a name.
    private static let left = 6
    private static let right = 6
}

/// One line of the picture.
private struct Canvas {
    private var cells: [Character]

    init(_ width: Int, _ lives: [Int]) {
        cells = Array(repeating: " ", count: width)
        for column in lives { cells[column] = "│" }
    }

    var text: String {
        var text = String(cells)
        while text.last == " " { text.removeLast() }
        return text
    }

    mutating func put(_ text: String, centredAt column: Int) { put(Array(text), at: column - text.count / 2) }

    /// Beside the line that the arrow starts at, cut at the edge.
    mutating func put(_ text: String, from start: Int, towards end: Int) {
        let room = start < end ? cells.count - start - 2 : start - 1
        let shown = text.count <= room ? Array(text) : Array(text.prefix(room - 1)) + ["…"]
        put(shown, at: start < end ? start + 2 : start - 1 - shown.count)
    }

    private mutating func put(_ text: [Character], at column: Int) {
        for (index, character) in text.enumerated() where cells.indices.contains(column + index) {
            cells[column + index] = character
        }
    }

    mutating func draw(from start: Int, to end: Int, with line: Character) {
        let between = min(start, end) + 1..<max(start, end)
        for column in between { cells[column] = line }
        cells[start < end ? end - 1 : end + 1] = start < end ? "▶" : "◀"
    }
}
