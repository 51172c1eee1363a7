import CarnetDescriptors

struct NoteAboutNothing: LintRule {
    let explanation = DiagnosticExplanation(
        "M003", name: "note-about-nothing", severity: .warning,
        summary: "A note explains a key that the file does not have.",
        rationale: """
            A note is the evidence for a quirk. If the key was renamed or removed and the note remains, the next \
            reader expects a quirk that no longer exists.
            """,
        bad: "notes: [{ about: ⟦token.body⟧, because: their endpoint reads JSON alone }]",
        good: "token: { body: json }\nnotes: [{ about: token.body, because: their endpoint reads JSON alone }]")

    func check(_ context: LintContext) -> [Diagnostic] {
        context.places.notes.all.map { $0.about }.compactMap { about in
            guard let path = about.text else { return nil }
            let steps = path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
                String(Substring($0))
            }
            // Deleting what is inherited, by null, is a fact with a reason too.
            guard [context.root, context.document.ownRoot].allSatisfy({ $0?.node(at: steps) == nil })
            else { return nil }
            return finding(
                "the file has no key \"\(path)\"", in: context, at: about.span,
                help: "write the path of a key, such as token.body")
        }
    }
}
