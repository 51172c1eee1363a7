/// What a resource requires of the user's sign-in (RFC 9470, section 3).
public struct StepUp: Hashable, Sendable {
    /// The acceptable authentication context classes, best first.
    public var acrValues: [String]
    /// The maximum age of the user's authentication, in seconds.
    public var maxAge: Int?

    public init(acrValues: [String] = [], maxAge: Int? = nil) {
        self.acrValues = acrValues
        self.maxAge = maxAge
    }
}

extension StepUp {
    /// The error code of a challenge that requires it.
    static let errorCode = "insufficient_user_authentication"

    init(_ challenge: BearerChallenge) {
        acrValues = challenge["acr_values"]?.split(separator: " ").prefix(16).map { String($0).quotable() } ?? []
        maxAge = challenge["max_age"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    var hint: String {
        var wanted: [String] = []
        if !acrValues.isEmpty { wanted.append("with acr_values " + acrValues.joined(separator: " ")) }
        if let maxAge { wanted.append("at most \(maxAge) seconds ago") }
        return (["sign in again"] + wanted).joined(separator: " ")
    }
}
