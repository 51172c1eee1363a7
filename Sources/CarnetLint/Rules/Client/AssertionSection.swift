import CarnetDescriptors

/// A section of the descriptor that says how an assertion is made.
struct AssertionSection: Sendable {
    let name: String
    let rules: AssertionRules
    let place: Place<AssertionRules>

    static func all(in descriptor: ProviderDescriptor, _ places: Place<ProviderDescriptor>) -> [AssertionSection] {
        let grant = (descriptor.jwtBearer.assertion.rules, places.jwtBearer.assertion.rules)
        return [
            AssertionSection(
                name: "client.assertion", rules: descriptor.client.assertion, place: places.client.assertion),
            AssertionSection(name: "jwt_bearer.assertion", rules: grant.0, place: grant.1),
        ]
    }
}
