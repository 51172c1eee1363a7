import CarnetDescriptors

struct UnknownGatewayProvider: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G014",
        name: "unknown-provider",
        summary: "No built-in provider and no file has the id of a provider.",
        rationale: """
            The gateway starts only if it knows each of its providers. A provider is built in, or a file in a folder of \
            providers, which the command gets with --providers.
            """
    )

    func check(_ context: GatewayContext) -> [Diagnostic] {
        guard let registry = context.registry else { return [] }
        let known = registry.ids
        return context.rules.providers.filter { !known.contains($0.id) }.map { provider in
            finding(
                "no provider is called \"\(provider.id)\"", context, at: provider.span,
                help: nearestName(to: provider.id.rawValue, in: known.map(\.rawValue)).map { "did you mean \"\($0)\"?" }
                    ?? "write providers/\(provider.id).yaml, and add --providers FOLDER")
        }
    }
}
