/// How an application is registered at the provider, for the person who does it.
package struct RegisterRules: DescriptorSection, Sendable {
    package internal(set) var url: String?
    package internal(set) var id: String?
    package internal(set) var secret: String?
    package internal(set) var notes: [String] = []

    static let keys: [Key<Self>] = [
        Key("url", \.url, "the page of the provider's console on which an application is registered"),
        Key("id", \.id, "the console's name for the client id"),
        Key("secret", \.secret, "the console's name for the client secret"),
        Key(
            "notes", \.notes,
            "what else the application needs, such as a product to enable, a review or test users; one sentence each"),
    ]
}
