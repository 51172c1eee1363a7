import CarnetDescriptors
import CarnetFoundation

struct BidirectionalControl: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "D022", name: "bidirectional-control",
        summary: "The file contains an invisible character that changes the order in which text is displayed.",
        rationale: """
            Such a character can make a host or a comment look like another one in an editor and in a review. Carnet \
            reads the characters in their real order. No descriptor needs these characters.
            """,
        references: ["Unicode Technical Standard 39", "CVE-2021-42574"],
        bad: ["name: Acme⟦\u{202E}⟧", "# ⟦\u{2066}⟧issuer\ndocs: https://acme.example"],
        good: "name: شركة")

    func check(_ context: LintContext) -> [Diagnostic] {
        // All of them start with the byte E2; most files have none.
        guard context.document.file.bytes.holds(0xE2) else { return [] }
        return (1...context.text.lineCount).flatMap { number -> [Diagnostic] in
            guard let line = context.text.line(number) else { return [] }
            return line.unicodeScalars.enumerated().compactMap { index, scalar in
                guard Self.isControl(scalar) else { return nil }
                let start = SourcePosition(line: number, column: index + 1)
                let end = SourcePosition(line: number, column: index + 2)
                let name = String(scalar.value, radix: 16, uppercase: true)
                return finding(
                    "the invisible character U+\(name) changes the order of the text", in: context,
                    at: SourceSpan(start: start, end: end), help: "remove it")
            }
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
