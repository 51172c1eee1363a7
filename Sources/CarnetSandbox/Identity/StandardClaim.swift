import CarnetDescriptors
import CarnetFoundation

/// A claim of OpenID Connect Core, section 5.1, with the scope that asks for it (section 5.4).
struct StandardClaim: Sendable {
    /// The claim's name in descriptors.
    let name: String
    let member: String
    let scope: String
    let example: JSONValue

    static let all: [StandardClaim] = [
        Self(name: "name", member: "name", scope: "profile", example: "Ada Example"),
        Self(name: "given_name", member: "given_name", scope: "profile", example: "Ada"),
        Self(name: "family_name", member: "family_name", scope: "profile", example: "Example"),
        Self(name: "username", member: "preferred_username", scope: "profile", example: "ada"),
        Self(name: "picture", member: "picture", scope: "profile", example: "https://example.com/ada.png"),
        Self(name: "locale", member: "locale", scope: "profile", example: "en"),
        Self(name: "email", member: "email", scope: "email", example: "ada@example.com"),
        Self(name: "email_verified", member: "email_verified", scope: "email", example: true),
    ]

    static let exampleSubject: JSONValue = "100000000000000000001"
}
