/// A path into a JSON value (RFC 6901). The empty pointer is the whole value.
package struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    package let tokens: [String]

    /// - Returns: `nil` if the text is neither empty nor starts with `/`, or has a `~` that is not `~0` or `~1`.
    package init?(_ text: String) {
        if text.isEmpty {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            var token = ""
            var rest = Substring(part)
            while let tilde = rest.utf8.firstIndex(of: UInt8(ascii: "~")) {
                token += rest[..<tilde]
                let next = rest.utf8.index(after: tilde)
                guard next < rest.endIndex, ["0", "1"].contains(rest.unicodeScalars[next]) else { return nil }
                token += rest.unicodeScalars[next] == "0" ? "~" : "/"
                rest = rest[rest.utf8.index(after: next)...]
            }
            tokens.append(token + rest)
        }
        self.tokens = tokens
    }

    package init(tokens: [String]) { self.tokens = tokens }

    package var description: String {
        tokens.map { token in
            var escaped = "/"
            for character in token {
                switch character {
                case "~": escaped += "~0"
                case "/": escaped += "~1"
                default: escaped.append(character)
                }
            }
            return escaped
        }.joined()
    }
}

extension Sequence<JSONPointer> {
    /// The places for a message, in which an empty pointer shows.
    package func listed(by separator: String = ", ") -> String {
        map { $0.tokens.isEmpty ? "\"\"" : $0.description }.joined(separator: separator)
    }
}

extension JSONValue {
    /// The value at a pointer, or `nil` if a step does not exist.
    package subscript(pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            switch value {
            case .object(let object):
                guard let next = object[token] else { return nil }
                value = next
            case .array(let elements):
                guard let index = Int(token), elements.indices.contains(index), token == String(index) else {
                    return nil
                }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// The first value, other than `null`, that one of the pointers leads to.
    package func first(of pointers: [JSONPointer]) -> JSONValue? {
        pointers.lazy.compactMap { self[$0] }.first { !$0.isNull }
    }

    /// The first value that says something, of a claim or of what is kept. A claim without a value should not be there
    /// (OpenID Connect Core, section 5.3.2); servers write an empty string for it, too.
    package func firstStated(of pointers: [JSONPointer]) -> JSONValue? {
        pointers.lazy.compactMap { self[$0] }.first(where: \.isStated)
    }

    /// Whether one of the pointers leads to a value. A member that is `null` or an empty
    /// string is there: it says that there is no value.
    package func hasMember(at pointers: [JSONPointer]) -> Bool { pointers.contains { self[$0] != nil } }

    /// Whether there is a member at one of the pointers, and none says something.
    package func saysNone(at pointers: [JSONPointer]) -> Bool {
        hasMember(at: pointers) && firstStated(of: pointers) == nil
    }

    /// Puts a value at a pointer, making the objects on the way; a step through any other kind replaces it.
    package mutating func set(_ value: JSONValue, at pointer: JSONPointer) {
        self = Self.setting(value, in: self, at: pointer.tokens[...])
    }

    private static func setting(_ value: JSONValue, in parent: JSONValue?, at tokens: ArraySlice<String>) -> JSONValue {
        guard let token = tokens.first else { return value }
        if case .array(var elements) = parent, let index = Int(token), elements.indices.contains(index) {
            elements[index] = setting(value, in: elements[index], at: tokens.dropFirst())
            return .array(elements)
        }
        var object = parent?.object ?? JSONObject()
        object[token] = setting(value, in: object[token], at: tokens.dropFirst())
        return .object(object)
    }
}
