import CarnetDescriptors
import CarnetFoundation

struct UnusedInput: LintRule {
    let explanation = DiagnosticExplanation(
        "K102", name: "unused-input", severity: .warning, summary: "An input is declared but never used.",
        rationale: """
            Everyone who configures the provider has to supply a value that has no effect. Usually a URL or \
            parameter that should use the input contains a fixed value instead.
            """,
        bad: [
            "inputs: { ⟦tenant⟧: {} }\nissuer: https://id.acme.example",
            "inputs: { ⟦tenant⟧: {} }\nauthorization: { parameters: { organization: tenant } }",
        ],
        good: "inputs: { tenant: {} }\nissuer: https://{tenant}.acme.example")

    func check(_ context: LintContext) -> [Diagnostic] {
        guard context.places.inputs.isWritten else { return [] }
        var used = Set(context.templateUses.flatMap(\.inputNames))
        for variant in context.variants { used.formUnion(variant.templateUses.flatMap(\.inputNames)) }
        // The other placeholders are claims.
        if case .template(let template, _, _) = context.descriptor.issuerMatch { used.formUnion(template.inputNames) }
        let declared = context.descriptor.inputs.names
        // A misspelled use is a finding of its own.
        used.formUnion(used.subtracting(declared).compactMap { context.nearest(to: $0, in: declared) })
        let unused = context.places.inputs.entries.filter { !used.contains($0.key) }
        let additions = unused.isEmpty ? [] : context.root.additions.prefix(64)
        return unused.map { entry in
            let meant = additions.first { $0.entry.value.scalar?.text == entry.key }?.entry
            return finding(
                "the input \"\(entry.key)\" is never used", in: context, at: entry.keySpan,
                help: meant.map { "did you mean \"{\(entry.key)}\" in \(context.keyPath(at: $0.keySpan))?" }
                    ?? "use it as {\(entry.key)}, or remove it")
        }
    }
}
