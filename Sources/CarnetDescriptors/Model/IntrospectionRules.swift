/// The introspection request (RFC 7662, section 2.1) and its answer.
package struct IntrospectionRules: Sendable {
    package internal(set) var request = RequestRules()
    package internal(set) var jwt: SignedAnswerRules?

    init() {}
}

extension IntrospectionRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("jwt", \.jwt, "the JWT that the answer must be (RFC 9701)")
        ]
}
