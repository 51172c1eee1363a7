package import CarnetFoundation

extension ResolvedProfile {
    /// Whether a value can be a claim. What a standard's member of another type means is unknown, such as the object
    /// `name` of some APIs: the claim is missing then. A descriptor's own pointer is taken at its word.
    package func accepts(_ value: JSONValue, as claim: String) -> Bool {
        guard described.claims[claim] == nil else { return true }
        return switch (claim, value) {
        case ("email_verified", .bool), ("email_verified", .string("true")), ("email_verified", .string("false")): true
        case ("email_verified", _), (_, .object), (_, .array), (_, .bool): false
        default: true
        }
    }
}
