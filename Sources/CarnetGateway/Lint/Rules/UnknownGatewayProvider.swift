import CarnetDescriptors

struct UnknownGatewayProvider: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G014", name: "unknown-provider",
        summary: "No built-in provider and no file has the id of a provider.",
        rationale: """
            The gateway starts only if it knows each of its providers. A provider is built in, or a file in a folder of \
            providers, which the command gets with --providers.
            """
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard let registry = context.registry else { return [] }
        let known = registry.ids
        return context.rules.providers.filter { !known.contains($0.id) }.map { provider in
            GatewayFinding(
                "no provider is called \"\(provider.id)\"", at: provider.span,
                help: suggestion(for: provider.id.rawValue, among: known.map(\.rawValue))
                    ?? "write providers/\(provider.id).yaml, and add --providers FOLDER")
        }
    }
}
