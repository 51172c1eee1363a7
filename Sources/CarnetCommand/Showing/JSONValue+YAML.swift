import CarnetDescriptors
import CarnetFoundation

extension JSONValue {
    /// The value as YAML, for people; a document that reads back as the same value.
    var yamlLines: [String] {
        switch self {
        case .object(let object) where !object.members.isEmpty:
            object.members.flatMap { Self.lines(after: "\(Self.yamlText($0.name)):", $0.value) }
        case .array(let elements) where !elements.isEmpty:
            elements.flatMap { element in
                let lines = element.yamlLines
                return ["- " + lines[0]] + lines.dropFirst().map { "  " + $0 }
            }
        default: [scalar]
        }
    }

    private static func lines(after key: String, _ value: JSONValue) -> [String] {
        switch value {
        case .object(let object) where !object.members.isEmpty: [key] + value.yamlLines.map { "  " + $0 }
        case .array(let elements) where elements.allSatisfy({ $0.object == nil && $0.array == nil }):
            short("\(key) [\(elements.map(\.scalar).joined(separator: ", "))]") ?? [key] + block(value)
        case .array: [key] + block(value)
        default: ["\(key) \(value.scalar)"]
        }
    }

    private static func block(_ value: JSONValue) -> [String] {
        value.yamlLines.map { "  " + $0 }
    }

    private static func short(_ line: String) -> [String]? {
        line.count <= 90 ? [line] : nil
    }

    private var scalar: String {
        switch self {
        case .string(let text): Self.yamlText(text)
        default: jsonText()
        }
    }

    /// Plain where nobody can take it for anything else; otherwise as JSON quotes it, which YAML reads too.
    static func yamlText(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "_-./:+ ".utf8.contains(byte)
            }
            && text.utf8.first.map { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2F } ?? false
            && !text.contains(": ") && !text.hasSuffix(":") && !text.hasSuffix(" ")
            && !["true", "false", "null", "yes", "no", "on", "off"].contains(text.lowercased())
        return isPlain ? text : JSONValue.string(text).jsonText().printable
    }
}
