/// The grant of an assertion about somebody (RFC 7523, section 2.1).
package struct JWTBearerRules: DescriptorSection, Sendable {
    package internal(set) var grant = GrantRules()
    package internal(set) var assertion = GrantAssertionRules()
    package internal(set) var scopeIn = ScopePlace.parameter

    static let keys: [Key<Self>] =
        GrantRules.keys.map { $0.lifted(to: \.grant) } + [
            Key("assertion", \.assertion, "the JWT that the client signs, if the host passes none"),
            Key(
                "scope_in", \.scopeIn,
                "where the scopes are sent: parameter, or the claim scope of the client's assertion"),
        ]

    mutating func noteWritten() { grant.isWritten = true }
}

/// The assertion of a grant: what an assertion of the client's says, but for the parameter, which the grant knows.
package struct GrantAssertionRules: DescriptorSection, Sendable {
    package internal(set) var rules = AssertionRules()

    static let keys: [Key<Self>] = AssertionRules.keys.filter { $0.description.name != "send_as" }
        .map { $0.lifted(to: \.rules) }
}

/// Where the scopes of a grant by assertion go.
package enum ScopePlace: String, DescriptorChoice, Sendable {
    /// RFC 7521, section 4.1.
    case parameter
    case assertion
}

package struct ResolvedJWTBearer: Sendable {
    package private(set) var grant: Resolved<GrantRules>
    package let assertion: ResolvedAssertion
    package let scopeIn: ScopePlace

    init(
        _ rules: JWTBearerRules, with resolver: InputResolver, inheriting token: RequestRules
    ) throws(ResolutionError) {
        grant = try Resolved(rules.grant, with: resolver, key: "jwt_bearer", inheriting: token)
        assertion = try ResolvedAssertion(rules.assertion.rules, resolver, key: "jwt_bearer.assertion")
        scopeIn = rules.scopeIn
    }

    mutating func fill(_ values: TemplateValues) { grant.fill(values) }
}
