/// Whether and how authorization requests are pushed (RFC 9126).
package struct PushedAuthorizationRules: DescriptorSection, Sendable {
    package internal(set) var use = PushedAuthorizationUse.auto
    package internal(set) var repeated: [String] = []

    static let shorthand: String? = "use"

    static let keys: [Key<Self>] = [
        Key(
            "use", \.use,
            "when to push; auto (default): if the metadata requires it or the descriptor names the endpoint"),
        Key("repeat", \.repeated, "parameters that are also in the URL, besides client_id and request_uri"),
    ]
}

package enum PushedAuthorizationUse: String, DescriptorChoice, Sendable {
    case auto, always, never
}
