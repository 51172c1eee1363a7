import CarnetDescriptors
import CarnetFoundation

struct ScopeNotInCatalog: LintRule {
    let explanation = DiagnosticExplanation(
        "S004", name: "scope-not-in-catalog", severity: .warning,
        summary:
            "The descriptor requests, implies or shows in a sample a scope that its own catalogue does not contain.",
        rationale: """
            A catalogue lists the scopes that the provider has. A scope outside it is usually misspelled. The \
            provider then returns 'invalid_scope' or grants nothing for it. A sample is a real response, so a scope in it exists.
            """,
        references: ["RFC 6749, section 4.1.2.1"],
        bad: [
            "scopes: { default: [openid, ⟦emial⟧], catalog: [openid, email] }",
            "scopes: { catalog: [{ id: write, implies: [⟦raed⟧] }, read] }",
            "scopes: { catalog: [read] }\nsamples: { token: { access_token: x, token_type: Bearer, scope: ⟦read files⟧ } }",
            "scopes: { default: [read] }\nsamples: { token: { access_token: x, token_type: Bearer, scope: ⟦all⟧ } }",
        ],
        good: [
            "scopes: { default: [openid, email] }", "scopes: { default: [email], catalog: [openid, email] }",
            "scopes: { default: [read] }\nsamples: { token: { access_token: x, token_type: Bearer, scope: read all } }",
            "inputs: { more: { default: email } }\nscopes: { default: ['{more}'], catalog: [openid, email] }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let catalog = context.descriptor.scopes.catalog.map(\.id)
        let known = Set(catalog)
        guard !catalog.isEmpty else { return unknown(context).map { [$0] } ?? [] }
        var missing: [ScopeUse] = []
        var found: [Diagnostic] = []
        for use in context.scopeUses
        where (use.place == .requested || use.place == .implied) && !known.contains(use.scope) && !use.isInput {
            guard let nearest = context.nearest(to: use.scope, in: catalog) else {
                missing.append(use)
                continue
            }
            found += findings(
                "the scope \"\(use.scope)\" is not in the catalogue", in: context, at: use.node.span,
                help: "did you mean \"\(nearest)\"?")
        }
        if let unknown = unknown(context) { found.append(unknown) }
        // A catalogue with gaps is one mistake.
        guard let first = missing.first else { return found }
        let others = Set(missing.map(\.scope)).subtracting([first.scope]).count
        let more = others == 0 ? "" : ", nor are \(others) more"
        return found + [
            finding(
                "the scope \"\(first.scope)\" is not in the catalogue\(more)", in: context, at: first.node.span,
                help: "add \(others == 0 ? "it" : "them") to scopes.catalog",
                related: missing.dropFirst().prefix(5).map { context.related("\"\($0.scope)\"", at: $0.node.span) })
        ]
    }

    /// A scope that only the sample has; without a catalogue, beside none that is requested. With an argument or the name of
    /// a host, a scope is made at run time.
    private func unknown(_ context: LintContext) -> Diagnostic? {
        let (rules, sample) = (context.descriptor.token.response, context.places.samples.token)
        let root = context.descriptor.samples.token?[rules.root]
        let place = rules.fields.scope.pointers.first { root?[$0]?.isNull == false }
        guard let place, let granted = root?[place] else { return nil }
        let separator = rules.scopeSeparator ?? context.descriptor.scopes.separator
        let scopes = granted.string?.split(separator: separator).map(String.init) ?? granted.array?.compactMap(\.string)
        let known = context.scopeUses.map(\.scope) + (context.descriptor.idToken.none == nil ? [] : ["openid"])
        let unknown = scopes?.first { scope in
            !scope.contains(where: { ": ".contains($0) }) && scope.split(separator: ".").count < 3
                && !known.contains { $0 == scope || $0.contains("{") }
        }
        let scopeRules = context.descriptor.scopes
        if scopeRules.catalog.isEmpty {
            let requested = scopeRules.defaults + scopeRules.required + scopeRules.offline
            let text = scopes?.joined(separator: " ").lettersAndDigits ?? ""
            // Nearly the same name, or another separator, is what R003 reports.
            guard !requested.isEmpty, !context.descriptor.authorization.omit.contains("scope"),
                !requested.contains(where: { text.holds($0.lettersAndDigits) })
            else { return nil }
        }
        return unknown.map { scope in
            finding(
                "the sample grants the scope \"\(scope)\", which is nowhere else", in: context,
                at: sample.node?.node(at: rules.root.tokens + place.tokens)?.span ?? sample.keySpan,
                help: "add it to scopes.catalog, or correct the sample")
        }
    }
}
