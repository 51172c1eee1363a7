import CarnetDescriptors
public import CarnetFoundation

/// A user of the sandbox.
public struct SandboxUser: Hashable, Sendable {
    /// The name on the consent page.
    package var label: String
    /// Values by the claim names of a descriptor (`subject`, `name`, `email`, ...). Other claims are those of the
    /// descriptor's sample of the profile.
    package var claims: [String: JSONValue]

    public init(label: String, claims: [String: JSONValue] = [:]) {
        self.label = label
        self.claims = claims
    }

    /// The user in the descriptor's samples.
    public static let sample = SandboxUser(label: "The person in the samples")

    /// Another user.
    public static let other = SandboxUser(
        label: "Björk Ångström",
        claims: [
            "subject": "100200300", "name": "Björk Ångström", "given_name": "Björk", "family_name": "Ångström",
            "username": "bjork", "email": "bjork@example.org", "email_verified": false,
        ]
    )
}
