import Testing

/// An oddity seen in the field, and either the key that says it, proved by a sign-in, or the reason why there is none.
struct Quirk: Sendable, CustomTestStringConvertible {
    enum Standing: Sendable {
        case proved(key: String, @Sendable () async throws -> Void)
        case missing(because: String)
    }

    let title: String
    /// How many providers of 343 in the largest public catalogue need it, and examples.
    let neededBy: String
    let standing: Standing

    /// A quirk that a descriptor can say.
    init(
        _ title: String, key: String, neededBy: String, proof: @escaping @Sendable () async throws -> Void
    ) {
        self.title = title
        self.neededBy = neededBy
        standing = .proved(key: key, proof)
    }

    /// A quirk that a descriptor cannot say.
    init(_ title: String, neededBy: String, missing reason: String) {
        self.title = title
        self.neededBy = neededBy
        standing = .missing(because: reason)
    }

    var testDescription: String { title }

    static let sections: [(title: String, quirks: [Quirk])] = [
        ("Endpoints and variables", addresses),
        ("Authorization request and callback", authorization),
        ("Token request", tokenRequest),
        ("Client assertions", clientAssertions),
        ("Token response", tokenResponse),
        ("Refresh, profile, resources and revocation", afterwards),
        ("ID token, callback and refresh", idToken),
        ("More of the profile, the access token and revocation", profile),
        ("Claims, conditions and parts of a URL", partsAndClaims),
        ("Values known only at run time", values),
        ("Conditions, optional steps and inputs", conditions),
        ("Credentials of single requests", credentials),
        ("Signing in on another device", device),
    ]
}
