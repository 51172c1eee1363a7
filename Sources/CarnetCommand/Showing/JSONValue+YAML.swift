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
        func block() -> [String] { [key] + value.yamlLines.map { "  " + $0 } }
        switch value {
        case .object(let object) where !object.members.isEmpty: return block()
        case .array(let elements):
            guard elements.allSatisfy({ $0.object == nil && $0.array == nil }) else { return block() }
            let line = "\(key) [\(elements.map(\.scalar).joined(separator: ", "))]"
            return line.count <= 90 ? [line] : block()
        default: return ["\(key) \(value.scalar)"]
        }
    }

    private var scalar: String { string.map(YAMLText.plainOrQuoted) ?? jsonText() }
}
