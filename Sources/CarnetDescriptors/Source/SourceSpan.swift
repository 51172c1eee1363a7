/// A place in a text: 1-based line, 1-based column counted in Unicode scalars.
public struct SourcePosition: Hashable, Comparable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.line, lhs.column) < (rhs.line, rhs.column)
    }
}

/// A stretch of a text; `end` is the first position after it.
public struct SourceSpan: Hashable, Comparable, Sendable {
    public var start: SourcePosition
    public var end: SourcePosition

    public init(start: SourcePosition, end: SourcePosition) {
        self.start = start
        self.end = end
    }

    /// The beginning of a file, for findings about the file as a whole.
    public static let fileStart = SourceSpan(
        start: SourcePosition(line: 1, column: 1),
        end: SourcePosition(line: 1, column: 1)
    )

    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.start, lhs.end) < (rhs.start, rhs.end)
    }
}
