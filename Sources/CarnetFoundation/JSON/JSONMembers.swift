/// The members of a JSON object, found without reading their values.
///
/// For texts that are passed on as they are. A value of any size and depth takes one pass over its bytes.
package struct JSONMembers {
    private var members: [ByteKey: ArraySlice<UInt8>] = [:]

    /// - Returns: `nil` if the bytes are not one object whose names differ.
    package init?(_ bytes: ArraySlice<UInt8>) {
        var scanner = JSONScanner(bytes)
        guard scanner.take("{") else { return nil }
        while !scanner.take("}") {
            guard members.isEmpty || scanner.take(","), let quoted = scanner.string(),
                let name = (try? JSONValue(parsing: quoted))?.string, scanner.take(":"), let value = scanner.value(),
                members.updateValue(value, forKey: ByteKey(name)) == nil
            else { return nil }
        }
        guard scanner.isAtEnd else { return nil }
    }

    package subscript(name: String) -> ArraySlice<UInt8>? { members[ByteKey(name)] }

    package func object(_ name: String) -> JSONMembers? { self[name].flatMap { JSONMembers($0) } }

    package func string(_ name: String) -> String? { self[name].flatMap { try? JSONValue(parsing: $0) }?.string }

    /// The elements of an array; `nil` if the bytes are not one.
    package static func elements(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var scanner = JSONScanner(bytes)
        guard scanner.take("[") else { return nil }
        var elements: [ArraySlice<UInt8>] = []
        while !scanner.take("]") {
            guard elements.isEmpty || scanner.take(","), let value = scanner.value() else { return nil }
            elements.append(value)
        }
        return scanner.isAtEnd ? elements : nil
    }
}

/// Finds where JSON values end. What is in them may be invalid.
private struct JSONScanner {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) { (self.bytes, index) = (bytes, bytes.startIndex) }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return index == bytes.endIndex
        }
    }

    private mutating func skipSpace() {
        while index < bytes.endIndex, Self.isSpace(bytes[index]) { index += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard index < bytes.endIndex, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// A string with its quotes.
    mutating func string() -> ArraySlice<UInt8>? {
        skipSpace()
        let start = index
        guard take("\"") else { return nil }
        return endString() ? bytes[start..<index] : nil
    }

    private mutating func endString() -> Bool {
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return true }
        }
        index = bytes.endIndex
        return false
    }

    mutating func value() -> ArraySlice<UInt8>? {
        skipSpace()
        let start = index
        var depth = 0
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                guard endString() else { return nil }
                if depth == 0 { return bytes[start..<index] }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of what this value is in.
                guard depth > 0 else { return index > start ? bytes[start..<index] : nil }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return bytes[start..<index]
                }
            case let byte where depth == 0 && (byte == UInt8(ascii: ",") || Self.isSpace(byte)):
                return index > start ? bytes[start..<index] : nil
            default: break
            }
            index += 1
        }
        return depth == 0 && index > start ? bytes[start..<index] : nil
    }
}
