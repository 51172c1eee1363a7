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
        good: [
            "token: { body: json }\nnotes: [{ about: token.body, because: their endpoint reads JSON alone }]",
            "token: { parameters: { openid.mode: login } }\nnotes: [{ about: token.parameters.openid.mode, because: their page says so }]",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.places.notes.all.map { $0.about }.compactMap { about in
            guard let path = about.text else { return nil }
            let steps = path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
                String(Substring($0))
            }
            // Deleting what is inherited, by null, is a fact with a reason too.
            let roots = [context.root, context.document.ownRoot].compactMap { $0 }
            guard !roots.contains(where: { $0.node(at: steps) != nil || $0.hasKey(path.utf8[...]) })
            else { return nil }
            return finding(
                "the file has no key \"\(path)\"", in: context, at: about.span,
                help: "write the path of a key, such as token.body")
        }
    }
}

extension YAMLNode {
    /// Whether a path leads to a value, if the names in it may have dots themselves.
    fileprivate func hasKey(_ path: Substring.UTF8View) -> Bool {
        (entries ?? []).contains { entry in
            guard path.starts(with: entry.key.utf8) else { return false }
            let rest = path.dropFirst(entry.key.utf8.count)
            return rest.isEmpty || rest.first == UInt8(ascii: ".") && entry.value.hasKey(rest.dropFirst())
        }
    }
}
