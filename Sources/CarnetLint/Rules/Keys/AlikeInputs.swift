import CarnetDescriptors
import CarnetFoundation

struct AlikeInputs: LintRule {
    let explanation = DiagnosticExplanation(
        "K108", name: "alike-inputs",
        summary: "The names of two inputs differ only in capitals, hyphens or underscores.",
        rationale: """
            Environment variables have no small letters, and names in code have no hyphens. So both inputs would be one \
            variable, and one parameter of the function that the build plugin generates.
            """,
        bad: "inputs: { tenant_id: {}, ⟦tenantId⟧: {} }\nissuer: https://{tenant_id}.{tenantId}.acme.example",
        good: "inputs: { tenant_id: {}, tenant: {} }\nissuer: https://{tenant_id}.{tenant}.acme.example")

    func check(_ context: LintContext) -> [Diagnostic] {
        let names = context.descriptor.inputs.names
        guard names.count > 1, context.places.inputs.isWritten else { return [] }
        let inCode = names.map(Self.inCode)
        guard inCode.hasRepeats else { return [] }
        let own = context.places.inputs.entries
        return own.enumerated().compactMap { index, entry in
            // A name of a parent is never written here, and one that is written first is the other's business.
            let key = Self.inCode(entry.key)
            let later = own[index...].map(\.key)
            guard let other = names.first(where: { Self.inCode($0) == key && !later.contains($0) }) else { return nil }
            return finding(
                "the inputs \"\(other)\" and \"\(entry.key)\" have the same name in code", in: context,
                at: entry.keySpan, help: "give one of them another name",
                related: own.filter { $0.key == other }.map { context.related("the other input", at: $0.keySpan) })
        }
    }

    private static func inCode(_ name: String) -> String { name.lowercased().filter { $0 != "-" && $0 != "_" } }
}
