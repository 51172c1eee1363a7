/// Why a string is not JSON that Carnet accepts, with the byte offset of the place.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: String
    package var offset: Int

    package var description: String { "\(reason) at byte \(offset)" }
}

extension JSONValue {
    /// Reads one JSON text (RFC 8259).
    ///
    /// Stricter than the RFC where a difference between two parsers could be abused: a repeated member name with a
    /// different value, a byte order mark, invalid UTF-8, a lone surrogate and nesting past `maximumDepth` are errors.
    /// So is a string that is costly to compare: see `String.isStreamSafe`.
    ///
    /// - Throws: `JSONError`.
    package init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 64) throws(JSONError) {
        var parser = JSONParser(bytes: ContiguousArray(bytes), maximumDepth: maximumDepth)
        self = try parser.parseDocument()
    }

    package init(parsing text: String, maximumDepth: Int = 64) throws(JSONError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
    }
}

package enum JSONNumber {
    /// Whether the bytes are exactly one JSON number (RFC 8259, section 6).
    package static func isValid(_ bytes: some Sequence<UInt8>) -> Bool {
        let bytes = ContiguousArray(bytes)
        return end(in: bytes, from: 0) == bytes.count && !bytes.isEmpty
    }

    /// The offset after the number that starts at `start`, or `nil` if there is none.
    static func end(in bytes: ContiguousArray<UInt8>, from start: Int) -> Int? {
        var index = start
        func isDigit() -> Bool { index < bytes.count && (0x30...0x39).contains(bytes[index]) }
        func skipDigits() -> Bool {
            guard isDigit() else { return false }
            while isDigit() {
                Work.count()
                index += 1
            }
            return true
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index += 1 }
        guard isDigit() else { return nil }
        if bytes[index] == UInt8(ascii: "0") { index += 1 } else { _ = skipDigits() }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() else { return nil }
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: "e") || bytes[index] == UInt8(ascii: "E") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard skipDigits() else { return nil }
        }
        return index
    }
}

private struct JSONParser {
    let bytes: ContiguousArray<UInt8>
    let maximumDepth: Int
    var index = 0

    mutating func parseDocument() throws(JSONError) -> JSONValue {
        let value = try parseValue(depth: 0)
        skipWhitespace()
        guard index == bytes.count else { throw error("unexpected text after the JSON value") }
        return value
    }

    private func error(_ reason: String) -> JSONError { JSONError(reason: reason, offset: index) }

    private mutating func skipWhitespace() {
        while index < bytes.count {
            Work.count()
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        skipWhitespace()
        guard depth <= maximumDepth else { throw error("JSON nested deeper than \(maximumDepth) levels") }
        guard index < bytes.count else { throw error("the JSON text ends early") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return try parseObject(depth: depth)
        case UInt8(ascii: "["): return try parseArray(depth: depth)
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
        case UInt8(ascii: "n"): return try parseWord("null", .null)
        default:
            guard let end = JSONNumber.end(in: bytes, from: index) else { throw error("not a JSON value") }
            defer { index = end }
            return .number(String(decoding: bytes[index..<end], as: UTF8.self))
        }
    }

    private mutating func parseWord(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ bytes[index..<end].elementsEqual($0) }) else {
            throw error("not a JSON value")
        }
        index = end
        return value
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> JSONValue {
        index += 1
        var elements: [JSONValue] = []
        if try takeIf(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try parseValue(depth: depth + 1))
            if try takeIf(UInt8(ascii: "]")) { return .array(elements) }
            guard try takeIf(UInt8(ascii: ",")) else { throw error("expected ',' or ']'") }
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONError) -> JSONValue {
        index += 1
        var object = JSONObject()
        /// The names of an object that is too large to be searched.
        var names = Set<ByteKey>()
        if try takeIf(UInt8(ascii: "}")) { return .object(object) }
        object.reserveCapacity(8)
        while true {
            skipWhitespace()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw error("expected a member name") }
            let name = try parseString()
            if object.members.count == Self.longestSearch { names = Set(object.members.map { ByteKey($0.name) }) }
            Work.count(min(object.members.count, Self.longestSearch))
            let isNew =
                object.members.count < Self.longestSearch
                ? !object.members.contains { $0.name.isSameBytes(as: name) } : names.insert(ByteKey(name)).inserted
            let repetition = isNew ? nil : error("a member name is repeated")
            guard try takeIf(UInt8(ascii: ":")) else { throw repetition ?? error("expected ':'") }
            let value = try parseValue(depth: depth + 1)
            if let repetition {
                // Every parser reads the same from two members with the same bytes.
                guard object.members.count < Self.longestSearch, let first = object[name],
                    first.jsonText().isSameBytes(as: value.jsonText())
                else { throw repetition }
            } else {
                object.append(name, value)
            }
            if try takeIf(UInt8(ascii: "}")) { return .object(object) }
            guard try takeIf(UInt8(ascii: ",")) else { throw error("expected ',' or '}'") }
        }
    }

    private static let longestSearch = 16

    /// Skips white space and takes the byte if it comes next.
    private mutating func takeIf(_ byte: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        guard index < bytes.count else { throw error("the JSON text ends early") }
        guard bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func parseString() throws(JSONError) -> String {
        index += 1
        return if let text = takePlainString() { text } else { try parseOtherString() }
    }

    /// Takes a string of ASCII characters without escapes. Several bytes are compared at once.
    private mutating func takePlainString() -> String? {
        bytes.withUnsafeBufferPointer { bytes in
            guard let end = bytes.place(of: UInt8(ascii: "\""), from: index) else { return nil }
            Work.count(end - index)
            let text = UnsafeBufferPointer(rebasing: bytes[index..<end])
            /// Not zero if there is a byte of another kind.
            var others: UInt8 = 0
            for byte in text { others |= byte & 0x80 | (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0) }
            guard others == 0 else { return nil }
            index = end + 1
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// A string that may have escapes and any characters.
    private mutating func parseOtherString() throws(JSONError) -> String {
        /// The text up to and including the latest escape.
        var unescaped = ContiguousArray<UInt8>()
        var start = index
        while true {
            index = endOfPlainText()
            guard index < bytes.count else { throw error("the JSON text ends inside a string") }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard let text = String(utf8: (unescaped + bytes[start..<index])[...]) else {
                    throw error("invalid UTF-8 in a string")
                }
                guard text.isStreamSafe else {
                    throw error("more than \(String.longestCombiningRow) combining characters in a row")
                }
                index += 1
                return text
            case UInt8(ascii: "\\"):
                unescaped += bytes[start..<index]
                unescaped += try parseEscape()
                start = index
            default: throw error("a control character in a string")
            }
        }
    }

    /// The offset of the next byte that means something in a string: its end, an escape, or a control character.
    private func endOfPlainText() -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            var end = index
            while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""),
                bytes[end] != UInt8(ascii: "\\")
            { end += 1 }
            Work.count(end - index)
            return end
        }
    }

    private mutating func parseEscape() throws(JSONError) -> [UInt8] {
        guard index + 1 < bytes.count else { throw error("the JSON text ends inside a string") }
        let escape = bytes[index + 1]
        index += 2
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [escape]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            let unit = try parseHexUnit()
            var units = [unit]
            if UTF16.isLeadSurrogate(unit), index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
                bytes[index + 1] == UInt8(ascii: "u")
            {
                index += 2
                units.append(try parseHexUnit())
            }
            guard let text = String(validating: units, as: UTF16.self) else { throw error("a lone surrogate") }
            return Array(text.utf8)
        default: throw error("an unknown escape")
        }
    }

    private mutating func parseHexUnit() throws(JSONError) -> UInt16 {
        guard index + 4 <= bytes.count else { throw error("the JSON text ends inside a string") }
        var unit: UInt16 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error("not a hex digit")
            }
            unit = unit << 4 | UInt16(digit)
        }
        index += 4
        return unit
    }
}
