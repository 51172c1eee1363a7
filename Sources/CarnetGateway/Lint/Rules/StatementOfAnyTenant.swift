import CarnetDescriptors
import CarnetFoundation

struct StatementOfAnyTenant: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G024", name: "statement-of-any-tenant",
        summary: "A condition trusts what any tenant of a provider says.",
        rationale: """
            Some providers have many tenants, and everybody can create one. A tenant's administrator chooses its groups, roles, \
            scopes and addresses, so an attacker's own tenant says what the condition demands. Fix the tenant with the \
            provider's inputs, or add the claim that names the tenant. The gateway does not start with such a file, and no such \
            condition is met.
            """,
        references: ["OpenID Connect Core 1.0, sections 2 and 5.7", "CVE-2024-21632"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard let registry = context.registry else { return [] }
        return context.conditions.compactMap { _, condition in
            guard let key = condition.keyOfStatements else { return nil }
            for provider in context.rules.providers(of: condition) {
                guard let tenants = provider.openTenants(in: registry), !tenants.isChosen(by: condition.claims.names)
                else { continue }
                let input = provider.descriptor(in: registry)?.issuer?.inputNames.first
                let claims = tenants.claims.map { "\($0): VALUE" }.joined(separator: ", ")
                return GatewayFinding(
                    "any tenant of \(provider.id) can state this \(key.key)", at: key.keySpan,
                    help: (input.map { "write inputs: { \($0): ONE-TENANT } at the provider, or " } ?? "")
                        + "add claim: { \(claims) } to the condition",
                    related: ("the provider", provider.span))
            }
            return nil
        }
    }
}
