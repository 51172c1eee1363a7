/// What tells a token response from an error, where it is not the status 200 (RFC 6749, sections 5.1 and 5.2).
package struct SuccessRules: Sendable {
    package internal(set) var statuses: [SuccessStatus] = []
    package internal(set) var field: PointerList?
    package internal(set) var values: [JSONValue] = []

    init() {}
}

extension SuccessRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("statuses", \.statuses, "the statuses of success; 200 if not said"),
        Key("field", \.field, "the member of the whole body that tells success from an error with such a status"),
        Key("equals", \.values, "the values of field that say success; true if not said"),
    ]

    /// Whether a response with this status may be one with tokens.
    package func accepts(status: Int) -> Bool {
        statuses.isEmpty ? status == 200 : statuses.contains { $0.code == status }
    }

    /// What the body says of itself; `nil` if the descriptor names no member for it.
    package func isSuccess(_ body: JSONValue) -> Bool? {
        guard let field else { return nil }
        let value = body.first(of: field.pointers)?.scalarText
        return (values.isEmpty ? [true] : values).contains { $0.scalarText == value && value != nil }
    }
}

/// A status of the class 2xx (RFC 9110, section 15.3).
package struct SuccessStatus: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 200...299 }
    package let code: Int

    init(_ value: Int) { code = value }
}
