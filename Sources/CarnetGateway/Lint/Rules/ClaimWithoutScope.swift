import CarnetDescriptors
import CarnetFoundation

struct ClaimWithoutScope: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G020", name: "claim-without-scope", severity: .warning,
        summary: "A rule needs a claim for which the provider requires a scope that is not requested.",
        rationale: """
            Some providers list the groups of a person at a URL of their own, which needs a scope. Without the scope, nobody \
            has the claim, and nobody meets the condition. The key 'scopes' of a provider requests more scopes than its \
            descriptor does.
            """
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard let registry = context.registry else { return [] }
        return context.rules.providers.flatMap { provider -> [GatewayFinding] in
            guard let descriptor = provider.descriptor(in: registry) else { return [] }
            let granted = ResourceMap([], scopes: descriptor.scopes).effectiveScopes(
                descriptor.scopes.defaults + descriptor.scopes.required + provider.scopes)
            return descriptor.profile.requests.flatMap { further -> [GatewayFinding] in
                guard !ScopeRequirement(anyOf: further.anyOf).missing(from: granted).isEmpty else { return [] }
                return context.conditions.compactMap { _, condition in
                    condition.key(wanting: further.claims.names, of: provider).map { key in
                        GatewayFinding(
                            "\(descriptor.name) reveals this only with the scope "
                                + further.anyOf.joined(separator: " or "),
                            at: condition.node.keySpan(key), help: "add to the provider: scopes: [\(further.anyOf[0])]",
                            related: ("the provider", provider.span))
                    }
                }
            }
        }
    }
}

extension GatewayCondition {
    /// The key that needs one of these claims of a provider's accounts.
    fileprivate func key(wanting names: [String], of provider: GatewayProvider) -> String? {
        guard providers.isEmpty || providers.contains(provider.id) else { return nil }
        func isWanted(_ place: String) -> Bool {
            names.containsBytes(of: place.hasPrefix("/") ? JSONPointer(place)?.tokens.first ?? place : place)
        }
        if !groups.isEmpty, isWanted(provider.groups) { return "group" }
        return claims.names.contains(where: isWanted) ? "claim" : nil
    }
}
