public import CarnetDescriptors
public import CarnetFoundation

/// YAML parsers that nobody here wrote: `Tests/Peers/read_yaml.py`.
public enum YAMLParsers {
    /// What the parsers read in each text, by the parser's name: a value or an error.
    public static func read(_ texts: [String]) throws -> [(parser: String, results: [JSONValue])] {
        let answer = try PeerProgram.answer(of: "read_yaml.py", to: .array(texts.map(JSONValue.string)))
        return (answer.object?.members ?? []).map { ($0.name, $0.value.array ?? []) }
    }

    /// What Carnet reads in a text.
    public static func value(of file: SourceFile) -> JSONValue? {
        YAMLReader().read(file).root.map(value)
    }

    private static func value(of node: YAMLNode) -> JSONValue {
        switch node.content {
        case .mapping(let entries):
            .object(JSONObject(members: entries.map { JSONObject.Member(name: $0.key, value: value(of: $0.value)) }))
        case .sequence(let elements): .array(elements.map(value))
        case .scalar(let scalar):
            if scalar.isNull {
                .null
            } else if let boolean = scalar.boolean {
                .bool(boolean)
            } else if let number = scalar.number {
                .number(number)
            } else {
                .string(scalar.text)
            }
        }
    }

    /// The first place where two readings differ, as a path; `nil` if they mean the same.
    public static func difference(_ left: JSONValue, _ right: JSONValue, at path: String = "") -> String? {
        switch (left, right) {
        case (.object(let left), .object(let right)):
            for member in left.members {
                guard let other = right[member.name] else { return "\(path)/\(member.name) is missing" }
                if let found = difference(member.value, other, at: "\(path)/\(member.name)") { return found }
            }
            return right.members.count == left.members.count ? nil : "\(path) has more members"
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return "\(path) has another length" }
            return left.indices.lazy.compactMap { difference(left[$0], right[$0], at: "\(path)/\($0)") }.first
        case (.number(let left), .number(let right)):
            // As a number of JavaScript, which has no others.
            return Double(left) == Double(right) ? nil : "\(path): \(left), \(right)"
        default: return left == right ? nil : "\(path): \(left.jsonText()), \(right.jsonText())"
        }
    }
}
