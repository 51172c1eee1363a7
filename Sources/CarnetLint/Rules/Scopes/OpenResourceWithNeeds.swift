import CarnetDescriptors

struct OpenResourceWithNeeds: LintRule, RouteRule {
    let explanation = DiagnosticExplanation(
        "S013", name: "open-resource-with-needs", severity: .warning,
        summary: "A resource is open to anyone, and needs scopes or claims.",
        rationale: """
            With 'anonymous', a resource server handles requests without an access token. Then nobody has the scopes \
            and claims that the resource needs.
            """,
        bad: """
            scopes: { default: [photos] }
            resources:
              - title: ⟦Photos⟧
                url: https://api.acme.example/photos
                anonymous: everybody may see them
                scope: photos
            """,
        good: """
            resources:
              - { title: Health, url: https://api.acme.example/health, anonymous: the load balancer reads it }
            """)

    func check(_ resources: CheckedResources) -> [Diagnostic] {
        resources.problems.compactMap { problem in
            guard problem.kind == .openWithNeeds else { return nil }
            return explanation.diagnostic(
                problem.reason, file: resources.path,
                span: resources.title(problem.index), help: "remove 'anonymous', or what the resource needs")
        }
    }
}
