import CarnetDescriptors

struct SubjectOfAnyProvider: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G021", name: "subject-of-any-provider",
        summary: "The program behind the proxy gets a subject or groups, and not the provider that states them.",
        rationale: """
            Each provider has its own subjects and groups. With several providers in the file, two people may have the same \
            subject, and everybody can create a group of any name somewhere: the program takes one person for the other. The \
            program needs a header with the provider or the issuer. So it does with one provider of many tenants: there, only the \
            issuer or account.id distinguishes two people.
            """,
        references: ["OpenID Connect Core 1.0, section 5.7"],
        bad: [
            "providers: [acme, globex]\nheaders: { ⟦X-Auth-User⟧: \"{account.subject}\" }\n",
            "providers: [acme, globex]\nheaders: { X-Auth-Email: \"{account.email}\", ⟦X-Auth-Groups⟧: \"{account.groups}\" }\n",
        ],
        good: [
            "providers: [acme, globex]\nheaders: { X-Auth-User: \"{account.id}\" }\n",
            "headers: { X-Auth-User: \"{account.subject}\" }\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let headers = context.rules.headers.all
        let hasTenants =
            context.registry.map { registry in
                context.rules.providers.contains { $0.openTenants(in: registry) != nil }
            } ?? false
        let isTold = headers.map(\.template).contains {
            $0.has(.issuer) || $0.has(.id) || !hasTenants && $0.has(.provider)
        }
        guard context.rules.providers.count > 1 || hasTenants, !isTold else { return [] }
        return headers.compactMap { header in
            if header.template.has(.subject) {
                return GatewayFinding(
                    "the subject may be of any provider\(hasTenants ? " or tenant" : "")", at: header.span,
                    help: "write {account.id}")
            }
            guard header.template.has(.groups) else { return nil }
            return GatewayFinding(
                "the groups may be of any provider", at: header.span, help: "add a header with {account.id}")
        }
    }
}

extension HeaderTemplate {
    fileprivate func has(_ value: IdentityValue) -> Bool { parts.contains(.value(value)) }
}
