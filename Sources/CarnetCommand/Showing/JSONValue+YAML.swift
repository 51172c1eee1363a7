import CarnetDescriptors
import CarnetFoundation
import CarnetLint

extension JSONValue {
    /// The value as YAML, for people; a document that reads back as the same value.
    var yamlLines: [String] {
        switch self {
        case .object(let object) where !object.members.isEmpty:
            object.members.flatMap { Self.lines(after: "\(YAMLText.plainOrQuoted($0.name)):", $0.value) }
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
        case .string(let text): YAMLText.plainOrQuoted(text)
        default: jsonText()
        }
    }
}
