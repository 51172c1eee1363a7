import CarnetDescriptors
import CarnetFoundation

struct ProviderInputs: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G016",
        name: "provider-inputs",
        summary: "The inputs of a provider are not those that its descriptor has.",
        rationale: """
            A descriptor with inputs, such as the host of a company's own server, needs a value for each. The gateway does not \
            start with an input that is missing, unknown, or of another form. A provider without client_id is not asked for \
            its inputs, because its registration is elsewhere: carnet gateway check knows that too.
            """
    )

    func check(_ context: GatewayContext) -> [Diagnostic] {
        guard let registry = context.registry else { return [] }
        return context.rules.providers.flatMap { provider -> [Diagnostic] in
            guard let descriptor = try? registry.descriptor(provider.id) else { return [] }
            do throws(ResolutionError) {
                return check(provider, try descriptor.variant(provider.environment), context)
            } catch {
                let span = provider.node.entry("environment")?.value.span ?? provider.span
                return [
                    finding(
                        "\(provider.id): \(error.reason)", context, at: span,
                        help: "carnet show \(provider.id) prints the environments")
                ]
            }
        }
    }

    private func check(
        _ provider: GatewayProvider, _ descriptor: ProviderDescriptor, _ context: GatewayContext
    ) -> [Diagnostic] {
        var found: [Diagnostic] = []
        let inputs = descriptor.inputs
        for entry in provider.node.entry("inputs")?.value.entries ?? [] {
            guard let rules = inputs[entry.key] else {
                let nearest = nearestName(to: entry.key, in: inputs.names).map { "did you mean \"\($0)\"?" }
                found.append(
                    finding(
                        "\(provider.id) has no input \"\(entry.key)\"", context, at: entry.keySpan,
                        help: nearest
                            ?? (inputs.isEmpty ? "it has no inputs" : "it has " + inputs.names.joined(separator: ", ")))
                )
                continue
            }
            if let text = entry.value.scalar?.text, let reason = rules.refusal(of: text) {
                found.append(
                    finding(
                        "\(provider.id): \(reason)", context, at: entry.value.span,
                        help: rules.example.map { "write it as in \($0)" } ?? "correct the value"))
            }
        }
        // Without a client id in the file, the registration is elsewhere, with its inputs.
        guard provider.clientID != nil || provider.clientIDVariable != nil else { return found }
        for input in inputs.items where !input.value.isOptional && input.value.defaultValue == nil {
            guard !provider.inputs.contains(input.name) else { continue }
            let example = input.value.example ?? "VALUE"
            found.append(
                finding(
                    "\(provider.id): the input \(input.name) has no value", context, at: provider.span,
                    help: "write inputs: { \(input.name): \(example) }"))
        }
        return found
    }
}
