/// How recently and how strongly the user must sign in (OpenID Connect Core, section 3.1.2.1; RFC 9470, section 3).
public struct AuthenticationRequirements: Hashable, Sendable {
    /// The authentication context classes, best first.
    package let acrValues: [String]
    /// The maximum age of the user's authentication, in seconds.
    package let maxAge: Int?
    /// Whether an ID token must name one of `acrValues`: a resource demands it.
    package var areRequired = false

    /// - Parameters:
    ///   - acrValues: The preferred classes, best first. The provider may choose another. To require a class, request an
    ///     essential `acr` in `claims`, or use the value of `OAuthError.stepUp`.
    ///   - maxAge: The maximum age of the user's authentication, in seconds. The ID token must prove it.
    public init(acrValues: [String] = [], maxAge: Int? = nil) {
        self.acrValues = acrValues
        self.maxAge = maxAge
    }
}

extension AuthenticationRequirements {
    /// The error code of a challenge that requires it.
    static let errorCode = "insufficient_user_authentication"

    init(_ challenge: BearerChallenge) {
        acrValues = challenge["acr_values"]?.split(separator: " ").prefix(16).map { String($0).quotable() } ?? []
        areRequired = !acrValues.isEmpty
        maxAge = challenge["max_age"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    var hint: String {
        var wanted: [String] = []
        if !acrValues.isEmpty { wanted.append("with acr_values " + acrValues.joined(separator: " ")) }
        if let maxAge { wanted.append("at most \(maxAge) seconds ago") }
        return (["sign in again"] + wanted).joined(separator: " ")
    }
}
