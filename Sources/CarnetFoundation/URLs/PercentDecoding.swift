/// The only decoder of percent-encoded text (RFC 6749, appendix B; RFC 3986, section 2.1).
package enum PercentDecoding {
    /// - Parameter plus: What `+` stands for: itself, or a space in a form.
    /// - Returns: `nil` for a bad escape, a NUL, invalid UTF-8, or a string that is costly to compare (see
    /// `String.isStreamSafe`).
    package static func text(of encoded: Slice<UnsafeBufferPointer<UInt8>>, plus: UInt8) -> String? {
        Work.count(encoded.count)
        if encoded.allSatisfy(ASCII.isUnreserved) { return String(decoding: encoded, as: UTF8.self) }
        var output: [UInt8] = []
        output.reserveCapacity(encoded.count)
        var bytes = encoded.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case 0: return nil
            case UInt8(ascii: "+"): output.append(plus)
            case UInt8(ascii: "%"):
                guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue),
                    high | low != 0
                else { return nil }
                output.append(high << 4 | low)
            default: output.append(byte)
            }
        }
        return String(utf8: output[...]).flatMap { $0.isStreamSafe ? $0 : nil }
    }

    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
