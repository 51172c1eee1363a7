import CarnetDescriptors
import CarnetFoundation

struct EndedFact: LintRule {
    let explanation = DiagnosticExplanation(
        "M008", name: "passed-date", severity: .warning, summary: "A fact of the file has ended, or the provider has.",
        rationale: """
            A note's `until` is the last day on which its key is right, such as the day before an API version ends. After \
            this day, and after the day in `status.retiring`, a sign-in or a request may fail. `carnet lint` compares the \
            dates with today's; the build plugin only with `verified.date`, so that a build does not change from one day to \
            the next.
            """,
        bad: """
            verified: { date: '2026-11-21', how: their reference }
            api: { base_url: https://api.acme.example/v1 }
            notes: [{ about: api.base_url, because: version 1 ends, until: ⟦'2026-10-31'⟧ }]

            verified: { date: '2026-11-21', how: their reference }
            status: { retiring: ⟦'2026-11-20'⟧, because: they replace it }
            """,
        good: """
            verified: { date: '2026-11-21', how: their reference }
            api: { base_url: https://api.acme.example/v1 }
            notes: [{ about: api.base_url, because: version 1 ends, until: '2026-11-21' }]
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let verified = context.descriptor.verified?.date ?? ""
        let today = max(context.today ?? "", verified)
        return (context.places.notes.all.map { $0.until } + [context.places.status.retiring]).compactMap { place in
            // Days of this form are in the order of their texts.
            guard let day = place.text, DateNotDay.isDay(day), day < today else { return nil }
            return finding(
                "\(day) has passed", in: context, at: place.span,
                help: place.keySpan == context.places.status.retiring.keySpan
                    ? "the provider has ended: write status: { closed: REASON }"
                    : "read the provider's change log, correct the file, and set verified.date")
        }
    }
}
