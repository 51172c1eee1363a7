/// Base64url without padding (RFC 7515, section 2).
@usableFromInline
package enum Base64URL {
    @inlinable
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        if let text = bytes.withContiguousStorageIfAvailable(encode) { return text }
        return Array(bytes).withUnsafeBufferPointer(encode)
    }

    @usableFromInline
    static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let length = (bytes.count * 4 + 2) / 3
        return alphabet.withUnsafeBufferPointer { alphabet in
            String(unsafeUninitializedCapacity: length) { text in
                func character(_ group: UInt32, _ shift: UInt32) -> UInt8 { alphabet[Int(group >> shift) & 63] }
                var place = 0
                // Three bytes are four characters.
                let whole = bytes.count - bytes.count % 3
                for start in stride(from: 0, to: whole, by: 3) {
                    let group =
                        UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
                    text[place] = character(group, 18)
                    text[place + 1] = character(group, 12)
                    text[place + 2] = character(group, 6)
                    text[place + 3] = character(group, 0)
                    place += 4
                }
                guard whole < bytes.count else { return length }
                var last = UInt32(bytes[whole]) << 16
                if whole + 1 < bytes.count { last |= UInt32(bytes[whole + 1]) << 8 }
                for place in place..<length { text[place] = character(last, UInt32(18 - 6 * (place & 3))) }
                return length
            }
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Decodes the canonical form only: no padding, no white space, no stray bits at the end. A token has exactly one
    /// form.
    @inlinable
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        if let decoded = text.withContiguousStorageIfAvailable(decode) { return decoded }
        return Array(text).withUnsafeBufferPointer(decode)
    }

    @usableFromInline
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Work.count(text.count)
        // Four characters are three bytes; a single one is less than a byte.
        guard text.count % 4 != 1 else { return nil }
        return sextets.withUnsafeBufferPointer { sextets -> [UInt8]? in
            /// The bitwise or of all lookups: above six bits if a byte is not in the alphabet.
            var seen: UInt8 = 0
            var stray: UInt32 = 0
            let output = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { output, count in
                /// The bits of characters, from the highest of 24 on.
                func group(_ place: Int, _ length: Int) -> UInt32 {
                    var group: UInt32 = 0
                    for offset in 0..<length {
                        let value = sextets[Int(text[place + offset])]
                        seen |= value
                        group |= UInt32(value & 63) << UInt32(18 - 6 * offset)
                    }
                    return group
                }
                let whole = text.count & ~3
                for place in stride(from: 0, to: whole, by: 4) {
                    let group = group(place, 4)
                    output[count] = UInt8(truncatingIfNeeded: group >> 16)
                    output[count + 1] = UInt8(truncatingIfNeeded: group >> 8)
                    output[count + 2] = UInt8(truncatingIfNeeded: group)
                    count += 3
                }
                guard whole < text.count else { return }
                let last = group(whole, text.count - whole)
                output[count] = UInt8(truncatingIfNeeded: last >> 16)
                count += 1
                // Bits that are set beyond the last byte would make a second spelling of the same bytes.
                stray = last & 0xFFFF
                guard text.count - whole == 3 else { return }
                output[count] = UInt8(truncatingIfNeeded: last >> 8)
                count += 1
                stray = last & 0xFF
            }
            return seen < 64 && stray == 0 ? output : nil
        }
    }

    /// The value of each byte that is in the alphabet; 255 for all others.
    private static let sextets = {
        var sextets = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { sextets[Int(character)] = UInt8(value) }
        return sextets
    }()
}
