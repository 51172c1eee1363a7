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
            """
            inputs: { site: { type: host_path, example: id.acme.example⟦/.well-known/openid-configuration⟧ } }
            issuer: https://{site}
            """,
        ],
        good: "issuer: https://id.acme.example\ndiscovery_url: https://acme.example/.well-known/openid-configuration")

    func check(_ context: LintContext) -> [Diagnostic] {
        let issuers = context.urls.filter { $0.kind == .issuer }
        let used = context.descriptor.issuer?.inputNames ?? []
        let values = context.places.inputs.named().filter { used.contains($0.name) }.flatMap { input in
            [input.value.defaultValue.node, input.value.example.node].compactMap { $0 } + input.value.allowed.elements
        }
        let texts =
            issuers.map { (text: $0.source, node: $0.node) }
            + values.compactMap { node in node.scalar.map { (text: $0.text, node: node) } }
        return texts.compactMap { text, node in
            guard let path = IssuerRule.metadataPaths.first(where: text.holds), let range = text.firstRange(of: path)
            else { return nil }
            let span = context.span(of: text[range], in: node)
            return finding(
                "the issuer is the URL of its metadata document", in: context, at: span,
                help: "use the exact 'issuer' of that document; name a document elsewhere in 'discovery_url'",
                fix: span == node.span ? nil : Fix(.unsafe, "remove it", at: span, with: ""))
        }
    }
}
