/// The way from libyaml's character counts back into the text, for the few places where its marks overshoot.
struct CharacterIndex: Sendable {
    private let text: SourceText
    private let isASCII: Bool

    init(_ text: SourceText, isASCII: Bool) {
        self.text = text
        self.isASCII = isASCII
    }

    /// The place after the last character before `end` that is no white space, but not before `start`.
    func trimmingSpace(before end: YAMLMark, notBefore start: YAMLMark) -> SourcePosition {
        let lowest = offset(of: start)
        var offset = offset(of: end)
        while offset > lowest, Self.isSpace(text.bytes[offset - 1]) { offset -= 1 }
        return text.position(ofOffset: offset)
    }

    /// The first place from `start` on that belongs to the value itself: not to its tag or anchor, nor to the comments
    /// and white space after these.
    func skippingProperties(from start: YAMLMark, to end: YAMLMark) -> SourcePosition {
        let last = offset(of: end)
        var offset = offset(of: start)
        while offset < last {
            switch text.bytes[offset] {
            case UInt8(ascii: "&"), UInt8(ascii: "!"):
                while offset < last, !Self.isSpace(text.bytes[offset]) { offset += 1 }
            case UInt8(ascii: "#"):
                while offset < last, !Self.isBreak(text.bytes[offset]) { offset += 1 }
            case let byte where Self.isSpace(byte):
                offset += 1
            default:
                return text.position(ofOffset: offset)
            }
        }
        return text.position(ofOffset: last)
    }

    private func offset(of mark: YAMLMark) -> Int {
        if isASCII { return min(text.startOffset + mark.index, text.bytes.count) }
        return text.offset(of: mark.position) ?? text.bytes.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || isBreak(byte)
    }

    private static func isBreak(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
