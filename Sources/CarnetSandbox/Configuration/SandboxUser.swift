public import CarnetDescriptors

/// Somebody who can sign in at the sandbox.
public struct SandboxUser: Hashable, Sendable {
    /// The name on the consent page.
    public var label: String
    /// Values by the claim names of a descriptor (`subject`, `name`, `email`, ...). What is not here is as in the
    /// descriptor's sample of the profile.
    public var claims: [String: JSONValue]

    public init(label: String, claims: [String: JSONValue] = [:]) {
        self.label = label
        self.claims = claims
    }

    /// The person whom the descriptor's samples describe.
    public static let sample = SandboxUser(label: "The person in the samples")

    /// Somebody else.
    public static let other = SandboxUser(
        label: "Björk Ångström",
        claims: [
            "subject": "100200300", "name": "Björk Ångström", "given_name": "Björk", "family_name": "Ångström",
            "username": "bjork", "email": "bjork@example.org", "email_verified": false,
        ]
    )
}
