import CarnetDescriptors

struct DeleteElsewhere: LintRule {
    let explanation = DiagnosticExplanation(
        "C051", name: "delete-elsewhere", summary: "A request that reads something uses DELETE.",
        rationale: """
            DELETE removes something; some providers revoke tokens this way. Requests for tokens and profiles use GET \
            or POST.
            """,
        references: ["RFC 9110, section 9.3.5"],
        bad: ["token: { method: ⟦DELETE⟧ }", "profile: { method: ⟦DELETE⟧ }"],
        good: "revocation: { method: DELETE }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = context.places
        let requests = context.requests.filter { $0.kind != .revocation }.compactMap { $0.rules }
        return (requests + places.profile.requests.all.map { $0.request }).map { $0.method }
            .filter { $0.text == RequestMethod.delete.rawValue }
            .map { finding("only a revocation can use DELETE", in: context, at: $0.span, help: "use GET or POST") }
    }
}
