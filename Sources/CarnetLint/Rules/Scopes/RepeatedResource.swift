import CarnetDescriptors
import CarnetFoundation

struct RepeatedResource: LintRule {
    let explanation = DiagnosticExplanation(
        "S009", name: "repeated-resource",
        summary: "Two resources have the same id, or the same title, method and URL.",
        rationale: """
            An id names one resource on the command line and in code. If two resources have the same id, Carnet finds \
            only the first.
            """,
        bad: """
            scopes: { default: [photos] }
            resources:
              - { id: photos, title: Photos, scope: photos, url: https://api.acme.example/photos }
              - { id: ⟦photos⟧, title: Albums, scope: photos, url: https://api.acme.example/albums }
              - { title: ⟦Albums⟧, scope: photos, url: https://api.acme.example/albums }
            """,
        good: """
            scopes: { default: [photos] }
            resources:
              - { id: photos, title: Photos, scope: photos, url: https://api.acme.example/photos }
              - { title: Upload, scope: photos, url: https://api.acme.example/photos, method: POST }
            """)

    private struct Label: Hashable {
        var title: String
        var methods: ResourceMethods
        var url: String
    }

    func check(_ context: LintContext) -> [Diagnostic] {
        let resources = context.descriptor.resources
        guard resources.map(\.title).hasRepeats || resources.compactMap(\.id).hasRepeats else { return [] }
        var ids: [String: SourceSpan] = [:]
        var labels: [Label: SourceSpan] = [:]
        var found: [Diagnostic] = []
        for (index, resource) in resources.enumerated() {
            let place = context.places.resources[index]
            let title = place.title.span
            let label = Label(title: resource.title, methods: resource.methods, url: resource.url.source)
            let firstLabel = labels.updateValue(labels[label] ?? title, forKey: label)
            if let id = resource.id {
                let span = place.id.span
                if let first = ids.updateValue(ids[id] ?? span, forKey: id) {
                    let related = [context.related("first used here", at: first)]
                    found += findings("a second resource has the id \"\(id)\"", in: context, at: span, related: related)
                    continue
                }
            }
            if let firstLabel {
                let related = [context.related("first listed here", at: firstLabel)]
                let message = "the resource \"\(resource.title)\" occurs twice"
                found.append(finding(message, in: context, at: title, related: related))
            }
        }
        return found
    }
}
