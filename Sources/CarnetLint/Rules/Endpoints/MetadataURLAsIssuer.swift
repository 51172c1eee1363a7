import CarnetDescriptors
import CarnetFoundation

struct MetadataURLAsIssuer: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "E040", name: "metadata-url-as-issuer", fix: .unsafe,
        summary: "The issuer is the URL of the metadata document.",
        rationale: """
            The metadata document is at the issuer with '/.well-known/...' added, and contains the issuer. With the \
            whole URL as the issuer, Carnet looks for the document in the wrong place, and no ID token matches.
            """,
        references: ["OpenID Connect Discovery 1.0, section 4", "RFC 8414, section 3"],
        bad: [
            "issuer: https://id.acme.example⟦/.well-known/openid-configuration⟧",
            "issuer: https://id.acme.example⟦/.well-known/oauth-authorization-server⟧/realm",
        ],
        good: "issuer: https://id.acme.example\ndiscovery_url: https://acme.example/.well-known/openid-configuration")

    private static let suffixes = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.filter { $0.kind == .issuer }.compactMap { url in
            guard let suffix = Self.suffixes.first(where: url.source.holds),
                let range = url.source.firstRange(of: suffix)
            else { return nil }
            let span = context.span(of: url.source[range], in: url.node)
            return finding(
                "the issuer is the URL of its metadata document", in: context, at: span,
                help: "use the exact 'issuer' of that document; name a document elsewhere in 'discovery_url'",
                fix: span == url.node.span ? nil : Fix(.unsafe, "remove it", at: span, with: ""))
        }
    }
}
