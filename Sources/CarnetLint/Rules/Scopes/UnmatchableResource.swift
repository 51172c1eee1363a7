import CarnetDescriptors
import CarnetFoundation

struct UnmatchableResource: LintRule, RouteRule {
    let explanation = DiagnosticExplanation(
        "S011", name: "unmatchable-resource", severity: .warning,
        summary: "A resource server never finds the resource, because no request has its URL.",
        rationale: """
            A resource server compares paths in one normal form. It refuses requests whose paths have empty or dot \
            segments, encoded separators or needless encodings, so a resource with such a path decides about no request.
            """,
        references: ["RFC 3986, section 6.2.2"],
        bad: """
            scopes: { default: [photos] }
            api: { base_url: https://api.acme.example }
            resources:
              - { title: Photos, scope: photos, url: ⟦/v1//photos⟧ }
              - { title: Albums, scope: photos, url: ⟦/v1/../albums⟧ }
              - { title: Files, scope: photos, url: ⟦/v1/%66iles⟧ }
            """,
        good: """
            scopes: { default: [photos] }
            api: { base_url: https://api.acme.example }
            resources:
              - { title: Photos, scope: photos, url: /v1/photos }
            """)

    func check(_ resources: CheckedResources) -> [Diagnostic] {
        resources.problems.compactMap { problem in
            guard case .neverMatches(_, let isClients) = problem.kind, resources.isMap || !isClients else { return nil }
            return explanation.diagnostic(problem.reason, file: resources.path, span: resources.url(problem.index))
        }
    }
}

/// A rule about resources, in a descriptor or in a map of its own.
protocol RouteRule {
    func check(_ resources: CheckedResources) -> [Diagnostic]
}

extension LintRule where Self: RouteRule {
    func check(_ context: LintContext) -> [Diagnostic] {
        guard !context.descriptor.resources.isEmpty, !context.routeProblems.isEmpty else { return [] }
        let (place, entries) = (context.places.resources, context.descriptor.resources)
        let problems = context.routeProblems.filter { problem in
            // A provider's own resources may differ in their queries, which a resource server does not read.
            guard case .contradicts(let first) = problem.kind else { return true }
            return entries[problem.index].url.source == entries[first].url.source
        }
        return check(
            CheckedResources(
                path: context.path, isMap: false, problems: problems, title: { place[$0].title.span },
                url: { place[$0].url.span }, text: { entries[$0].url.source }))
    }
}

/// The resources of one file, with what a resource server could not decide by.
struct CheckedResources {
    let path: String
    /// Whether they are a map of its own, so that their URLs have no values of a provider.
    let isMap: Bool
    let problems: [RouteTable.Problem]
    let title: (Int) -> SourceSpan
    let url: (Int) -> SourceSpan
    let text: (Int) -> String

    /// The findings of all rules in a map of its own.
    static func diagnostics(in map: ResourceMapFile) -> [Diagnostic] {
        guard !map.entries.isEmpty, map.places.count == map.entries.count else { return [] }
        let resources = CheckedResources(
            path: map.path, isMap: true, problems: RouteTable.reading(map.entries, hosts: map.hosts).problems,
            title: { map.places[$0].title }, url: { map.places[$0].url }, text: { map.entries[$0].url.source })
        let rules: [any RouteRule] = [UnmatchableResource(), ContradictoryResources(), OpenResourceWithNeeds()]
        return
            (rules.flatMap { $0.check(resources) } + ContradictoryResources().check(map)
            + KeyWithoutEffect().check(map)).sorted()
    }
}
