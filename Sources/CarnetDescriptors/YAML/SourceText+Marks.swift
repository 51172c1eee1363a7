// The way from libyaml's marks back into the text, for the few places where they overshoot.
extension SourceText {
    /// The place after the last character before `end` that is no white space, but not before `start`.
    func trimmingSpace(before end: YAMLMark, notBefore start: YAMLMark) -> SourcePosition {
        let lowest = offset(ofCharacter: start.index)
        var offset = offset(ofCharacter: end.index)
        while offset > lowest, Self.isSpace(bytes[offset - 1]) { offset -= 1 }
        return position(ofOffset: offset)
    }

    /// The first place from `start` on that belongs to the value itself: not to its tag or anchor, nor to the comments
    /// and white space after these.
    func skippingProperties(from start: YAMLMark, to end: YAMLMark) -> SourcePosition {
        let last = offset(ofCharacter: end.index)
        var offset = offset(ofCharacter: start.index)
        while offset < last {
            switch bytes[offset] {
            case UInt8(ascii: "&"):
                // The value may follow at once: "&a:b" is the anchor "a" and the text ":b".
                offset += 1
                while offset < last, Self.isAnchorCharacter(bytes[offset]) { offset += 1 }
            case UInt8(ascii: "!"):
                while offset < last, !Self.isSpace(bytes[offset]) { offset += 1 }
            case UInt8(ascii: "#"):
                while offset < last, !Self.isBreak(bytes[offset]) { offset += 1 }
            case let byte where Self.isSpace(byte):
                offset += 1
            default:
                return position(ofOffset: offset)
            }
        }
        return position(ofOffset: last)
    }

    /// The characters that libyaml accepts in an anchor's name.
    private static func isAnchorCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || isBreak(byte)
    }

    private static func isBreak(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
}
