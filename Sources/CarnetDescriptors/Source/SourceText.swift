/// The lines of a file, and the way between positions and byte offsets.
///
/// A line ends with LF, CRLF or CR; a byte order mark belongs to no line and has no column.
public struct SourceText: Sendable {
    public let bytes: [UInt8]
    /// Where the text starts: after the byte order mark, if there is one.
    public let startOffset: Int
    private let lineStarts: [Int]

    public init(_ file: SourceFile) {
        self.init(bytes: file.bytes)
    }

    public init(bytes: [UInt8]) {
        self.bytes = bytes
        startOffset = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        lineStarts = Self.lineStarts(of: bytes, from: startOffset)
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func lineStarts(of bytes: [UInt8], from start: Int) -> [Int] {
        var starts = [start]
        bytes.withUnsafeBufferPointer { bytes in
            var offset = start
            while offset < bytes.count {
                let byte = bytes[offset]
                offset += 1
                guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else { continue }
                if byte == UInt8(ascii: "\r"), offset < bytes.count, bytes[offset] == UInt8(ascii: "\n") { offset += 1 }
                starts.append(offset)
            }
        }
        return starts
    }

    /// The number of lines; a line break at the end of the file starts one more, empty line.
    public var lineCount: Int { lineStarts.count }

    /// The byte offsets of a line without its line break; `nil` if there is no such line.
    public func lineRange(_ line: Int) -> Range<Int>? {
        guard line >= 1, line <= lineStarts.count else { return nil }
        let start = lineStarts[line - 1]
        guard line < lineStarts.count else { return start..<bytes.count }
        var end = lineStarts[line] - 1
        if bytes[end] == UInt8(ascii: "\n"), end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// The text of a line without its line break; bytes that are not UTF-8 become U+FFFD.
    public func line(_ line: Int) -> String? {
        lineRange(line).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    /// The byte offset of a position, the end of a line included; `nil` if the text has no such place.
    public func offset(of position: SourcePosition) -> Int? {
        guard let range = lineRange(position.line), position.column >= 1 else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            var offset = range.lowerBound
            for _ in 1..<position.column {
                guard offset < range.upperBound else { return nil }
                offset += UTF8Sequence.length(in: bytes, at: offset)
            }
            return offset
        }
    }

    /// The position of a byte offset; an offset inside a line break is the end of its line.
    public func position(ofOffset offset: Int) -> SourcePosition {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let range = lineRange(low + 1) ?? startOffset..<startOffset
        let end = min(max(offset, range.lowerBound), range.upperBound)
        let column = bytes.withUnsafeBufferPointer { bytes in
            var offset = range.lowerBound
            var column = 1
            while offset < end {
                offset += UTF8Sequence.length(in: bytes, at: offset)
                column += 1
            }
            return column
        }
        return SourcePosition(line: low + 1, column: column)
    }

    /// The byte offsets of a span; `nil` if one of its ends is not in the text.
    public func range(of span: SourceSpan) -> Range<Int>? {
        guard let start = offset(of: span.start), let end = offset(of: span.end), start <= end else { return nil }
        return start..<end
    }

    /// The text that a span covers.
    public func text(in span: SourceSpan) -> String? {
        range(of: span).map { String(decoding: bytes[$0], as: UTF8.self) }
    }
}
