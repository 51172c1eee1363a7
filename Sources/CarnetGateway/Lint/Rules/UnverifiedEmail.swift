import CarnetDescriptors
import CarnetFoundation

struct UnverifiedEmail: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G017", name: "unverified-email", severity: .warning,
        summary: "A condition needs an e-mail address, and no provider states that its addresses are verified.",
        rationale: """
            An address counts only if the provider states that it belongs to the person. A provider whose profile has no such \
            statement, as its descriptor and the sample in it show, makes the condition impossible. If administrators choose \
            the addresses, as in a company's directory, trust_email says so. At a provider with many tenants, an attacker is the \
            administrator of their own: fix the tenant before you trust its addresses.
            """,
        references: ["OpenID Connect Core 1.0, section 5.1"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard let registry = context.registry else { return [] }
        return context.conditions.compactMap { _, condition in
            let node = condition.node
            guard let key = ["email_domain", "email"].first(where: { node.entry($0) != nil }) else { return nil }
            let named = context.rules.providers(of: condition)
            let isMet = named.contains { provider in
                provider.trustsEmail != nil
                    || (try? registry.descriptor(provider.id))?.mayStateVerifiedEmail ?? true
            }
            guard !isMet, !named.isEmpty else { return nil }
            let ids = named.map(\.id.rawValue).joined(separator: ", ")
            return GatewayFinding(
                "no address counts: \(ids) \(named.count == 1 ? "does" : "do") not state that addresses are verified",
                at: node.keySpan(key),
                help:
                    "add trust_email: REASON to the provider if the administrators of your own tenant choose the addresses"
            )
        }
    }
}

extension ProviderDescriptor {
    /// Whether a profile may have the statement that the e-mail address is verified.
    var mayStateVerifiedEmail: Bool {
        let name = "email_verified"
        if self.profile.derive[name] != nil || self.profile.requests.contains(where: { $0.claims.contains(name) }) {
            return true
        }
        let claims = self.profile.effectiveClaims
        guard let pointers = claims.first(where: { $0.name == name })?.value, !pointers.isEmpty else { return false }
        // Other requests have the address, and none has the statement.
        if self.profile.requests.contains(where: { $0.claims.contains("email") }) { return false }
        guard let sample = self.samples.userinfo?[self.profile.root] else { return true }
        func has(_ name: String) -> Bool {
            claims.first { $0.name == name }?.value.contains { sample[$0] != nil } ?? false
        }
        return has(name) || !has("email")
    }
}
