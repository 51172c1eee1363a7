extension YAMLComment {
    /// The comments of a text: each `#` at the start of a line or after white space that no scalar holds.
    ///
    /// - Parameter spans: the scalars of the text in their order.
    static func all(in text: SourceText, outside spans: [SourceSpan]) -> [YAMLComment] {
        var comments: [YAMLComment] = []
        var offset = text.startOffset
        var gapIndex = 0
        while offset < text.bytes.count {
            let gapEnd = gapIndex < spans.count ? text.offset(of: spans[gapIndex].start) ?? offset : text.bytes.count
            while offset < gapEnd {
                if text.bytes[offset] == UInt8(ascii: "#"), isAfterSpace(offset, in: text) {
                    let start = text.position(ofOffset: offset)
                    let end = text.lineRange(start.line)?.upperBound ?? offset
                    comments.append(
                        YAMLComment(
                            text: trimmed(text.bytes[(offset + 1)..<end]),
                            span: SourceSpan(start: start, end: text.position(ofOffset: end))
                        )
                    )
                    offset = end
                } else {
                    offset += 1
                }
            }
            guard gapIndex < spans.count else { break }
            offset = max(offset, text.offset(of: spans[gapIndex].end) ?? offset)
            gapIndex += 1
        }
        return comments
    }

    private static func isAfterSpace(_ offset: Int, in text: SourceText) -> Bool {
        guard offset > text.startOffset else { return true }
        return [0x20, 0x09, 0x0A, 0x0D].contains(text.bytes[offset - 1])
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let start = bytes.firstIndex { !isSpace($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
    }
}
