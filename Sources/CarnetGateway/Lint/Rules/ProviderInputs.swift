import CarnetDescriptors
import CarnetFoundation

struct ProviderInputs: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G016", name: "provider-inputs",
        summary: "The inputs of a provider are not those that its descriptor has.",
        rationale: """
            A descriptor with inputs, such as the host of a company's own server, needs a value for each. The gateway does not \
            start with an input that is missing, unknown, or of another form. A provider without client_id is not asked for \
            its inputs, because its registration is elsewhere: carnet gateway check knows that too.
            """
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        guard let registry = context.registry else { return [] }
        return context.rules.providers.flatMap { provider -> [GatewayFinding] in
            guard let descriptor = try? registry.descriptor(provider.id) else { return [] }
            do throws(ResolutionError) {
                return check(provider, try descriptor.variant(provider.environment).inputs)
            } catch {
                let span = provider.node.entry("environment")?.value.span ?? provider.span
                return [
                    GatewayFinding(
                        "\(provider.id): \(error.reason)", at: span,
                        help: "carnet show \(provider.id) prints the environments")
                ]
            }
        }
    }

    private func check(_ provider: GatewayProvider, _ inputs: NamedList<InputRules>) -> [GatewayFinding] {
        let entries = provider.node.entry("inputs")?.value.entries ?? []
        let found = entries.compactMap { entry -> GatewayFinding? in
            guard let rules = inputs[entry.key] else {
                return GatewayFinding(
                    "\(provider.id) has no input \"\(entry.key)\"", at: entry.keySpan,
                    help: suggestion(for: entry.key, among: inputs.names)
                        ?? (inputs.isEmpty ? "it has no inputs" : "it has " + inputs.names.joined(separator: ", ")))
            }
            return entry.value.scalar.flatMap { rules.refusal(of: rules.withoutScheme($0.text)) }.map { reason in
                GatewayFinding(
                    "\(provider.id): \(reason)", at: entry.value.span,
                    help: rules.example.map { "write it as in \($0)" } ?? "correct the value")
            }
        }
        // Without a client id in the file, the registration is elsewhere, with its inputs.
        guard provider.clientID != nil || provider.clientIDVariable != nil else { return found }
        return found
            + inputs.items.filter {
                !$0.value.isOptional && $0.value.defaultValue == nil && !provider.inputs.contains($0.name)
            }.map { input in
                GatewayFinding(
                    "\(provider.id): the input \(input.name) has no value", at: provider.span,
                    help: "write inputs: { \(input.name): \(input.value.example ?? "VALUE") }")
            }
    }
}
