import CarnetDescriptors

struct ConflictingRename: LintRule {
    let explanation = DiagnosticExplanation(
        "C006", name: "conflicting-rename", fix: .safe,
        summary: "A parameter is renamed to a name that is taken, or is renamed and also left out.",
        rationale: """
            RFC 6749 forbids two parameters with one name, and servers differ on which one they use. A parameter in \
            'omit' is not sent, so its new name has no effect. 'rename' has the standard's name on the left and the \
            provider's name on the right.
            """,
        references: ["RFC 6749, section 3.1", "RFC 6749, section 3.2"],
        bad: [
            "token: { rename: { client_id: app, client_secret: ⟦app⟧ } }",
            "token: { rename: { client_id: ⟦code⟧ } }",
            "callback: { rename: { error: ⟦code⟧ } }",
            "authorization: { rename: { client_id: ⟦app⟧ }, parameters: { app: x } }",
            "token: { rename: { redirect_uri: ⟦callback⟧ }, omit: [redirect_uri] }",
            "token: { rename: { app_id: ⟦client_id⟧ } }",
        ],
        good: [
            "authorization: { rename: { client_id: client_key } }\ntoken: { rename: { client_id: client_key } }",
            "token: { rename: { code: auth_code, client_id: code } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.messages.flatMap { message -> [Diagnostic] in
            guard !message.rename.isEmpty else { return [] }
            let omitted = message.omittedNames
            let added = Set(message.added.map(\.key))
            // A parameter that is not always sent may give its name to another.
            let always = message.parameters.filter { name in
                message.kind?.parameter(name).map { $0.rule != .settable && $0.rule != .carrier } ?? true
            }
            let kept = always.subtracting(message.rename.map(\.key)).subtracting(omitted)
            var targets: [String: SourceSpan] = [:]
            return message.rename.compactMap { entry -> Diagnostic? in
                guard let target = entry.value.scalar?.text else { return nil }
                let span = entry.value.span
                if message.isReversed(entry) {
                    let edits = [
                        Fix.Edit(span: entry.keySpan, replacement: target),
                        Fix.Edit(span: span, replacement: entry.key),
                    ]
                    let isWritten = context.text.text(in: entry.keySpan) == entry.key
                    return finding(
                        "\"rename\" has the standard's name on the left: \(target): \(entry.key)", in: context,
                        at: span, help: "write it the other way round",
                        fix: isWritten && context.text.text(in: span) == target
                            ? Fix(summary: "exchange the two", applicability: .safe, edits: edits) : nil)
                }
                if omitted.contains(entry.key) {
                    return finding("\"\(entry.key)\" is renamed and also left out", in: context, at: span)
                }
                if let first = targets.updateValue(targets[target] ?? span, forKey: target) {
                    let related = [context.related("the other is here", at: first)]
                    return finding(
                        "two parameters are renamed to \"\(target)\"", in: context, at: span, related: related)
                }
                if kept.contains(target) || added.contains(target) {
                    return finding("the request already has a parameter \"\(target)\"", in: context, at: span)
                }
                return nil
            }
        }
    }
}

extension MessageSection {
    /// Whether an entry of `rename` has the provider's name on the left and the standard's on the right.
    func isReversed(_ entry: YAMLEntry) -> Bool {
        guard let target = entry.value.scalar?.text else { return false }
        return parameters.contains(target) && !parameters.contains(entry.key) && !added.contains { $0.key == entry.key }
            && !rename.contains { $0.key == target }
    }
}
