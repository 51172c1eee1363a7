/// The introspection request (RFC 7662, section 2.1) and its response.
package struct IntrospectionRules: DescriptorSection, Sendable {
    package internal(set) var request = RequestRules()
    package internal(set) var authentication: ClientAuthenticationMethod?
    package internal(set) var jwt: SignedResponseRules?

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.url(name, of: .introspection) }

    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("authentication", \.authentication, RequestRules.authenticationSummary),
            Key("jwt", \.jwt, "the rules if the response must be a JWT (RFC 9701)"),
        ]
}

package struct ResolvedIntrospection: Sendable {
    package private(set) var request: ResolvedRequest
    package let authentication: ClientAuthenticationMethod?
    package var jwt: ResolvedSignedResponse

    init(_ rules: IntrospectionRules, with resolver: InputResolver) throws(ResolutionError) {
        request = try rules.request.resolve(with: resolver, key: "introspection")
        authentication = rules.authentication
        jwt = ResolvedSignedResponse(rules.jwt)
    }

    mutating func fill(_ values: TemplateValues) { request = request.filled(values) }
}
