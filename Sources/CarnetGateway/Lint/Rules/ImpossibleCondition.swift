import CarnetDescriptors
import CarnetFoundation

struct ImpossibleCondition: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G011",
        name: "impossible-condition",
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

    func check(_ context: GatewayContext) -> [Diagnostic] {
        let issuers = context.rules.bearer.map(\.provider.rawValue)
        return context.conditions.flatMap { _, condition in check(condition, issuers, context) }
    }

    private func check(_ condition: GatewayCondition, _ issuers: [String], _ context: GatewayContext) -> [Diagnostic] {
        var found: [Diagnostic] = []
        if !condition.emailDomains.isEmpty {
            for email in condition.values(of: "email") {
                guard let address = email.scalar.flatMap({ EmailAddress($0.text) }),
                    !condition.emailDomains.containsBytes(of: address.domain)
                else { continue }
                found.append(
                    finding(
                        "the address is not of email_domain", context, at: email.span,
                        help: "make a list of two conditions, of which one is enough"))
            }
        }
        for claim in condition.node.entry("claim")?.value.entries ?? [] where claim.value.elements?.isEmpty == true {
            found.append(
                finding("no value of the claim is enough", context, at: claim.value.span, help: "name the values"))
        }
        guard !condition.clientIDs.isEmpty else { return found }
        if !condition.emails.isEmpty || !condition.emailDomains.isEmpty {
            found.append(
                finding(
                    "a program has no e-mail address", context, at: condition.keySpan("client_id"),
                    help: "make a list of two conditions, of which one is enough"))
        }
        for provider in condition.values(of: "provider") where !issuers.contains(provider.scalar?.text ?? "") {
            found.append(
                finding(
                    "its tokens are not accepted", context, at: provider.span, help: "add the provider to bearer"))
        }
        return found
    }
}
