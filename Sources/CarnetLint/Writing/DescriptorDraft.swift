package import CarnetDescriptors
package import CarnetFoundation

/// A descriptor to start from: small, commented, and without a finding. Every guess says that it is one.
package struct DescriptorDraft: Sendable {
    /// What the author knows; `nil` is guessed.
    package struct Facts: Sendable {
        package var name: String?
        package var authorization: String?
        package var token: String?
        package var userinfo: String?
        package var scopes: [String]?
        package var authentication: ClientAuthenticationMethod?
        package var subject: JSONPointer?
        package var docs: String?
        package var refresh: String?
        package var deviceAuthorization: String?
        /// What stands before the paths of resources.
        package var baseURL: String?
        /// The provider's scopes, with what each allows.
        package var catalog: [(id: String, title: String?)] = []

        package init() {}
    }

    package let id: ProviderID
    private let issuer: String?
    private let metadata: JSONValue?
    private let facts: Facts

    /// - Parameters:
    ///   - issuer: The issuer, or `nil` for a provider without one.
    ///   - metadata: The issuer's own metadata document (RFC 8414, section 2), if it was fetched.
    /// - Returns: `nil` if the id is not one.
    package init?(id: String, issuer: String?, metadata: JSONValue? = nil, facts: Facts = Facts()) {
        guard ProviderID.isValid(id) else { return nil }
        self.id = ProviderID(rawValue: id)
        self.issuer = issuer
        self.metadata = metadata
        self.facts = facts
    }

    /// The file's text.
    package var text: String {
        var lines = ["carnet: 1", "id: \(YAMLText.plainOrQuoted(id.rawValue))"]
        lines.append(
            facts.name.map { "name: \(YAMLText.quoted($0))" }
                ?? "name: \(YAMLText.plainOrQuoted(guessedName)) # guessed from the id")
        if let docs = facts.docs {
            lines.append("docs: \(YAMLText.quoted(docs))")
        } else if let docs = metadata?["service_documentation"]?.string, (try? WebURL.check(docs)) != nil {
            lines.append("docs: \(YAMLText.quoted(docs)) # as the server announces")
        }
        if let issuer { lines.append("issuer: \(YAMLText.plainOrQuoted(issuer))") }
        lines += endpoints + authentication + scopes + catalog + proofKey + profile
        if let url = facts.baseURL { lines += ["api:", "  base_url: \(YAMLText.quoted(url))"] }
        return lines.joined(separator: "\n") + "\n"
    }

    private var guessedName: String {
        id.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    /// Whether the provider is an API without OpenID Connect, whose profile the descriptor maps. Metadata without ID tokens
    /// and a userinfo endpoint is that of such a provider (RFC 8414, section 2).
    private var isPlain: Bool {
        guard issuer != nil else { return true }
        guard let metadata else { return false }
        return metadata["userinfo_endpoint"] == nil && metadata["id_token_signing_alg_values_supported"] == nil
            && metadata["authorization_endpoint"] != nil
    }

    private var endpoints: [String] {
        guard isPlain else { return [] }
        let guess = " # guessed: copy the real one from the provider's documentation"
        func line(_ name: String, _ known: String?, _ guessed: String) -> String {
            "  \(name): \(known.map(YAMLText.quoted) ?? guessed + guess)"
        }
        let userinfo = line("userinfo", facts.userinfo, "https://api.\(id).example/me")
        guard issuer == nil else { return ["endpoints:", userinfo] }
        let token = line("token", facts.token, "https://\(id).example/oauth/token")
        let others = [("refresh", facts.refresh), ("device_authorization", facts.deviceAuthorization)]
        return [
            "endpoints:", line("authorization", facts.authorization, "https://\(id).example/oauth/authorize"), token,
        ]
            + others.compactMap { name, url in url.map { line(name, $0, "") } } + [userinfo]
    }

    /// The methods that the author knows or the server announces, if Carnet's order would not do.
    private var authentication: [String] {
        func section(_ methods: [ClientAuthenticationMethod], _ remark: String = "") -> [String] {
            ["client:", "  authentication: [\(methods.map(\.rawValue).joined(separator: ", "))]\(remark)"]
        }
        if let method = facts.authentication { return section([method]) }
        let announced = announcedTexts("token_endpoint_auth_methods_supported")
        let usable = ClientRules.defaultMethods.filter { announced.contains($0.rawValue) }
        if !usable.isEmpty {
            return usable == ClientRules.defaultMethods ? [] : section(usable, " # as the server announces")
        }
        return issuer == nil
            ? section([.clientSecretPost], " # guessed: id and secret in the body; client_secret_basic is a header")
            : []
    }

    private var scopes: [String] {
        if let scopes = facts.scopes {
            return ["scopes:", "  default: [\(scopes.map(YAMLText.quoted).joined(separator: ", "))]"]
        }
        guard !isPlain else {
            return ["scopes:", "  default: [] # guessed: the scopes to request; see the provider's documentation"]
        }
        let announced = metadata == nil ? facts.catalog.map(\.id) : announcedTexts("scopes_supported")
        let usual = ["openid", "profile", "email"]
        let wanted = announced.isEmpty ? usual : usual.filter(announced.contains)
        let remark =
            announced.isEmpty
            ? "guessed: the server announces no scopes" : "chosen from those that the server announces"
        var lines = ["scopes:", "  default: [\(wanted.joined(separator: ", "))] # \(remark)"]
        if announced.contains("offline_access") { lines.append("  offline: [offline_access]") }
        return lines
    }

    private var catalog: [String] {
        guard !facts.catalog.isEmpty else { return [] }
        return ["  catalog:"]
            + facts.catalog.map { scope in
                let title = scope.title.map { ", title: \(YAMLText.quoted($0))" } ?? ""
                return "    - { id: \(YAMLText.quoted(scope.id))\(title) }"
            }
    }

    private var proofKey: [String] {
        let announced = announcedTexts("code_challenge_methods_supported")
        guard !announced.isEmpty, !announced.contains("S256") else { return [] }
        return [
            "# The server does not announce S256. Carnet sends it anyway: servers ignore unknown parameters."
        ]
    }

    private var profile: [String] {
        guard isPlain else { return [] }
        let subject =
            facts.subject.map { YAMLText.quoted($0.description) } ?? "/id # guessed: the id that never changes"
        return [
            "profile:",
            "  claims: # compare with a response of the userinfo endpoint, and add it as samples.userinfo",
            "    subject: \(subject)",
            "    name: /name # guessed",
            "    email: /email # guessed",
        ]
    }

    /// The strings of a list in the metadata that are plain enough to be written into a file.
    private func announcedTexts(_ member: String) -> [String] {
        metadata?[member]?.array?.compactMap(\.string) ?? []
    }
}
