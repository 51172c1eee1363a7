import CarnetDescriptors
import CarnetFoundation

struct ImpossibleCondition: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G011", name: "impossible-condition",
        summary: "Nobody can meet a condition.",
        rationale: """
            All keys of a condition must be met. An e-mail address of another domain than email_domain, a claim without a \
            value, or a program's client together with a person's address exclude each other. A list of conditions, of \
            which one is enough, was probably meant.
            """,
        bad: [
            "routes: [{ allow: { email_domain: example.com, email: [anna@example.com, ⟦bob@example.org⟧] } }]\n",
            "routes: [{ allow: { claim: { department: ⟦[]⟧ } } }]\n",
            "bearer: [acme]\nroutes: [{ bearer: true, allow: { ⟦client_id⟧: robot, email: anna@example.com } }]\n",
            "providers: [acme, globex]\nbearer: [acme]\nroutes: [{ bearer: true, allow: { provider: ⟦globex⟧, client_id: robot } }]\n",
        ],
        good: [
            "routes: [{ allow: [{ email_domain: example.com }, { email: bob@example.org }] }]\n",
            "routes: [{ allow: { claim: { department: [it, hr] } } }]\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let issuers = context.rules.bearer.map(\.provider.rawValue)
        return context.conditions.flatMap { _, condition in check(condition, issuers) }
    }

    private func check(_ condition: GatewayCondition, _ issuers: [String]) -> [GatewayFinding] {
        let node = condition.node
        let list = "make a list of two conditions, of which one is enough"
        let emails = node.values(of: "email").filter { email in
            guard let address = email.scalar.flatMap({ EmailAddress($0.text) }) else { return false }
            return !condition.emailDomains.isEmpty && !condition.emailDomains.containsBytes(of: address.domain)
        }.map { GatewayFinding("the address is not of email_domain", at: $0.span, help: list) }
        let claims = (node.entry("claim")?.value.entries ?? []).filter { $0.value.elements?.isEmpty == true }
            .map { GatewayFinding("no value of the claim is enough", at: $0.value.span, help: "name the values") }
        guard !condition.clientIDs.isEmpty else { return emails + claims }
        let hasAddress = !condition.emails.isEmpty || !condition.emailDomains.isEmpty
        let client = GatewayFinding("a program has no e-mail address", at: node.keySpan("client_id"), help: list)
        let providers = node.values(of: "provider").filter { !issuers.contains($0.scalar?.text ?? "") }
            .map { GatewayFinding("its tokens are not accepted", at: $0.span, help: "add the provider to bearer") }
        return emails + claims + (hasAddress ? [client] : []) + providers
    }
}
