import CarnetLint

/// Rows of cells in aligned columns.
enum Table {
    /// The last column is as long as it needs to be; an empty end leaves no spaces behind.
    static func lines(_ rows: [[String]], indentation: Int = 0) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column -> Int in
            rows.map { column < $0.count ? TerminalText.width($0[column]) : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = String(repeating: " ", count: indentation)
            for (column, cell) in row.enumerated() {
                line += column == row.count - 1 ? cell : cell.padded(to: widths[column] + 2)
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }
}
