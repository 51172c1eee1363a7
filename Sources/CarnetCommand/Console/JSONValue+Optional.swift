import CarnetDescriptors
public import CarnetFoundation

extension JSONValue {
    static func list(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map(JSONValue.string)) }

    static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    /// A time as RFC 3339 has it, or null.
    static func optional(_ date: Date?) -> JSONValue { .optional(date?.formatted(.iso8601)) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members.map { Named($0, $1) })
    }

    init(_ items: [Named<JSONValue>]) {
        self.init()
        for item in items { self[item.name] = item.value }
    }

    static func + (lhs: JSONObject, rhs: JSONObject) -> JSONObject {
        var merged = lhs
        for member in rhs.members { merged[member.name] = member.value }
        return merged
    }
}
