import CarnetDescriptors
import CarnetFoundation

struct UnlikelyValue: LintRule {
    let explanation = DiagnosticExplanation(
        code: "K125",
        name: "unlikely-value",
        severity: .warning,
        summary: "A value is allowed, but unlikely beside its neighbours or the standard's words.",
        rationale: """
            Scopes are separated by a space or a punctuation mark, not by a word such as 'comma'. A grant type or response \
            type that differs from a standard one by a letter or two is usually misspelled. The token endpoint is rarely the \
            page where users sign in. A host that is another one of the file with a letter or a domain more is usually \
            somebody else's, and receives the access token.
            """,
        references: ["RFC 6749, section 3.3", "RFC 6749, section 4.1.3"],
        bad: [
            "scopes: { separator: ⟦comma⟧, default: [photos, albums] }\n",
            "token: { grant_type: ⟦authorisation_code⟧ }\n",
            "authorization: { response_type: ⟦cod⟧ }\n",
            """
            endpoints:
              authorization: https://id.acme.example/login
              token: ⟦https://id.acme.example/login⟧

            """,
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              userinfo: ⟦https://id.acme.example.com/me⟧

            """,
        ],
        good: [
            "scopes: { separator: ',', default: [photos, albums] }\n",
            "token: { grant_type: authorized_code }\n",
            """
            endpoints:
              authorization: https://eu1.acme.example/authorize
              token: https://eu2.acme.example/token
              userinfo: https://api.acme.example/me

            """,
        ]
    )

    private static let words = [
        "comma": ",", "space": " ", "blank": " ", "plus": "+", "semicolon": ";", "pipe": "|", "colon": ":",
    ]
    private static let grantTypes = [
        "authorization_code", "refresh_token", "client_credentials",
        "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = context.places
        var found: [Diagnostic] = []
        for node in [places.scopes.separator.node, places.token.response.scopeSeparator.node].compactMap({ $0 }) {
            guard let text = node.scalar?.text, text.utf8.count > 1, text.utf8.allSatisfy(ASCII.isAlphanumeric) else {
                continue
            }
            found.append(
                finding(
                    "scopes would be joined by the word \"\(text)\"", in: context, at: node.span,
                    help: Self.words[text.lowercased()].map { "write '\($0)'" } ?? "write the character itself"))
        }
        let grants = [
            places.token.grantType, places.refresh.grantType, places.clientCredentials.grantType,
            places.device.token.grantType, places.tokenExchange.grantType, places.jwtBearer.grant.grantType,
        ]
        for node in grants.compactMap(\.node) { found += misspelled(node, Self.grantTypes, context) }
        found += places.authorization.responseType.node.map { misspelled($0, ["code", "id_token"], context) } ?? []
        if let page = context.descriptor.endpoints[.authorization]?.source, !page.holds(UInt8(ascii: "?")),
            context.descriptor.endpoints[.token]?.source == page, let node = places.endpoints[.token].node
        {
            found.append(
                finding(
                    "the token endpoint is the page where users sign in", in: context, at: node.span,
                    help: "one of the two is probably another URL"))
        }
        return found + unlikelyHosts(context)
    }

    private func misspelled(_ node: YAMLNode, _ standard: [String], _ context: LintContext) -> [Diagnostic] {
        guard let text = node.scalar?.text, !standard.contains(text),
            let nearest = nearestName(to: text, in: standard, within: 2)
        else { return [] }
        return [
            finding(
                "\"\(text)\" is not the standard's \"\(nearest)\"", in: context, at: node.span,
                help: "did you mean \"\(nearest)\"?")
        ]
    }

    /// A host that is an earlier one of the file and more, or nearly its domain.
    private func unlikelyHosts(_ context: LintContext) -> [Diagnostic] {
        var known: [[Substring]] = []
        var found: [Diagnostic] = []
        for url in context.urls where !url.host.isEmpty && !url.host.utf8.contains(UInt8(ascii: "{")) {
            let host = url.host.lowercased()
            let labels = host.split(separator: ".")
            guard labels.count > 1, labels.contains(where: { Int($0) == nil }), !known.contains(labels) else {
                continue
            }
            if let near = known.first(where: { Self.isNear(labels, $0) }) {
                found.append(
                    finding(
                        "the host \(host) is nearly \(near.joined(separator: "."))", in: context, at: url.node.span,
                        help: "if both are the provider's, silence this with a comment and the reason"))
            } else {
                known.append(labels)
            }
        }
        return found
    }

    private static func isNear(_ host: [Substring], _ other: [Substring]) -> Bool {
        let (short, long) = host.count < other.count ? (host, other) : (other, host)
        if long.count > short.count { return long.starts(with: short) }
        let (domain, known) = (host.suffix(2).joined(separator: "."), other.suffix(2).joined(separator: "."))
        // Another ending, such as .com beside .net, is common.
        guard domain != known, host.last == other.last, let name = host.dropLast().last, name.utf8.count > 4 else {
            return false
        }
        return nearestName(to: domain, in: [known], within: 1) != nil
    }
}
