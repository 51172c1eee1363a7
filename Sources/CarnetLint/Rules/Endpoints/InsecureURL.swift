import CarnetDescriptors
import CarnetFoundation

struct InsecureURL: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "E001", name: "insecure-url", fix: .safe, summary: "A URL uses http on a host that is not this machine.",
        rationale: """
            Codes, tokens and client secrets go to these URLs. Without TLS, everyone on the path can read and change \
            them. Carnet requests https only, and http only on a loopback host, for servers under development.
            """,
        references: ["RFC 6749, section 3.1", "RFC 6749, section 3.2", "RFC 9700, section 2.6"],
        bad: [
            "issuer: ⟦http⟧://id.acme.example",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: ⟦http⟧://id.acme.example/token
            """,
            "resources:\n  - { title: Photos, scope: photos, url: '⟦http⟧://api.acme.example/photos' }\nscopes: { catalog: [photos] }",
            "inputs: { host: { type: hostname } }\nissuer: ⟦http⟧://{host}",
        ],
        good: ["issuer: http://localhost:8080", "issuer: http://127.0.0.1:8080/realm", "issuer: http://[::1]:8080"])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.compactMap { url in
            guard let scheme = url.scheme, scheme.lowercased() == "http", !HostName(url.host).needsNoTLS
            else { return nil }
            let span = context.span(of: scheme, in: url.node)
            return finding(
                "\(url.name) is not https", in: context, at: span, help: "http is only allowed on loopback hosts",
                fix: span == url.node.span ? nil : Fix(.safe, "use https", at: span, with: "https"))
        }
    }
}
