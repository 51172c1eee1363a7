import CarnetDescriptors
import CarnetFoundation

struct UnusedTable: LintRule {
    let explanation = DiagnosticExplanation(
        "K122", name: "unused-table", severity: .warning,
        summary: "No template uses a table of 'tables', or it lacks a value that an input allows.",
        rationale: """
            A table only has an effect through the function map. Kept values are different: the host application can \
            read them, so an unused value is not a mistake. A URL whose table lacks a value of an input cannot be built \
            for it, and a parameter is left out, unless the template has a default.
            """,
        bad: """
            tables: { ⟦regions⟧: { eu: id.acme.example } }

            inputs: { region: { enum: [eu, us], default: eu } }
            tables: { ⟦hosts⟧: { eu: api.eu.acme.example } }
            api: { base_url: "https://{map(region, 'hosts')}/v1" }
            """,
        good: """
            inputs: { region: { enum: [eu, us], default: eu } }
            tables: { versions: { eu: '2' } }
            api: { headers: { X-Version: "{map(region, 'versions')|1}" } }

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
        return context.places.tables.entries.compactMap { entry in
            guard used.contains(entry.key) else {
                return finding("no template uses the table \"\(entry.key)\"", in: context, at: entry.keySpan)
            }
            return missing(in: entry.key, context).map { value in
                finding(
                    "the table \"\(entry.key)\" lacks \"\(value)\", which an input allows", in: context,
                    at: entry.keySpan, help: "add the value, or give the template a default: {map(...)|DEFAULT}")
            }
        }
    }

    /// A value of an input that a template looks up in a table, and does not find.
    private func missing(in table: String, _ context: LintContext) -> String? {
        let inputs = context.templateUses.flatMap { use -> [String] in
            let needed = use.template.requiredInputNames
            return use.template.expressions.compactMap { expression in
                guard case .mapped(.value(let value), table) = expression, value.origin == .input,
                    needed.contains(value.name)
                else { return nil }
                return value.name
            }
        }
        return inputs.lazy.flatMap { context.descriptor.inputs[$0]?.allowed ?? [] }
            .first { context.descriptor.tables[table]?[$0] == nil }
    }
}
