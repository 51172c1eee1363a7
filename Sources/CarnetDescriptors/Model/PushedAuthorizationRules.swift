/// Whether and how authorization requests are pushed (RFC 9126).
package struct PushedAuthorizationRules: Sendable {
    package internal(set) var use = PushedAuthorizationUse.auto
    package internal(set) var repeated: [String] = []

    init() {}
}

extension PushedAuthorizationRules: DescriptorSection {
    static let shorthand: String? = "use"

    static let keys: [Key<Self>] = [
        Key("use", \.use, "auto pushes where the metadata demands it or the descriptor names the endpoint"),
        Key("repeat", \.repeated, "parameters that go in the URL as well, beside client_id and request_uri"),
    ]
}

package enum PushedAuthorizationUse: String, DescriptorChoice, Sendable {
    case auto
    case always
    case never
}
