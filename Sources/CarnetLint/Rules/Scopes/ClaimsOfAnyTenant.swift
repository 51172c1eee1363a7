import CarnetDescriptors
import CarnetFoundation

struct ClaimsOfAnyTenant: LintRule {
    let explanation = DiagnosticExplanation(
        "S015", name: "claims-of-any-tenant", severity: .warning,
        summary: "A resource needs claims that any tenant of the provider can state.",
        rationale: """
            Everybody can create a tenant at some providers, and its administrator chooses the claims of its tokens. A resource \
            server therefore accepts the claims only of a tenant that the resource or an input names, and refuses every other \
            request for the resource. Add the claim that names the tenant, or give the input of the issuer no default.
            """,
        references: ["OpenID Connect Core 1.0, sections 2 and 5.7", "CVE-2024-21632"],
        bad: """
            issuer: https://id.acme.example/{tenant}
            issuer_match: { template: "https://id.acme.example/{tid}" }
            inputs: { tenant: { title: Tenant, example: common, default: common } }
            api: { base_url: https://api.acme.example }
            resources:
              - { title: Reports, url: /reports, claims: ⟦{ department: finance }⟧ }
            """,
        good: """
            issuer: https://id.acme.example/{tenant}
            issuer_match: { template: "https://id.acme.example/{tid}" }
            inputs: { tenant: { title: Tenant, example: common, default: common } }
            api: { base_url: https://api.acme.example }
            resources:
              - { title: Reports, url: /reports, claims: { department: finance, tid: acme } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard case .template(let template, _, _) = descriptor.issuerMatch,
            descriptor.resources.contains(where: { !$0.claims.isEmpty }),
            // An input without a default is what the host chooses.
            (descriptor.issuer?.inputNames ?? []).allSatisfy({
                template.inputNames.contains($0) || descriptor.inputs[$0]?.defaultValue != nil
            }),
            let tenants = (try? descriptor.resolve(inputs: descriptor.exampleInputs()))?.shared.tenants(of: nil)
        else { return [] }
        return descriptor.resources.enumerated().compactMap { index, resource in
            guard !resource.claims.isEmpty, !tenants.isChosen(by: resource.claims.names) else { return nil }
            return finding(
                "any tenant can state these claims", in: context, at: context.places.resources[index].claims.span,
                help: "add the claims that name the tenant: \(tenants.claims.joined(separator: ", "))")
        }
    }
}
