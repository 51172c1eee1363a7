import CarnetDescriptors
import CarnetFoundation

struct DateNotDay: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "M004",
        name: "bad-date",
        severity: .warning,
        summary: "verified.date, status.retiring or the until of a note is not a date.",
        rationale: """
            The dates show how old the evidence is, or when a provider ends, and tools sort by them. Write a date as \
            year, month and day.
            """,
        references: ["RFC 3339, section 5.6"],
        bad: [
            "verified: { date: ⟦21.11.2026⟧, how: compared with their reference }\n",
            "verified: { date: ⟦'2026-13-01'⟧, how: compared with their reference }\n",
            "status: { retiring: ⟦next year⟧, because: they replace it }\n",
            "token: { body: json }\nnotes: [{ about: token.body, because: they say so, until: ⟦May 2027⟧ }]\n",
        ],
        good: ["verified: { date: '2026-11-21', how: compared with their reference }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = [context.places.verified.date, context.places.status.retiring]
        return (places + context.places.notes.all.map { $0.until }).compactMap { place in
            guard let date = place.text, !Self.isDay(date) else { return nil }
            return finding("\"\(date)\" is not a date", in: context, at: place.span, help: "write it as 2026-11-21")
        }
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
