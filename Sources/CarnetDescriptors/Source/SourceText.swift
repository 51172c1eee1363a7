import CarnetFoundation

/// The lines of a file, and the way between positions and byte offsets.
///
/// A line ends with LF, CRLF or CR; a byte order mark belongs to no line and has no column. A byte that is not UTF-8
/// counts as a character. No lookup takes longer because a line is long.
package struct SourceText: Sendable {
    package let bytes: [UInt8]
    /// Where the text starts: after the byte order mark, if there is one.
    package let startOffset: Int
    private let lineStarts: [Int]
    /// The offset of every 256th character; empty for ASCII, where offsets and characters are the same.
    private let checkpoints: [Int]

    package init(_ file: SourceFile) {
        self.init(bytes: file.bytes)
    }

    package init(bytes: [UInt8]) {
        self.bytes = bytes
        let start = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        startOffset = start
        (lineStarts, checkpoints) = bytes.withUnsafeBufferPointer { bytes in
            let (lineStarts, isASCII) = Self.lineStarts(of: bytes, from: start)
            return (lineStarts, isASCII ? [] : Self.checkpoints(of: bytes, from: start))
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let checkpointDistance = 256

    private static func lineStarts(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> ([Int], isASCII: Bool) {
        var starts = [start]
        starts.reserveCapacity(bytes.count / 24)
        let hasReturns = bytes.place(of: UInt8(ascii: "\r"), from: start) != nil
        var offset = start
        while let lineBreak = hasReturns
            ? bytes[offset...].firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
            : bytes.place(of: UInt8(ascii: "\n"), from: offset)
        {
            offset = lineBreak + 1
            if bytes[lineBreak] == UInt8(ascii: "\r"), offset < bytes.count, bytes[offset] == UInt8(ascii: "\n") {
                offset += 1
            }
            starts.append(offset)
        }
        // Without a branch, many bytes are looked at at once.
        var union: UInt8 = 0
        for offset in start..<bytes.count { union |= bytes[offset] }
        return (starts, union < 0x80)
    }

    private static func checkpoints(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> [Int] {
        var checkpoints: [Int] = []
        var offset = start
        var untilNext = 0
        while offset < bytes.count {
            if untilNext == 0 {
                checkpoints.append(offset)
                untilNext = checkpointDistance
            }
            offset += UTF8Sequence.length(in: bytes, at: offset)
            untilNext -= 1
        }
        return checkpoints
    }

    // MARK: Lines

    /// The number of lines; a line break at the end of the file starts one more, empty line.
    package var lineCount: Int { lineStarts.count }

    /// The byte offsets of a line without its line break; `nil` if there is no such line.
    package func lineRange(_ line: Int) -> Range<Int>? {
        guard line >= 1, line <= lineStarts.count else { return nil }
        let start = lineStarts[line - 1]
        guard line < lineStarts.count else { return start..<bytes.count }
        var end = lineStarts[line] - 1
        if bytes[end] == UInt8(ascii: "\n"), end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return start..<end
    }

    /// The text of a line without its line break; bytes that are not UTF-8 become U+FFFD.
    package func line(_ line: Int) -> String? {
        lineRange(line).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    // MARK: Positions

    /// The byte offset of a position, the end of a line included; `nil` if the text has no such place.
    package func offset(of position: SourcePosition) -> Int? {
        guard let range = lineRange(position.line), (1...bytes.count + 1).contains(position.column) else { return nil }
        let offset = offset(ofCharacter: characterIndex(ofOffset: range.lowerBound) + position.column - 1)
        return offset <= range.upperBound ? offset : nil
    }

    /// The position of a byte offset; an offset inside a line break is the end of its line.
    package func position(ofOffset offset: Int) -> SourcePosition {
        let line = Self.lastIndex(in: lineStarts, notAfter: offset)
        let range = lineRange(line + 1) ?? startOffset..<startOffset
        let end = min(max(offset, range.lowerBound), range.upperBound)
        let column = characterIndex(ofOffset: end) - characterIndex(ofOffset: range.lowerBound)
        return SourcePosition(line: line + 1, column: column + 1)
    }

    /// The byte offsets of a span; `nil` if one of its ends is not in the text.
    package func range(of span: SourceSpan) -> Range<Int>? {
        guard let start = offset(of: span.start), let end = offset(of: span.end), start <= end else { return nil }
        return start..<end
    }

    /// The text that a span covers.
    package func text(in span: SourceSpan) -> String? {
        range(of: span).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    // MARK: Characters

    /// The byte offset of a character, counted from 0; the end of the text, if it has fewer.
    func offset(ofCharacter index: Int) -> Int {
        guard !checkpoints.isEmpty else { return min(startOffset + index, bytes.count) }
        let checkpoint = min(index / Self.checkpointDistance, checkpoints.count - 1)
        return bytes.withUnsafeBufferPointer { bytes in
            var offset = checkpoints[checkpoint]
            var remaining = index - checkpoint * Self.checkpointDistance
            while remaining > 0, offset < bytes.count {
                offset += UTF8Sequence.length(in: bytes, at: offset)
                remaining -= 1
            }
            return offset
        }
    }

    /// How many characters lie before a byte offset.
    func characterIndex(ofOffset end: Int) -> Int {
        guard !checkpoints.isEmpty else { return end - startOffset }
        let checkpoint = Self.lastIndex(in: checkpoints, notAfter: end)
        return bytes.withUnsafeBufferPointer { bytes in
            var offset = checkpoints[checkpoint]
            var index = checkpoint * Self.checkpointDistance
            while offset < end {
                offset += UTF8Sequence.length(in: bytes, at: offset)
                index += 1
            }
            return index
        }
    }

    /// The index of the last of the ascending numbers that is not greater; 0 if there is none.
    private static func lastIndex(in numbers: [Int], notAfter number: Int) -> Int {
        var low = 0
        var high = numbers.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if numbers[middle] <= number { low = middle } else { high = middle }
        }
        return low
    }
}
