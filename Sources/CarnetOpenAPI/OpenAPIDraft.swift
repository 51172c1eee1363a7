import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// The draft of a descriptor with what a security scheme says about its authorization server.
struct OpenAPIDraft {
    private(set) var text = ""

    /// - Parameters:
    ///   - schemes: Those for access tokens, of which the first counts; without one, all is guessed.
    ///   - server: The first server with a host.
    init(
        id: String, title: String?, _ document: OpenAPIDocument, _ schemes: [OpenAPIScheme], _ server: ServerBase?,
        _ profile: DescriptorDraft.Profile?, _ operations: OpenAPIOperations, _ findings: inout ImportFindings
    ) {
        var facts = DescriptorDraft.Facts()
        facts.name = title?.oneLine(limit: 60)
        facts.docs = document.root.entry("externalDocs")?.value.text("url").flatMap { Self.url($0, nil) }
        facts.baseURL = server?.origin.flatMap { Self.url($0, nil) }
        facts.headers = OpenAPIHeaders(document, operations).draft
        facts.profile = profile.flatMap { found in Self.url(found.url, nil) == nil ? nil : found }
        if facts.profile == nil {
            facts.profileGap =
                profile.map { "the document does not say at which host \($0.request) is" }
                ?? "the document has no operation such as GET /me"
        }
        var issuer: String?
        if let scheme = schemes.first {
            // Programs often have a scheme of their own at the same server.
            let flows = schemes.filter { $0.key == scheme.key || $0.hasServer(of: scheme) }
            facts.hasClientCredentials = flows.contains(where: \.hasClientCredentials)
            facts.hasPage = !flows.allSatisfy(\.hasNoPage)
            issuer = Self.issuer(of: scheme, &findings)
            // In a descriptor, braces would name an input.
            facts.catalog = scheme.scopes.filter { ScopeRules.isToken($0.id) && !$0.id.contains("{") }
            // The issuer that openid needs is not known, and a scope that the scheme does not list is probably misspelled.
            let listed = Set(facts.catalog.map { ByteKey($0.id) })
            facts.profile?.scopes.removeAll { scope in
                scope == "openid" || !listed.isEmpty && !listed.contains(ByteKey(scope))
            }
            func endpoint(_ url: String?, _ name: String) -> String? {
                guard let url else { return nil }
                let known = Self.url(url, server)
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
            if issuer == nil, scheme.scopeIDs.contains(ByteKey("openid")) {
                facts.remark =
                    "The scopes have openid: write the issuer of the provider's metadata, with scopes.default: [openid]."
                findings.add(
                    .information, "the scopes have openid, and the document does not say the issuer", at: scheme.span,
                    help: "run carnet new \(id) --issuer URL, or write issuer: URL into the descriptor")
            }
        }
        text = DescriptorDraft(id: id, issuer: issuer, facts: facts)?.text ?? ""
    }

    private static func report(_ scheme: OpenAPIScheme, _ findings: inout ImportFindings) {
        if scheme.kind != .oauth2 {
            findings.add(
                .information, "the scheme does not say who issues the tokens: the descriptor's endpoints are guesses",
                at: scheme.span)
        } else if scheme.hasNoPage {
            findings.add(
                .information, "the scheme has no page to sign in at: the descriptor has none",
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
    /// - Parameter server: What a relative URL is below (OpenAPI 3.2, section 4.6.1).
    private static func url(_ text: String, _ server: ServerBase?) -> String? {
        var url = text
        if text.hasPrefix("/") {
            url = (server?.origin ?? "") + text
        } else if !text.contains(":"), let server, let origin = server.origin {
            url = origin + server.path + "/" + (text.hasPrefix("./") ? String(text.dropFirst(2)) : text)
        }
        guard !url.utf8.contains(where: { "{}#".utf8.contains($0) }), (try? WebURL.check(url)) != nil else {
            return nil
        }
        return url
    }
}
