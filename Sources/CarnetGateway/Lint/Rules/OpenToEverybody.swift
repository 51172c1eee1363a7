import CarnetDescriptors

struct OpenToEverybody: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G023", name: "open-to-everybody", severity: .warning,
        summary: "A route lets in every account of a provider where anyone can register.",
        rationale: """
            At a consumer service, everybody can have an account. With signed_in or a provider as the only condition, the whole \
            world may open the route, behind a sign-in page that looks like protection. Demand an address, a domain, a group or \
            a subject. If everybody is meant, signed_in says why in the condition. The key accounts of a descriptor says who \
            can have an account; without it, a provider counts as open to anyone.
            """,
        references: ["RFC 9700, section 2"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard let registry = context.registry else { return [] }
        let open = context.rules.providers.filter { $0.isOpenToAnyone(in: registry) }
        func report(_ providers: [GatewayProvider], at span: SourceSpan) -> [GatewayFinding] {
            guard let first = providers.first else { return [] }
            return [
                GatewayFinding(
                    "everybody can have an account of \(providers.map(\.id.rawValue).joined(separator: ", "))",
                    at: span,
                    help: "demand email_domain, email or a group, or say why: allow: { signed_in: REASON }",
                    related: ("the provider", first.span))
            ]
        }
        return context.rules.routes.flatMap { route in
            if case .signedIn = route.allow { return report(open, at: route.node.span(of: "allow")) }
            return route.allow.conditions.filter { $0.keyOfStatements == nil && $0.signedIn == nil }.flatMap {
                condition in
                report(
                    open.filter { condition.providers.isEmpty || condition.providers.contains($0.id) },
                    at: condition.span)
            }
        }
    }
}
