import CarnetDescriptors

struct MetadataURLAsIssuer: SingleValueRule {
    let explanation = RuleExplanation(
        code: "E040",
        name: "metadata-url-as-issuer",
        summary: "The issuer is the address of the metadata document.",
        rationale: """
            The metadata document lies at the issuer with '/.well-known/...' added, and names the issuer inside. With the \
            whole address as the issuer, the document is looked for at a place where it is not, and no ID token is ever \
            of that issuer.
            """,
        fix: .unsafe,
        references: ["OpenID Connect Discovery 1.0, section 4", "RFC 8414, section 3"],
        bad: [
            "issuer: https://id.acme.example⟦/.well-known/openid-configuration⟧\n",
            "issuer: https://id.acme.example⟦/.well-known/oauth-authorization-server⟧/realm\n",
        ],
        good: [
            "issuer: https://id.acme.example\ndiscovery_url: https://acme.example/.well-known/openid-configuration\n"
        ]
    )

    private static let suffixes = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.filter { $0.kind == .issuer }.compactMap { url in
            guard let suffix = Self.suffixes.first(where: url.source.holds),
                let range = url.source.firstRange(of: suffix)
            else { return nil }
            let span = context.span(of: url.source[range], in: url.node)
            return finding(
                "the issuer is the address of its metadata",
                in: context,
                at: span,
                help: "use the exact 'issuer' of that document; if it lies elsewhere, its address is 'discovery_url'",
                fix: span == url.node.span
                    ? nil
                    : Fix(
                        summary: "use what is left without it",
                        applicability: .unsafe,
                        edits: [Fix.Edit(span: span, replacement: "")]
                    )
            )
        }
    }
}
