/// What a resource demands of the user's sign-in (RFC 9470, section 3).
public struct StepUp: Hashable, Sendable {
    /// The acceptable classes of authentication, best first.
    public var acrValues: [String]
    /// How many seconds ago the user may have signed in at most.
    public var maxAge: Int?

    public init(acrValues: [String] = [], maxAge: Int? = nil) {
        self.acrValues = acrValues
        self.maxAge = maxAge
    }
}

extension StepUp {
    /// The error code of a challenge that asks for it.
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
