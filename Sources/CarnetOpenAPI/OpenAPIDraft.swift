import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// The draft of a descriptor with what a security scheme says about its authorization server.
struct OpenAPIDraft {
    private(set) var text = ""

    /// - Parameters:
    ///   - scheme: `nil` if the description has none for access tokens; then all is guessed.
    ///   - origin: That of the first server.
    init(
        id: String, title: String?, _ document: OpenAPIDocument, _ scheme: OpenAPIScheme?, _ origin: String?,
        _ findings: inout ImportFindings
    ) {
        var facts = DescriptorDraft.Facts()
        facts.name = title?.oneLine(limit: 60)
        facts.docs = document.root.entry("externalDocs")?.value.text("url").flatMap { Self.url($0, nil) }
        facts.baseURL = origin.flatMap { Self.url($0, nil) }
        var issuer: String?
        if let scheme {
            issuer = Self.issuer(of: scheme, &findings)
            // In a descriptor, braces would name an input.
            facts.catalog = scheme.scopes.filter { ScopeRules.isToken($0.id) && !$0.id.contains("{") }
            func endpoint(_ url: String?, _ name: String) -> String? {
                guard let url else { return nil }
                let known = Self.url(url, origin)
                if known == nil {
                    findings.add(
                        .warning, "\(name) is no URL that Carnet sends requests to: the descriptor has a guess",
                        at: scheme.span, help: "write the complete URL, such as https://id.example.com/token")
                }
                return known
            }
            facts.authorization = endpoint(scheme.authorization, "authorizationUrl")
            facts.token = endpoint(scheme.token, "tokenUrl")
            facts.refresh = endpoint(scheme.refresh, "refreshUrl").flatMap { $0 == facts.token ? nil : $0 }
            facts.deviceAuthorization = endpoint(scheme.deviceAuthorization, "deviceAuthorizationUrl")
            if issuer == nil { Self.report(scheme, &findings) }
        }
        text = DescriptorDraft(id: id, issuer: issuer, facts: facts)?.text ?? ""
    }

    private static func report(_ scheme: OpenAPIScheme, _ findings: inout ImportFindings) {
        if scheme.kind != .oauth2 {
            findings.add(
                .information, "the scheme does not say who issues the tokens: the descriptor's endpoints are guesses",
                at: scheme.span)
        } else if !scheme.flows.contains(where: ["authorizationCode", "accessCode"].contains) {
            findings.add(
                .information, "the scheme has no authorization code flow: the descriptor has guesses for it",
                at: scheme.span)
        }
    }

    /// The issuer of a metadata document (OpenID Connect Discovery, section 4; RFC 8414, section 3).
    private static func issuer(of scheme: OpenAPIScheme, _ findings: inout ImportFindings) -> String? {
        guard let metadata = scheme.metadata else { return nil }
        for name in ["openid-configuration", "oauth-authorization-server"] {
            guard let place = metadata.firstRange(of: "/.well-known/" + name) else { continue }
            let issuer = String(metadata[..<place.lowerBound] + metadata[place.upperBound...])
            if let issuer = url(issuer, nil) { return issuer }
        }
        findings.add(
            .warning, "the URL is not that of an issuer's metadata: the descriptor's endpoints are guesses",
            at: scheme.span,
            help: "it ends with /.well-known/openid-configuration")
        return nil
    }

    /// A URL that a descriptor can have.
    ///
    /// - Parameter origin: What stands before a path (OpenAPI 3.2, section 4.6.1).
    private static func url(_ text: String, _ origin: String?) -> String? {
        let url = text.hasPrefix("/") ? (origin ?? "") + text : text
        guard !url.utf8.contains(where: { "{}#".utf8.contains($0) }), (try? WebURL.check(url)) != nil else {
            return nil
        }
        return url
    }
}
