import CarnetDescriptors
import CarnetFoundation

/// Media types as `Content-Type` fields have them (RFC 9110, section 8.3.1).
enum MediaType {
    /// Type and subtype without parameters, in lower case; empty if the value is too long or not ASCII.
    static func essence(of field: String) -> String {
        var essence: [UInt8] = []
        essence.reserveCapacity(32)
        for (place, byte) in field.utf8.enumerated() {
            Work.count()
            if byte == UInt8(ascii: ";") { break }
            guard place < ReceivedLimit.mediaType, byte < 0x80 else { return "" }
            if byte != 0x20 { essence.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) }
        }
        return String(decoding: essence, as: UTF8.self)
    }
}
