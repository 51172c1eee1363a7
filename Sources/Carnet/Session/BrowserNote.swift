package import CarnetFoundation
package import CarnetProtocol

/// What a web site keeps with the tokens of one browser, to list the browsers of a person.
package struct BrowserNote: Codable, Hashable, Sendable {
    /// The `User-Agent` of the sign-in, truncated.
    package var name: String?
    package var signedInAt: Date
    /// The end of the site's session. Afterwards no cookie names the record.
    package var expiresAt: Date
    /// What the site knows of the person, if it keeps that; `nil` in older records.
    package var claims: KeptClaims?

    package init(name: String?, signedInAt: Date, expiresAt: Date) {
        self.name = name
        self.signedInAt = signedInAt
        self.expiresAt = expiresAt
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

    /// How long claims are in use with tokens that do not expire, so that no refresh confirms them, in seconds.
    private static let longestUse: TimeInterval = 3600

    package init(_ claims: JSONObject, names: [String], issuedAt: Date, readAt: Date) {
        self.names = names
        text = JSONValue.object(claims).jsonText()
        self.issuedAt = issuedAt
        self.readAt = readAt
    }

    package var claims: JSONObject { (try? JSONValue(parsing: text))?.object ?? JSONObject() }

    /// Whether they are what the site wants to know, read with these tokens.
    package func isCurrent(_ names: [String], with tokens: TokenSet, at now: Date) -> Bool {
        guard issuedAt == tokens.issuedAt, self.names.elementsEqual(names, by: { $0.isSameBytes(as: $1) }) else {
            return false
        }
        return tokens.expiresAt != nil || readAt.map { abs(now.timeIntervalSince($0)) < Self.longestUse } ?? false
    }
}
