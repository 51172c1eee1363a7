import CarnetFoundation

/// What a web site keeps with the tokens of one browser, to list the browsers of a person.
package struct BrowserNote: Codable, Hashable, Sendable {
    /// The `User-Agent` of the sign-in, truncated.
    package var name: String?
    package var signedInAt: Date
    /// The end of the site's session. Afterwards no cookie names the record.
    package var expiresAt: Date

    package init(name: String?, signedInAt: Date, expiresAt: Date) {
        self.name = name
        self.signedInAt = signedInAt
        self.expiresAt = expiresAt
    }
}
