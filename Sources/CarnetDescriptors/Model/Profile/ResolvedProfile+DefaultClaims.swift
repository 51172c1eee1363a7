package import CarnetFoundation

extension ResolvedProfile {
    /// Whether a value can be a claim. What a standard's member of another type means is unknown, such as the object
    /// `name` of some APIs: the claim is missing then. A descriptor's own pointer is taken at its word.
    package func accepts(_ value: JSONValue, as claim: String) -> Bool {
        guard value.canBe(claim) else { return false }
        guard described.claims[claim] == nil else { return true }
        return switch (claim, value) {
        case ("email_verified", _): true
        case (_, .object), (_, .array), (_, .bool): false
        default: true
        }
    }

    /// The value of a claim in the object with the claims.
    package func value(of claim: Named<[JSONPointer]>, below root: JSONValue) -> JSONValue? {
        if let found = root.firstStated(of: claim.value) { return value(of: claim.name, in: found) }
        return described.claims[claim.name]?.isPresence == true && !root.isNull ? false : nil
    }

    /// The value of a claim, of what is at its place: of a list, what the descriptor reads of its elements.
    package func value(of claim: String, in found: JSONValue) -> JSONValue? {
        guard let place = described.claims[claim] else { return found }
        return place.value(in: found)
    }
}

extension ProfileRules {
    /// What a claim such as `email_verified` states something about: `email`; `nil` for any other claim.
    package static func verified(by claim: String) -> String? {
        claim.hasSuffix("_verified") ? String(claim.dropLast("_verified".count)) : nil
    }
}

extension JSONValue {
    /// Whether a claim of this name can have the value. Only `email_verified` has a type that every reader relies on: the
    /// time of a verification, or a text, is neither true nor false.
    package func canBe(_ claim: String) -> Bool {
        guard claim == "email_verified" else { return true }
        return switch self {
        case .bool, .string("true"), .string("false"): true
        default: false
        }
    }
}
