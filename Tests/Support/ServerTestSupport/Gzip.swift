/// Gzip as a server sends it (RFC 1952).
public enum Gzip {
    /// A member with these bytes in stored blocks.
    public static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        for start in stride(from: 0, through: max(bytes.count - 1, 0), by: 0xFFFF) {
            let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
            let length = UInt16(block.count)
            packed.append(block.endIndex == bytes.count ? 1 : 0)
            packed += littleEndian(length) + littleEndian(~length) + block
        }
        return packed + littleEndian(checksum(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian, Array.init)
    }

    /// CRC-32 (RFC 1952, section 8).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
        }
        return ~sum
    }
}
