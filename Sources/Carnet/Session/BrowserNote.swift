package import CarnetFoundation
package import CarnetProtocol

/// What a web site keeps with the tokens of one browser, to list the browsers of a person.
package struct BrowserNote: Codable, Hashable, Sendable {
    /// The `User-Agent` of the sign-in, truncated.
    package var name: String?
    package var signedInAt: Date
    /// The end of the site's session. Afterwards no cookie names the record.
    package var expiresAt: Date
    /// The address of the person at the sign-in; `nil` in older records.
    package var email: String?
    /// The last request, or one shortly before it; `nil` if the site does not keep it.
    package var seenAt: Date?
    /// What the site knows of the person, if it keeps that; `nil` in older records.
    package var claims: KeptClaims?

    package init(name: String?, signedInAt: Date, expiresAt: Date) {
        (self.name, self.signedInAt, self.expiresAt) = (name, signedInAt, expiresAt)
    }
}

/// The claims of a person that a site keeps with the tokens.
package struct KeptClaims: Codable, Hashable, Sendable {
    /// The names that the site asked for.
    package let names: [String]
    /// The claims with these names, as JSON.
    package let text: String
    /// The time of the tokens that they were read with. Newer tokens may belong to a person with other claims.
    package let issuedAt: Date
    /// `nil` in older records.
    package let readAt: Date?
    /// Whether a part is older or missing, and may be read later; `nil` in older records.
    package let isIncomplete: Bool?

    /// When claims are read again although no refresh is due, in seconds.
    private static let readAgain: TimeInterval = 3600
    /// How long claims are in use while they cannot be read again, in seconds.
    private static let longestUse: TimeInterval = 12 * 3600

    package init(_ claims: JSONObject, names: [String], issuedAt: Date, readAt: Date, isIncomplete: Bool) {
        self.names = names
        text = JSONValue.object(claims).jsonText()
        (self.issuedAt, self.readAt, self.isIncomplete) = (issuedAt, readAt, isIncomplete)
    }

    package var claims: JSONObject { (try? JSONValue(parsing: text))?.object ?? JSONObject() }

    /// Whether they are what the site wants to know, read with these tokens.
    ///
    /// - Parameter areUsedUp: Whether nothing can be read with the tokens any more.
    package func isCurrent(_ names: [String], with tokens: TokenSet, areUsedUp: Bool, at now: Date) -> Bool {
        isIncomplete != true && issuedAt == tokens.issuedAt
            && age(at: now) < (areUsedUp ? Self.longestUse : Self.readAgain)
            && self.names.elementsEqual(names) { $0.isSameBytes(as: $1) }
    }

    /// Whether decisions may still use them if they cannot be read again.
    package func isUsable(at now: Date) -> Bool { age(at: now) < Self.longestUse }

    private func age(at now: Date) -> TimeInterval { abs(now.timeIntervalSince(readAt ?? issuedAt)) }
}
