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
                var place = 0
                // Three bytes are four characters.
                for start in stride(from: 0, to: bytes.count, by: 3) {
                    var group = UInt32(bytes[start]) << 16
                    if start + 1 < bytes.count { group |= UInt32(bytes[start + 1]) << 8 }
                    if start + 2 < bytes.count { group |= UInt32(bytes[start + 2]) }
                    for character in 0..<min(4, length - place) {
                        text[place + character] = alphabet[Int(group >> UInt32(18 - 6 * character)) & 63]
                    }
                    place += 4
                }
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
                var index = 0
                while index < text.count {
                    let length = min(4, text.count - index)
                    var group: UInt32 = 0
                    for offset in 0..<4 {
                        let value = offset < length ? sextets[Int(text[index + offset])] : 0
                        seen |= value
                        group = group << 6 | UInt32(value & 63)
                    }
                    for byte in 0..<(length * 3 / 4) {
                        output[count] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * byte))
                        count += 1
                    }
                    // Bits that are set beyond the last byte would make a second spelling of the same bytes.
                    if length < 4 { stray = group & (length == 2 ? 0xFFFF : 0xFF) }
                    index += 4
                }
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
