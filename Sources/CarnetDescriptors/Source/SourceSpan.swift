/// A position in a string: 1-based line, and 1-based column in Unicode scalars.
package struct SourcePosition: Hashable, Comparable, Sendable {
    // Every node of every tree has two positions, and no file has so many lines that half of an Int would not do.
    private var shortLine: Int32
    private var shortColumn: Int32

    package init(line: Int, column: Int) {
        shortLine = Int32(clamping: line)
        shortColumn = Int32(clamping: column)
    }

    package var line: Int {
        get { Int(shortLine) }
        set { shortLine = Int32(clamping: newValue) }
    }

    package var column: Int {
        get { Int(shortColumn) }
        set { shortColumn = Int32(clamping: newValue) }
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.shortLine, lhs.shortColumn) < (rhs.shortLine, rhs.shortColumn)
    }
}

/// A range in a string; `end` is the first position after it.
@usableFromInline
package struct SourceSpan: Hashable, Comparable, Sendable {
    package var start: SourcePosition
    package var end: SourcePosition

    package init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }

    /// The beginning of a file, for findings about the file as a whole.
    package static let fileStart = SourceSpan(
        start: SourcePosition(line: 1, column: 1), end: SourcePosition(line: 1, column: 1))

    @usableFromInline package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.start, lhs.end) < (rhs.start, rhs.end)
    }
}
