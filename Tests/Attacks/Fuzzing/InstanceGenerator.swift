import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetTestSupport

/// Descriptors made from the JSON Schema, so that a key of the language is tried as soon as it exists.
struct InstanceGenerator {
    /// The names of keys, and the words that they take.
    let words: [String]
    private let schema: JSONValue
    private let definitions: JSONValue

    init() {
        schema = DescriptorSchema.document
        definitions = schema["$defs"] ?? [:]
        var words = Set<String>()
        Self.collect(schema, into: &words)
        self.words = words.sorted()
    }

    private static func collect(_ schema: JSONValue, into words: inout Set<String>) {
        if let properties = schema["properties"]?.object { words.formUnion(properties.members.map(\.name)) }
        words.formUnion((schema["enum"]?.array ?? []).compactMap(\.string))
        for member in schema.object?.members ?? [] { collect(member.value, into: &words) }
        for element in schema.array ?? [] { collect(element, into: &words) }
    }

    static let texts: [String] = [
        "acme", "Acme", "openid", "offline_access", "a b", "https://id.acme.example", "http://id.acme.example/",
        "https://{tenant}.acme.example/token?state=1", "https://u:p@acme.example/#x",
        "http://127.0.0.1:{port}/callback",
        "http://localhost/callback", "com.acme:/callback", "{tenant}", "{", "{{a}}", "{input.tenant}",
        "{token.access_token}",
        "{base64url}", "/a/b", "/~1", "/", "a.b", "required", "none", "plain", "S256", "HS256", "state", "nonce",
        "client_secret", "code_challenge", "Bearer", "Authorization", "2026-11-22", "2026-13-40", "RS256", "true",
        "3600",
        "-1", "1e400", "0x10", "null", "~", "", "é", "名前", "🌱", "\\u0000", "%20", "+", "*.acme.example", "^[a-z]+$",
        "(", "base",
    ]

    /// A whole descriptor.
    func text(_ random: inout SplitMix64) -> String {
        var text = "carnet: 1\nid: acme\nname: Acme\n"
        if random.once(in: 3) { text += "extends: base\n" } else { text += "issuer: https://id.acme.example\n" }
        guard let properties = rootProperties else { return text }
        var seen: Set<String> = ["carnet", "id", "name", "issuer", "extends"]
        for _ in 0..<1 + random.below(6) {
            let member = random.pick(properties)
            guard seen.insert(member.name).inserted else { continue }
            text += "\(member.name):" + written(value(of: member.value, depth: 0, &random), indentation: 0, &random)
        }
        return text
    }

    /// One key with a value, on one line.
    func entry(_ random: inout SplitMix64) -> String {
        guard let properties = rootProperties else { return "" }
        let member = random.pick(properties)
        return "\(member.name): " + value(of: member.value, depth: 1, &random).jsonText()
    }

    private var rootProperties: [JSONObject.Member]? {
        schema["else"].map { resolved($0) }?["properties"]?.object?.members
    }

    private func resolved(_ schema: JSONValue) -> JSONValue {
        guard let name = schema["$ref"]?.string?.split(separator: "/").last else { return schema }
        return definitions[String(name)] ?? [:]
    }

    private func value(of schema: JSONValue, depth: Int, _ random: inout SplitMix64) -> JSONValue {
        let schema = resolved(schema)
        if random.once(in: 40) { return random.pick([nil, true, 7, -1, .number("1.5"), "", [], [:], ["a": ["b"]]]) }
        if let choices = schema["enum"]?.array { return random.pick(choices) }
        if let constant = schema["const"] { return constant }
        if let alternatives = schema["anyOf"]?.array {
            return value(of: random.pick(alternatives), depth: depth, &random)
        }
        switch schema["type"]?.string {
        case "object": return object(of: schema, depth: depth, &random)
        case "array":
            guard let items = schema["items"], depth < 6 else { return [] }
            let count = Self.count(&random)
            return .array((0..<count).map { _ in value(of: items, depth: depth + 1, &random) })
        case "integer": return .number(String(random.pick([0, 1, 60, 3600, 100_000, -1])))
        case "boolean": return random.once(in: 2) ? true : false
        case "null": return nil
        default: return .string(random.pick(random.once(in: 3) ? words : Self.texts))
        }
    }

    /// How many elements: a few, and now and then as many as show work that grows faster than the file.
    private static func count(_ random: inout SplitMix64) -> Int {
        random.once(in: 100_000) ? 10_000 : random.below(4)
    }

    private func object(of schema: JSONValue, depth: Int, _ random: inout SplitMix64) -> JSONValue {
        guard depth < 6 else { return [:] }
        var object = JSONObject()
        if let properties = schema["properties"]?.object?.members, !properties.isEmpty {
            for _ in 0..<1 + random.below(4) {
                let member = random.pick(properties)
                object[member.name] = value(of: member.value, depth: depth + 1, &random)
            }
        }
        if let other = schema["additionalProperties"], other.object != nil {
            for _ in 0..<random.below(4) {
                object[random.pick(random.once(in: 2) ? words : Self.texts)] = value(
                    of: other, depth: depth + 1, &random)
            }
        }
        return .object(object)
    }

    /// The value of a key in one of YAML's styles, with a line break at its end.
    private func written(_ value: JSONValue, indentation: Int, _ random: inout SplitMix64) -> String {
        let comment = random.once(in: 6) ? " # \(random.pick(["ours", "🌱", "why: so"]))" : ""
        let space = String(repeating: " ", count: indentation + 2)
        if random.once(in: 4) { return " \(value.jsonText())\(comment)\n" }
        switch value {
        case .object(let object) where !object.members.isEmpty:
            let entries = object.members.map { member in
                let name = JSONValue.string(member.name).jsonText()
                return space + name + ":" + written(member.value, indentation: indentation + 2, &random)
            }
            return comment + "\n" + entries.joined()
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { "\(space)- \($0.jsonText())\(random.once(in: 8) ? " # so" : "")\n" }
            return comment + "\n" + lines.joined()
        case .string(let text):
            let isPlain = random.once(in: 2) && text.allSatisfy { $0.isLetter || $0.isNumber || "_-/.{}:".contains($0) }
            let quoted =
                random.once(in: 2) ? "'\(text.replacing("'", with: "''"))'" : JSONValue.string(text).jsonText()
            return " \(isPlain ? text : quoted)\(comment)\n"
        default: return " \(value.jsonText())\(comment)\n"
        }
    }
}
