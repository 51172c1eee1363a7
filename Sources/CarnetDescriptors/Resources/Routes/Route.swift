package import CarnetFoundation

/// A resource of a map as a server decides about it.
package struct Route: Sendable {
    package let title: String
    /// Why a request without a token is handled; `nil` if a token is needed.
    package let anonymous: String?
    package let requirement: ScopeRequirement
    package let claims: [Named<ClaimRequirement>]
    /// The classes of authentication of which the token must name one; any if empty.
    package let acr: [String]
    /// How long ago the user may have signed in, in seconds.
    package let maxAge: Int?
    /// The position in the file.
    package let index: Int

    init(_ entry: ResourceEntry, at index: Int) {
        title = entry.title
        anonymous = entry.anonymous
        requirement = entry.requirement
        claims = entry.claims.items
        acr = entry.acr
        maxAge = entry.maxAge?.seconds
        self.index = index
    }

    /// Whether the routes decide alike about every token.
    func decides(like other: Route) -> Bool {
        requirement == other.requirement && claims == other.claims && acr == other.acr && maxAge == other.maxAge
            && (anonymous == nil) == (other.anonymous == nil)
    }

    /// Whether some token, or none, is enough for this route and not for the other.
    func needsLess(than other: Route) -> Bool {
        guard other.anonymous == nil, !decides(like: other) else { return false }
        return anonymous != nil
            || Set(requirement.allOf).isSubset(of: other.requirement.allOf)
                && (requirement.anyOf.isEmpty || requirement.anyOf == other.requirement.anyOf)
                && claims.allSatisfy(other.claims.contains) && (acr.isEmpty || acr == other.acr)
                && (maxAge == nil || maxAge == other.maxAge)
    }

    /// Whether a token of any kind is enough, or none.
    package var needsNothing: Bool {
        requirement.allOf.isEmpty && requirement.anyOf.isEmpty && claims.isEmpty && acr.isEmpty && maxAge == nil
    }

    /// Why a token is not enough.
    package enum Shortfall: Hashable, Sendable {
        /// The scopes to request.
        case scopes([String])
        /// The name of a claim that has none of the needed values.
        case claim(String)
        /// The user must sign in again (RFC 9470, section 3).
        case authentication
    }

    /// - Parameters:
    ///   - scopes: The granted scopes with all that they imply.
    ///   - skew: The tolerated difference between the clocks, in seconds.
    /// - Returns: `nil` if the token is enough.
    package func shortfall(scopes: Set<String>, claims all: JSONObject, now: Date, skew: TimeInterval) -> Shortfall? {
        let missing = requirement.missing(from: scopes)
        guard missing.isEmpty else { return .scopes(missing) }
        for claim in claims where !claim.value.isMet(by: all.claim(named: claim.name)) {
            return .claim(claim.name)
        }
        if !acr.isEmpty {
            guard let value = all["acr"]?.string, acr.containsBytes(of: value) else { return .authentication }
        }
        if let maxAge {
            guard let time = all["auth_time"]?.double, now.timeIntervalSince1970 <= time + Double(maxAge) + skew else {
                return .authentication
            }
        }
        return nil
    }
}

extension JSONObject {
    /// A claim by its name, or by a JSON Pointer.
    package func claim(named name: String) -> JSONValue? {
        guard name.utf8.first == UInt8(ascii: "/"), let pointer = JSONPointer(name) else { return self[name] }
        return JSONValue.object(self)[pointer]
    }
}
