/// UTF-8, one character at a time and without repair.
package enum UTF8Sequence {
    /// The well-formed UTF-8 sequence at an offset (Unicode 16, table 3-7).
    package static func scalar(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> (UInt32, length: Int)? {
        let first = bytes[offset]
        var second: ClosedRange<UInt8> = 0x80...0xBF
        let length: Int
        var scalar: UInt32
        switch first {
        case 0x00...0x7F: return (UInt32(first), 1)
        case 0xC2...0xDF: (length, scalar) = (2, UInt32(first & 0x1F))
        case 0xE0...0xEF:
            (length, scalar) = (3, UInt32(first & 0x0F))
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            (length, scalar) = (4, UInt32(first & 0x07))
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: return nil
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return nil }
        for index in 1..<length {
            guard bytes[offset + index] & 0xC0 == 0x80 else { return nil }
            scalar = scalar << 6 | UInt32(bytes[offset + index] & 0x3F)
        }
        return (scalar, length)
    }

    /// How many bytes the character at an offset takes; one for a byte that is not UTF-8.
    package static func length(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int {
        scalar(in: bytes, at: offset)?.length ?? 1
    }
}
