import CarnetDescriptors
import CarnetFoundation

/// A section of the descriptor that says how an assertion is made.
struct AssertionSection: Sendable {
    let name: String
    let rules: AssertionRules
    let place: Place<AssertionRules>

    /// Whether a registration can need the assertion. The default methods stand for those that the metadata announces.
    func isUsed(in context: LintContext) -> Bool {
        !isOfClient || !context.places.client.authentication.isWritten
            || context.descriptor.client.methods.contains(where: \.usesAssertion)
    }

    /// Whether the assertion authenticates the client.
    var isOfClient: Bool { name == Self.clientName }

    private static let clientName = "client.assertion"

    static func all(in descriptor: ProviderDescriptor, _ places: Place<DescriptorRules>) -> [AssertionSection] {
        let grant = (descriptor.jwtBearer.assertion.rules, places.jwtBearer.assertion.rules)
        return [
            AssertionSection(name: clientName, rules: descriptor.client.assertion, place: places.client.assertion),
            AssertionSection(name: "jwt_bearer.assertion", rules: grant.0, place: grant.1),
        ]
    }
}
