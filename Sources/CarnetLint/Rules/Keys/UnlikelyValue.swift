import CarnetDescriptors
import CarnetFoundation

struct UnlikelyValue: LintRule {
    let explanation = DiagnosticExplanation(
        code: "K125",
        name: "unlikely-value",
        severity: .warning,
        summary: "A value is allowed, but unlikely beside its neighbours or the standard's words.",
        rationale: """
            Scopes are separated by a space or a punctuation mark; one with a comma is usually several. A grant type or response \
            type, an error code, a token type, a scope of OpenID Connect or a value of 'prompt' that differs from a standard \
            one by a letter or two is usually misspelled. 'expires_in' has seconds, not milliseconds. The token \
            endpoint is rarely the page where users sign in. A host that is another one of the file with a letter or a domain \
            more is usually somebody else's, and receives the access token.
            """,
        references: ["RFC 6749, section 3.3", "RFC 6749, section 4.1.3", "RFC 6749, section 5.2"],
        bad: [
            "scopes: { separator: ⟦comma⟧, default: [photos, albums] }\n",
            "scopes: { default: [⟦'photos,albums'⟧] }\n",
            "api: { token_in: { query: ⟦acces_token⟧, because: the API reads nothing else } }\n",
            "token: { grant_type: ⟦authorisation_code⟧ }\n",
            "refresh: { grant_type: ⟦authorization_code⟧ }\n",
            "token: { response: { errors: { codes: { CodeExpired: ⟦invalid_grants⟧ } } } }\n",
            "api: { errors: { statuses: { 403: ⟦invalid_tokens⟧ } } }\n",
            "token: { response: { default_token_type: ⟦Baerer⟧ } }\n",
            "token: { response: { default_expires_in: ⟦3600000⟧ } }\n",
            "issuer: https://id.acme.example\nscopes: { default: [openid], offline: [⟦offline_acess⟧] }\n",
            "authorization: { reconsent_parameters: { prompt: ⟦consnet⟧ } }\n",
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
            "token: { response: { default_expires_in: 5184000, errors: { codes: { CodeExpired: invalid_grant } } } }\n",
            "issuer: https://id.acme.example\nscopes: { default: [openid, profiles, emails] }\n",
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

    private static let kinds: [RequestKind] = [
        .token, .refresh, .clientCredentials, .deviceToken, .tokenExchange, .jwtBearer,
    ]
    private static let prompts = ["none", "login", "consent", "select_account", "create"]
    /// Those whose names are no common words: a provider may have a scope `profiles`.
    private static let scopes = ["openid", "offline_access"]

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
        for (node, own) in zip(grants.map(\.node), Self.kinds.map(\.grantType)) {
            // Some servers exchange tokens by the grant of assertions (on behalf of).
            let mayDiffer = own == RequestKind.tokenExchange.grantType
            guard let node, let text = node.scalar?.text, text != own, Self.grantTypes.contains(text),
                !mayDiffer || text != RequestKind.jwtBearer.grantType
            else { continue }
            found.append(finding("\"\(text)\" is the grant type of another request", in: context, at: node.span))
        }
        found += places.authorization.responseType.node.map { misspelled($0, ["code", "id_token"], context) } ?? []
        let lists = [
            places.authorization.parameters, places.authorization.offlineParameters,
            places.authorization.reconsentParameters,
        ]
        for entry in lists.flatMap(\.entries) where entry.key == StandardParameter.prompt.rawValue {
            found += misspelled(entry.value, Self.prompts, context)
        }
        var scopes = Set<String>()
        for use in context.scopeUses where scopes.insert(use.scope).inserted {
            let parts = use.scope.split(separator: ",")
            if parts.count > 1, context.descriptor.scopes.separator != "," {
                found.append(
                    finding(
                        "\"\(use.scope)\" is one scope with a comma", in: context, at: use.node.span,
                        help: "if these are several, write a list: [\(parts.joined(separator: ", "))]"))
            }
            // Another punctuation, such as offline.access, and a suffix make another scope.
            guard
                !Self.scopes.contains(where: {
                    $0.lettersAndDigits == use.scope.lettersAndDigits || use.scope.hasPrefix($0)
                })
            else { continue }
            found += misspelled(use.node, Self.scopes, context)
        }
        visit(context.root) { key, value in
            switch key {
            case "codes", "statuses":
                for entry in value.entries ?? [] {
                    found += misspelled(entry.value, RegisteredErrors.all.sorted(), context)
                }
            case "token_in":
                for entry in value.entries ?? [] where entry.key == "query" {
                    found += misspelled(entry.value, ["access_token"], context)
                }
            case "default_token_type" where !["bearer", "dpop"].contains(value.scalar?.text.lowercased()):
                found += misspelled(value, ["Bearer", "DPoP"], context)
            case "default_expires_in":
                guard let number = value.scalar?.text, Double(number)?.looksLikeMilliseconds == true else { return }
                found.append(
                    finding(
                        "\(number) seconds are unlikely, and look like milliseconds", in: context, at: value.span,
                        help: "write the lifetime in seconds: \(number.dropLast(3))"))
            default: break
            }
        }
        return found + sharedURLs(context) + unlikelyHosts(context)
    }

    /// Endpoints that do so different things that one URL hardly serves both.
    private static let apart: [(EndpointName, [EndpointName])] = [
        (.authorization, [.token, .userinfo, .jwks, .introspection, .revocation]), (.token, [.userinfo, .jwks]),
        (.userinfo, [.jwks]), (.introspection, [.revocation]),
    ]

    private func sharedURLs(_ context: LintContext) -> [Diagnostic] {
        let urls = context.descriptor.endpoints
        return Self.apart.flatMap { name, others -> [Diagnostic] in
            // One with a value in it is often a resource, which has a method for each purpose.
            guard let url = urls[name]?.source, !url.holds(UInt8(ascii: "?")), !url.holds(UInt8(ascii: "{")) else {
                return []
            }
            return others.compactMap { other in
                guard urls[other]?.source == url, let node = context.places.endpoints[other].node else { return nil }
                return finding(
                    "the \(other.rawValue) endpoint has the URL of the \(name.rawValue) endpoint", in: context,
                    at: node.span, help: "one of the two is probably another URL")
            }
        }
    }

    /// Every key of the file that is not in a response of the provider.
    private func visit(_ node: YAMLNode, _ read: (String, YAMLNode) -> Void) {
        for entry in node.entries ?? [] where !["sample", "samples", "tables", "notes"].contains(entry.key) {
            read(entry.key, entry.value)
            visit(entry.value, read)
        }
        for element in node.elements ?? [] { visit(element, read) }
    }

    private func misspelled(_ node: YAMLNode, _ standard: [String], _ context: LintContext) -> [Diagnostic] {
        guard let text = node.scalar?.text, !standard.contains(text),
            let nearest = nearestName(to: text, in: standard, within: 1)
        else { return [] }
        return [
            finding(
                "\"\(text)\" is not the standard's \"\(nearest)\"", in: context, at: node.span,
                help: "did you mean \"\(nearest)\"?")
        ]
    }

    /// Slips of the pen that no registry has as an ending.
    private static let noEndings = ["con", "cmo", "ocm", "comm", "ogr", "exmaple", "exampel", "examle"]

    /// A host that is an earlier one of the file and more, or nearly its domain, or has an ending that does not exist.
    private func unlikelyHosts(_ context: LintContext) -> [Diagnostic] {
        var known: [[Substring]] = []
        var found: [Diagnostic] = []
        for url in context.urls where !url.host.isEmpty {
            let host = url.host.lowercased()
            let labels = host.split(separator: ".")
            // An input may be a label of its own below a domain.
            guard !labels.suffix(2).contains(where: { $0.contains { "{}".contains($0) } }) else { continue }
            guard labels.count > 1, labels.contains(where: { Int($0) == nil }), !known.contains(labels) else {
                continue
            }
            if Self.noEndings.contains(labels.last.map(String.init) ?? "") {
                found.append(finding("no host ends in .\(labels.last ?? "")", in: context, at: url.node.span))
            } else if let near = known.first(where: { Self.isNear(labels, $0) }) {
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
        let (name, end) = (host.dropLast().last ?? "", host.last ?? "")
        guard domain != known else {
            // Below one domain, short names often differ by a letter.
            let (first, second) = (String(host[0]), String(other[0]))
            let isRegion = [first, second].contains { $0.contains { $0.isNumber || $0 == "-" } }
            return host.dropFirst() == other.dropFirst() && min(first.utf8.count, second.utf8.count) > 5
                && first != second && !isRegion && !first.isPlural(of: second) && !second.isPlural(of: first)
                && nearestName(to: first, in: [second], within: 1) != nil
        }
        // Another ending, such as .com beside .net, is common.
        guard end == other.last else {
            let ends = Set([end, other.last ?? ""])
            return name == other.dropLast().last && ends == ["co", "com"]
        }
        let isOtherwiseSame = host.count > 2 && host.dropLast(2) == other.dropLast(2)
        guard name.utf8.count > (isOtherwiseSame ? 2 : 4) else { return false }
        return nearestName(to: domain, in: [known], within: 1) != nil
    }
}

extension String {
    /// Whether it is a word and an s.
    func isPlural(of word: String) -> Bool { self == word + "s" }
}

extension Double {
    /// Whether a number of seconds is a usual lifetime in milliseconds: 3600000 is one hour, and 41.7 days.
    package var looksLikeMilliseconds: Bool { self >= 1_000_000 && truncatingRemainder(dividingBy: 300_000) == 0 }
}
