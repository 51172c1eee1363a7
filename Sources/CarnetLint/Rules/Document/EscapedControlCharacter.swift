import CarnetDescriptors
import CarnetFoundation

struct EscapedControlCharacter: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "D023", name: "escaped-control-character", summary: "An escape writes a control character into a string.",
        rationale: """
            Programs print names, titles and descriptions. A terminal obeys control characters: they can hide text, \
            change the title of a window or forge a line. An escape in double quotes, such as `"\\e"` or `"\\u202E"`, \
            writes such a character without showing it. Line breaks and tabs are allowed.
            """,
        references: ["ECMA-48, section 5", "Unicode Technical Standard 39"],
        bad: [
            "name: ⟦\"Acme\\e]0;signed in\\a\"⟧",
            "name: ⟦\"Acme\\u202E\"⟧",
            "resources: [{ id: one, title: ⟦\"One\\x9B2J\"⟧, url: 'https://id.acme.example/one' }]",
            "verified: { date: '2026-11-21', how: ⟦\"compared\\u2028with their reference\"⟧ }",
        ],
        good: "name: \"Acme \\u00E9\"")

    func check(_ context: LintContext) -> [Diagnostic] {
        guard context.document.file.bytes.holds(UInt8(ascii: "\\")) else { return [] }
        var found: [Diagnostic] = []
        context.root.visitScalars(except: Self.otherKeys) { _, scalar, span in
            guard let control = scalar.text.unicodeScalars.first(where: Self.isControl) else { return }
            // A character that is written as itself is a finding of D022.
            if let written = context.text.text(in: span), written.unicodeScalars.contains(control) { return }
            let name = String(control.value, radix: 16, uppercase: true)
            let number = String(repeating: "0", count: max(0, 4 - name.count)) + name
            found += findings(
                "the string contains the control character U+\(number)", in: context, at: span, help: "remove it")
        }
        return found
    }

    /// A sample is a response of the provider. C008 checks headers.
    private static let otherKeys = ["samples", "sample", "headers"]

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "\n" && scalar != "\t" && TerminalText.mustBeEscaped(scalar)
    }
}
