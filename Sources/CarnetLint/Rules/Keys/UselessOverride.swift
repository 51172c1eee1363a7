import CarnetDescriptors

struct UselessOverride: LintRule {
    let explanation = DiagnosticExplanation(
        "K110", name: "useless-override", severity: .warning,
        summary:
            "A descriptor or an environment repeats a value that it inherits, or deletes a value that does not exist.",
        rationale: """
            A reader expects that a descriptor that extends another, and an environment, contain only differences. A \
            repeated value looks like a difference, and hides later changes of the parent.
            """,
        bad: [
            "environments:\n  sandbox: { issuer: https://id.sandbox.example, scopes: { ⟦default⟧: [openid] } }\n"
                + "scopes: { default: [openid] }",
            "environments:\n  sandbox: { issuer: https://id.sandbox.example, ⟦api⟧: null }",
        ],
        good:
            "environments:\n  sandbox: { issuer: https://id.sandbox.example, docs: null }\ndocs: https://acme.example")

    func check(_ context: LintContext) -> [Diagnostic] {
        var found: [Diagnostic] = []
        if let own = context.document.ownRoot, let inherited = context.document.inheritedRoot {
            // An environment is compared with the descriptor that it is a variant of.
            compare(own, inherited, [], ignoring: DescriptorRules.ownKeys.union(["environments"]), &found, context)
        }
        for environment in context.places.environments.entries {
            compare(environment.value, context.root, ["environments", environment.key], &found, context)
        }
        return found
    }

    private func compare(
        _ own: YAMLNode, _ inherited: YAMLNode, _ path: [String], ignoring ownKeys: Set<String> = [],
        _ found: inout [Diagnostic], _ context: LintContext
    ) {
        let base = Dictionary((inherited.entries ?? []).map { ($0.key, $0) }) { first, _ in first }
        for entry in own.entries ?? [] where !(path.isEmpty && ownKeys.contains(entry.key)) {
            let name = (path + [entry.key]).joined(separator: ".")
            guard let parent = base[entry.key] else {
                if entry.value.scalar?.isNull == true {
                    found += findings(
                        "there is no inherited \"\(name)\" to delete", in: context, at: entry.keySpan,
                        help: "remove the line")
                }
                continue
            }
            if let entries = entry.value.entries, !entries.isEmpty, parent.value.entries != nil,
                !YAMLNode.isWhole(at: path + [entry.key])
            {
                compare(entry.value, parent.value, path + [entry.key], &found, context)
            } else if entry.value.saysTheSame(as: parent.value)
                || entry.value.entries?.isEmpty == true && parent.value.entries != nil
            {
                found += findings(
                    "\"\(name)\" repeats the inherited value", in: context, at: entry.keySpan, help: "remove it",
                    related: [context.related("the inherited value", at: parent.keySpan)])
            }
        }
    }
}
