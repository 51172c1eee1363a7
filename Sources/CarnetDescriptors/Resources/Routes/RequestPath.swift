import CarnetFoundation

/// The path of a request in the only form in which it is compared: see `Docs/decisions/request-paths.md`.
///
/// A path that another program could read as another path is refused, not repaired.
package struct RequestPath: Sendable {
    /// The parts between slashes, as they arrived. A slash at the end adds none.
    package let segments: [ArraySlice<UInt8>]

    static let longest = 8 * 1024
    static let mostSegments = 128

    /// - Parameter target: The target of a request: its path with the query (RFC 9112, section 3.2.1).
    package init(_ target: String) throws(RequestPathProblem) {
        var bytes = Array(target.utf8)[...]
        Work.count(bytes.count)
        if let mark = bytes.firstIndex(of: UInt8(ascii: "?")) { bytes = bytes[..<mark] }
        guard bytes.count <= Self.longest else { throw .tooLong }
        guard bytes.first == UInt8(ascii: "/") else { throw .notAbsolute }
        var parts = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count <= Self.mostSegments else { throw .tooLong }
        for part in parts { try Self.check(part) }
        segments = parts
    }

    private static func check(_ segment: ArraySlice<UInt8>) throws(RequestPathProblem) {
        guard let last = segment.last else { throw .emptySegment }
        // `.` and `..`, and names that some systems cut at the dot.
        guard last != UInt8(ascii: ".") else { throw .dotSegment }
        guard segment.contains(UInt8(ascii: "%")) else {
            for byte in segment where !isPlain(byte) { throw .character(byte) }
            return
        }
        var rest = segment
        var decoded: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = hexDigit(rest.popFirst()), let low = hexDigit(rest.popFirst()) else {
                    throw .badEncoding
                }
                decoded.append(high << 4 | low)
                try check(decoded: high << 4 | low)
            } else if !isPlain(byte) {
                throw .character(byte)
            } else {
                decoded.append(byte)
            }
        }
        // An overlong form of a slash is none (RFC 3629, section 3), but some programs decode it.
        guard String(utf8: decoded[...]) != nil else { throw .badEncoding }
        guard decoded.last != 0x20 else { throw .dotSegment }
    }

    /// An octet that is percent-encoded. What needs no encoding has only one normal form (RFC 3986, section 6.2.2.2), and an
    /// encoded separator is one to a program that decodes before it splits.
    private static func check(decoded byte: UInt8) throws(RequestPathProblem) {
        if ASCII.isUnreserved(byte) { throw .needlessEncoding }
        if byte < 0x20 || byte == 0x7F || [0x2F, 0x5C, 0x3B, 0x25].contains(byte) { throw .encodedSeparator }
    }

    /// The bytes of a segment that was checked.
    static func decoded(_ segment: ArraySlice<UInt8>) -> [UInt8] {
        var rest = segment
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let high = hexDigit(rest.popFirst()), let low = hexDigit(rest.popFirst())
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Upper case only (RFC 3986, section 6.2.2.1).
    private static func hexDigit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case let byte? where ASCII.isDigit(byte): byte - 0x30
        case let byte? where (0x41...0x46).contains(byte): byte - 0x37
        default: nil
        }
    }

    /// The characters of a segment (RFC 3986, section 3.3) without the semicolon, which some programs take for the beginning
    /// of parameters.
    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || "!$&'()*+,=:@".utf8.contains(byte)
    }
}

/// Why a path is in no normal form.
package enum RequestPathProblem: Error, Hashable, Sendable {
    case tooLong
    case notAbsolute
    case emptySegment
    case dotSegment
    case badEncoding
    case needlessEncoding
    case encodedSeparator
    case character(UInt8)

    /// The end of a sentence about the path.
    package var reason: String {
        switch self {
        case .tooLong:
            "is longer than \(RequestPath.longest) bytes, or has more than \(RequestPath.mostSegments) segments"
        case .notAbsolute: "does not begin with a slash"
        case .emptySegment: "has two slashes in a row"
        case .dotSegment: "has a segment that ends in a dot or a space"
        case .badEncoding: "has a percent sign without two hexadecimal digits in upper case, or encodes no UTF-8"
        case .needlessEncoding: "encodes a character that needs no encoding"
        case .encodedSeparator: "encodes a separator, a percent sign or a control character"
        case .character(let byte):
            (0x21...0x7E).contains(byte)
                ? "has the character \(String(UnicodeScalar(byte)))" : "has a byte that is no character of a path"
        }
    }
}
