import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// The parameters of tools that a server wants in headers as well: revision 2026-07-28 (transports, "Custom Headers from Tool
/// Parameters"). They are known once the host has listed the tools.
struct ToolHeaders: Sendable {
    private struct Header {
        let name: HTTPField.Name
        /// The names of the properties that lead to the value.
        let path: [String]
    }

    private struct Mistake: Error {
        let reason: String
    }

    /// Of the tools that have any.
    private var headers: [ByteKey: [Header]] = [:]
    /// A server can list new tools without end.
    private static let maximumTools = 10_000
    /// Of one tool. Each request for it has them all.
    private static let maximumHeaders = 100

    /// - Returns: The list without the tools whose annotations are invalid, and why each is left out. The message itself if
    ///   there is none.
    mutating func read(_ message: Message) -> (message: Message, leftOut: [String]) {
        guard let result = message.members?.object("result"), let listed = result["tools"],
            listed.contains(Self.key.utf8), let document = (try? JSONValue(parsing: message.bytes))?.object,
            let tools = document["result"]?["tools"]?.array
        else { return (message, []) }
        var kept: [JSONValue] = []
        var leftOut: [String] = []
        for tool in tools {
            let name = tool["name"]?.string ?? ""
            do throws(Mistake) {
                var found: [Header] = []
                try Self.read(tool["inputSchema"] ?? .null, at: [], isReachable: true, &found)
                let key = ByteKey(name)
                guard found.isEmpty || headers[key] != nil || headers.count < Self.maximumTools else {
                    throw Mistake(reason: "\(Self.maximumTools) tools have headers already")
                }
                headers[key] = found.isEmpty ? nil : found
                kept.append(tool)
            } catch {
                leftOut.append("the tool \(name.quotable()) is left out: \(error.reason)")
            }
        }
        guard !leftOut.isEmpty, var object = document["result"]?.object else { return (message, []) }
        object["tools"] = .array(kept)
        var changed = document
        changed["result"] = .object(object)
        return (Message(JSONValue.object(changed).jsonText().utf8) ?? message, leftOut)
    }

    func fields(of message: Message) -> [HTTPField] {
        guard !headers.isEmpty, message.method == "tools/call", let call = message.members?.object("params"),
            let name = call.string("name"), let wanted = headers[ByteKey(name)], !wanted.isEmpty,
            let arguments = call["arguments"].flatMap({ try? JSONValue(parsing: $0) })
        else { return [] }
        return wanted.compactMap { header in
            let value = header.path.reduce(Optional(arguments)) { $0?[$1] }.flatMap(Self.text)
            return value.map { HTTPField(name: header.name, value: MessageHeaders.value($0)) }
        }
    }

    private static let key = "x-mcp-header"
    private static let types = ["string", "integer", "boolean"]
    /// What holds values, and no schemas.
    private static let data = ["const", "enum", "default", "examples"]
    /// The integers that a binary float holds.
    private static let integers = -9_007_199_254_740_991...9_007_199_254_740_991

    private static func read(
        _ schema: JSONValue, at path: [String], isReachable: Bool, _ found: inout [Header]
    ) throws(Mistake) {
        for element in schema.array ?? [] { try read(element, at: path, isReachable: false, &found) }
        guard let object = schema.object else { return }
        if let name = object[key] {
            guard isReachable, !path.isEmpty else { throw Mistake(reason: "\(key) is not at a property of the input") }
            guard let text = name.string, !text.isEmpty, let field = HTTPField.Name("Mcp-Param-" + text) else {
                throw Mistake(reason: "\(key) is not the name of a header")
            }
            guard types.contains(object["type"]?.string ?? "") else {
                throw Mistake(reason: "\(key) is at a property that is no string, integer or boolean")
            }
            guard found.count < maximumHeaders else { throw Mistake(reason: "\(key) is used \(maximumHeaders) times") }
            guard !found.contains(where: { $0.name == field }) else { throw Mistake(reason: "\(key) is used twice") }
            found.append(Header(name: field, path: path))
        }
        for member in object.members where !data.contains(member.name) {
            guard member.name == "properties", let properties = member.value.object else {
                try read(member.value, at: path, isReachable: false, &found)
                continue
            }
            for property in properties.members {
                try read(property.value, at: path + [property.name], isReachable: isReachable, &found)
            }
        }
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let bool): bool ? "true" : "false"
        case .number: value.integer.flatMap { integers.contains($0) ? String($0) : nil }
        case .null, .array, .object: nil
        }
    }
}
