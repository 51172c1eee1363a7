import CarnetDescriptors
import CarnetFoundation

struct URLNotAbsolute: LintRule {
    let explanation = DiagnosticExplanation(
        "E002", name: "url-not-absolute", summary: "A URL does not start with https://.",
        rationale: """
            Carnet guesses neither a scheme nor a host. Only the URLs of calls with the access token may start with '/', if there \
            is 'api.base_url': 'endpoints.userinfo', 'profile.requests', 'resources' and 'connection'. A scheme other than https and http could start a program when \
            a browser opens the URL.
            """,
        references: ["RFC 3986, section 4.3", "RFC 8414, section 2"],
        bad: [
            "issuer: ⟦id.acme.example⟧",
            """
            endpoints:
              authorization: ⟦/authorize⟧
              token: https://id.acme.example/token
            api: { base_url: https://api.acme.example }
            """,
            "issuer: ⟦javascript://id.acme.example⟧",
            """
            inputs: { issuer: { type: identifier } }
            issuer: https://{issuer}.acme.example
            endpoints: { token: ⟦'{issuer}/token'⟧ }
            """,
        ],
        good: [
            "inputs: { domain: { type: hostname } }\nissuer: https://{domain}",
            "issuer: https://id.acme.example\nendpoints: { token: '{issuer}/oauth/token' }",
            """
            issuer: https://id.acme.example
            api: { base_url: https://api.acme.example }
            endpoints: { userinfo: /me }
            profile: { requests: [{ url: /emails, claims: { email: /email } }] }
            """,
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.compactMap { url in
            if url.continuesIssuer { return nil }
            if let scheme = url.scheme?.lowercased(), scheme == "https" || scheme == "http" { return nil }
            let what = url.scheme.map { "has the scheme \"\($0)\"" } ?? "is not an absolute URL"
            let descriptor = context.descriptor
            let isInput =
                url.kind != .issuer && url.source.hasPrefix("{\(Template.issuerName)}")
                && descriptor.issuer != nil && descriptor.inputs.contains(Template.issuerName)
            let help =
                isInput
                ? "{issuer} is the input of that name; give the input another name, and it is the issuer"
                : adviceOnBlanks(url.source) ?? adviceOnBase(url, descriptor)
                    ?? "write the complete URL, starting with https://"
            return finding(
                "\(url.name) \(what)", in: context, at: url.node.span, help: url.source.adviceOnCurlyQuotes ?? help)
        }
    }

    private func adviceOnBlanks(_ source: String) -> String? {
        let text = String(source.filter { $0 != " " })
        guard text.utf8.count < source.utf8.count, text.hasPrefix("https://") else { return nil }
        return "a URL has no blanks: write \(text)"
    }

    /// What makes a relative URL one below `api.base_url`.
    private func adviceOnBase(_ url: DescriptorURL, _ descriptor: ProviderDescriptor) -> String? {
        guard url.takesBase, url.scheme == nil else { return nil }
        if url.source.hasPrefix("/") { return "write the complete URL, starting with https://, or add api.base_url" }
        guard descriptor.api.baseURL != nil, let first = url.source.utf8.first, ASCII.isAlphanumeric(first),
            !url.source.prefix(while: { $0 != "/" }).contains(where: { ".:".contains($0) })
        else { return nil }
        return "write /\(url.source) for a URL below api.base_url, or the complete URL"
    }
}
