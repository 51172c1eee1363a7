import CarnetDescriptors
import CarnetFoundation

struct UnusedTable: LintRule {
    let explanation = DiagnosticExplanation(
        "K122", name: "unused-table", severity: .warning, summary: "No template uses a table of 'tables'.",
        rationale: """
            A table only has an effect through the function map. Kept values are different: the host application can \
            read them, so an unused value is not a mistake.
            """,
        bad: "tables: { ⟦regions⟧: { eu: id.acme.example } }",
        good: """
            callback: { capture: { region: { pattern: '[a-z]+', example: eu } } }
            tables: { hosts: { eu: api.eu.acme.example } }
            api: { base_url: "https://{map(callback.region, 'hosts')|api.acme.example}/v1" }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        guard context.places.tables.isWritten else { return [] }
        var used = Set(context.templateUses.flatMap(\.template.tables))
        for variant in context.variants { used.formUnion(variant.templateUses.flatMap(\.template.tables)) }
        let declared = context.descriptor.tables.names
        // A misspelled use is a finding of its own.
        used.formUnion(used.subtracting(declared).compactMap { context.nearest(to: $0, in: declared) })
        return context.places.tables.entries.filter { !used.contains($0.key) }.map { entry in
            finding("no template uses the table \"\(entry.key)\"", in: context, at: entry.keySpan)
        }
    }
}
