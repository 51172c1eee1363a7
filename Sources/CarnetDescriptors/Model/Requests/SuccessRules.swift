package import CarnetFoundation

/// How to distinguish a token response from an error, if not by a status of success (RFC 6749, sections 5.1 and 5.2).
package struct SuccessRules: DescriptorSection, Sendable {
    package internal(set) var statuses: [SuccessStatus] = []
    package internal(set) var field: PointerList?
    package internal(set) var values: [JSONValue] = []

    static let keys: [Key<Self>] = [
        Key("statuses", \.statuses, "the HTTP statuses of success; default: 200 to 299"),
        Key("field", \.field, "the place of a member of the whole body that shows success or an error"),
        Key(
            "equals", \.values,
            "the values of field that mean success; a string is also the number or the boolean with this text, and null also means that the member is missing; default: true"
        ),
    ]

    /// Whether a response with this status may be one with tokens.
    package func accepts(status: Int) -> Bool {
        statuses.isEmpty ? (200..<300).contains(status) : statuses.contains { $0.code == status }
    }

    /// Whether the descriptor names a member that shows success.
    package var readsBody: Bool { field?.pointers.isEmpty == false }

    /// Whether the body states success; `nil` if the descriptor names no member for it.
    package func isSuccess(_ body: JSONValue) -> Bool? {
        guard readsBody, let field else { return nil }
        let value = body.first(of: field.pointers) ?? .null
        return expected.contains { $0 == value || $0.scalarText.map { $0 == value.scalarText } ?? false }
    }

    package var expected: [JSONValue] { values.isEmpty ? [true] : values }
}

/// A status of the class 2xx (RFC 9110, section 15.3).
package struct SuccessStatus: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 200...299 }
    package let code: Int

    init(_ value: Int) { code = value }
    var value: Int { code }
}
