import CarnetDescriptors

struct DateNotDay: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "M004", name: "bad-date", severity: .warning,
        summary: "verified.date, status.retiring or the until of a note is not a date, or the first is in the future.",
        rationale: """
            The dates show how old the evidence is, or when a provider ends, and tools sort by them. Write a date as \
            year, month and day. `carnet lint` also compares `verified.date` with today's; the build plugin does not.
            """,
        references: ["RFC 3339, section 5.6"],
        bad: [
            "verified: { date: ⟦21.11.2026⟧, how: compared with their reference }",
            "verified: { date: ⟦'2026-13-01'⟧, how: compared with their reference }",
            "status: { retiring: ⟦next year⟧, because: they replace it }",
            "token: { body: json }\nnotes: [{ about: token.body, because: they say so, until: ⟦May 2027⟧ }]",
        ],
        good: "verified: { date: '2026-11-21', how: compared with their reference }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = [context.places.verified.date, context.places.status.retiring]
        return (places + context.places.notes.all.map { $0.until }).compactMap { place in
            guard let date = place.text else { return nil }
            guard Self.isDay(date) else {
                return finding("\"\(date)\" is not a date", in: context, at: place.span, help: "write it as 2026-11-21")
            }
            // It may be tomorrow already where the author is.
            guard place.keySpan == places[0].keySpan, let today = context.today, date > today,
                date != Self.day(after: today)
            else { return nil }
            return finding("verified.date is in the future", in: context, at: place.span, help: "write the real day")
        }
    }

    private static func day(after day: String) -> String? {
        let parts = day.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        func text(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        return [(parts[0], parts[1], parts[2] + 1), (parts[0], parts[1] + 1, 1), (parts[0] + 1, 1, 1)]
            .map { "\($0)-\(text($1))-\(text($2))" }.first(where: isDay)
    }

    static func isDay(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let hyphens = [4, 7]
        guard bytes.count == 10,
            bytes.indices.allSatisfy({ hyphens.contains($0) ? bytes[$0] == 0x2D : (0x30...0x39).contains(bytes[$0]) })
        else { return false }
        func number(_ digits: Range<Int>) -> Int { bytes[digits].reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        guard (1...12).contains(month) else { return false }
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }
}
