import CarnetDescriptors
import CarnetFoundation

struct GroupWithoutClaim: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G029", name: "group-without-claim", severity: .warning,
        summary: "A condition needs a group, and the provider's descriptor knows no claim with groups.",
        rationale: """
            Without the claim, nobody meets the condition. The claim is 'groups' unless the provider's key 'groups' in the \
            gateway file names another. Neither the profile in the descriptor, nor the sample in it, nor a scope has this \
            one. If an administrator has added it to the tokens, write groups: groups.
            """
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard let registry = context.registry else { return [] }
        return context.conditions.filter { !$0.condition.groups.isEmpty }.flatMap { _, condition in
            context.rules.providers(of: condition).compactMap { provider in
                guard provider.node.entry("groups") == nil, let descriptor = provider.descriptor(in: registry),
                    !descriptor.mayHaveClaim(provider.groups)
                else { return nil }
                return GatewayFinding(
                    "the descriptor of \(descriptor.name) names no claim \"\(provider.groups)\"",
                    at: condition.node.keySpan("group"),
                    help:
                        "add to the provider: groups: CLAIM, with the claim that has the groups; groups, if an administrator added it",
                    related: ("the provider", provider.span))
            }
        }
    }
}

extension ProviderDescriptor {
    /// Whether somebody's claims may contain a name. Without a sample of the profile, every name may be there.
    fileprivate func mayHaveClaim(_ name: String) -> Bool {
        // The administrator of a tenant decides about its claims.
        if self.issuer?.inputNames.isEmpty == false { return true }
        guard let sample = self.samples.userinfo?[self.profile.root] else { return true }
        return sample[name] != nil || self.profile.effectiveClaims.contains { $0.name == name }
            || self.profile.derive[name] != nil || self.profile.requests.contains { $0.claims.contains(name) }
            || self.scopes.catalog.contains { $0.id == name }
    }
}
