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
            "issuer: https://id.acme.example\nenvironments: { test: { issuer: https://test.acme.example, token: { body: json } } }\nnotes: [{ about: token.body, because: their endpoint reads JSON alone }]",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.places.notes.all.map { $0.about }.compactMap { about in
            guard let path = about.text else { return nil }
            let steps = path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
                String(Substring($0))
            }
            // Deleting what is inherited, by null, is a fact with a reason too.
            let environments = context.root.entry("environments")?.value.entries?.map(\.value) ?? []
            let roots = [context.root, context.document.ownRoot].compactMap { $0 } + environments
            guard !roots.contains(where: { $0.node(at: steps) != nil || $0.hasKey(path[...]) })
            else { return nil }
            return finding(
                "the file has no key \"\(path)\"", in: context, at: about.span,
                help: "write the path of a key, such as token.body")
        }
    }
}

extension YAMLNode {
    /// Whether a path leads to a value, if the names in it may have dots themselves.
    fileprivate func hasKey(_ path: Substring) -> Bool {
        guard entries != nil else { return false }
        let dot = UInt8(ascii: ".")
        // No name has very many dots. Asking for each possible name is quicker than comparing each name.
        let ends = path.utf8.indices.lazy.filter { path.utf8[$0] == dot }.prefix(32)
        return entry(String(path)) != nil
            || ends.contains { end in
                entry(String(path[..<end]))?.value.hasKey(path[path.utf8.index(after: end)...]) ?? false
            }
    }
}
