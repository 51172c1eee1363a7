import CarnetFoundation

extension YAMLComment {
    /// The comments of a string: each `#` at the start of a line or after white space that no scalar holds.
    ///
    /// - Parameter scalars: the characters of each scalar, in the order of the text.
    static func all(in text: SourceText, outside scalars: [Range<Int>]) -> [YAMLComment] {
        var comments: [YAMLComment] = []
        var offset = text.startOffset
        var scalars = scalars[...]
        while let sign = text.bytes.place(of: UInt8(ascii: "#"), from: offset) {
            offset = sign + 1
            let character = text.characterIndex(ofOffset: sign)
            while let scalar = scalars.first, scalar.upperBound <= character { scalars.removeFirst() }
            if let scalar = scalars.first, scalar.contains(character) {
                offset = text.offset(ofCharacter: scalar.upperBound)
                continue
            }
            guard isAfterSpace(sign, in: text) else { continue }
            let start = text.position(ofOffset: sign)
            let end = text.lineRange(start.line)?.upperBound ?? sign
            comments.append(
                YAMLComment(
                    text: trimmed(text.bytes[(sign + 1)..<end]),
                    span: SourceSpan(start: start, end: text.position(ofOffset: end)))
            )
            offset = end
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
