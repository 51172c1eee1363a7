/// A JSON value that keeps the order of members and the exact digits of numbers.
///
/// An identifier such as `9007199254740993` survives, because no number becomes a binary float.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// The members of a JSON object in their order; no two names are the same bytes.
public struct JSONObject: Hashable, Sendable {
    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var members: [Member]

    package init() { members = [] }

    /// Takes members whose names are known to differ.
    package init(members: [Member]) { self.members = members }

    public subscript(name: String) -> JSONValue? {
        get {
            Work.count(members.count)
            for index in members.indices where members[index].name.isSameBytes(as: name) { return members[index].value }
            return nil
        }
        set {
            let index = members.firstIndex { $0.name.isSameBytes(as: name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// A member, if it says something: `null` and an empty string count as a member that is not there. Servers in
    /// languages without optional values write empty strings.
    package subscript(stated name: String) -> JSONValue? {
        // Not as a literal nil in an expression, which would be a JSON null.
        if let value = self[name], value.isStated { value } else { Optional.none }
    }

    package mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    /// Appends a member that is known to be new.
    package mutating func append(_ name: String, _ value: JSONValue) {
        members.append(Member(name: name, value: value))
    }
}

extension JSONValue {
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    public var double: Double? {
        guard case .number(let text) = self else { return nil }
        // A Double holds every integer of fifteen digits.
        return (text.utf8.count <= 15 ? Int(text).map(Double.init) : nil) ?? Double(text)
    }

    public var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

    package var isNull: Bool { if case .null = self { true } else { false } }

    /// Whether it says something: `null` and an empty string do not.
    package var isStated: Bool { !isNull && string?.isEmpty != true }

    /// The member of an object; `nil` for any other kind of value.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The member of an object, if it says something: `null` and an empty string count as a member that is not there.
    package subscript(stated name: String) -> JSONValue? { object?[stated: name] }

    /// The text of a string, number or boolean, for identifiers and claims of any of these types.
    package var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(String(value)) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}
