import CarnetDescriptors

struct ContradictoryResources: LintRule, RouteRule {
    let explanation = DiagnosticExplanation(
        "S012", name: "contradictory-resources", severity: .warning,
        summary: "Two resources are the same request, but need different scopes or claims.",
        rationale: """
            The method, host and path of a request decide what it needs, so two resources cannot demand different \
            things. If one of several scopes is enough, write one resource with any_of.
            """,
        bad: """
            scopes: { default: [photos, admin] }
            resources:
              - { title: Photos, scope: photos, url: https://api.acme.example/photos }
              - { title: ⟦All photos⟧, scope: admin, url: https://api.acme.example/photos }
            """,
        good: """
            scopes: { default: [photos, admin] }
            resources:
              - { title: Photos, any_of: [photos, admin], url: https://api.acme.example/photos }
              - { title: Upload, scope: admin, url: https://api.acme.example/photos, method: POST }
              - { title: Names, scope: photos, url: "https://api.acme.example/photos?fields=name" }
            """)

    /// The resources of a map that another one opens for hosts that the map does not name.
    func check(_ map: ResourceMapFile) -> [Diagnostic] {
        RouteTable.covered(map.entries, hosts: map.hosts).map { specific, general in
            explanation.diagnostic(
                "a resource without a host has this path at other hosts, and needs less", file: map.path,
                span: map.places[specific].title,
                help: "give both a host, or list the other hosts under hosts",
                related: [
                    Diagnostic.Related(
                        message: "the resource without a host", file: map.path, span: map.places[general].title)
                ])
        }
    }

    func check(_ resources: CheckedResources) -> [Diagnostic] {
        resources.problems.compactMap { problem in
            guard case .contradicts(let first) = problem.kind else { return nil }
            return explanation.diagnostic(
                problem.reason, file: resources.path,
                span: resources.title(problem.index),
                help: "if they are not the same, one of the two has a wrong URL: \(resources.text(first))",
                related: [
                    Diagnostic.Related(
                        message: "the earlier resource", file: resources.path, span: resources.title(first))
                ])
        }
    }
}
