import CarnetDescriptors

/// Media types as `Content-Type` fields have them (RFC 9110, section 8.3.1).
enum MediaType {
    /// Type and subtype without parameters, in lower case; empty if the value is too long or not ASCII.
    static func essence(of field: String) -> String {
        let bytes = field.utf8.prefix(ReceivedLimit.mediaType + 1).prefix { $0 != UInt8(ascii: ";") }
        Work.count(bytes.count)
        guard bytes.count <= ReceivedLimit.mediaType, bytes.allSatisfy({ $0 < 0x80 }) else { return "" }
        return String(decoding: bytes.filter { $0 != 0x20 }, as: UTF8.self).lowercased()
    }
}
