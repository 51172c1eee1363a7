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
        package var authentication: [ClientAuthenticationMethod]?
        package var subject: JSONPointer?
        package var docs: String?
        package var refresh: String?
        package var deviceAuthorization: String?
        /// Whether clients get tokens of their own.
        package var hasClientCredentials = false
        /// Whether there is a page to sign in at.
        package var hasPage = true
        /// What stands before the paths of resources.
        package var baseURL: String?
        /// The provider's scopes, with what each allows.
        package var catalog: [(id: String, title: String?)] = []
        /// Values that the host knows, with their rules in YAML.
        package var inputs: [(name: String, rules: String)] = []
        /// Headers that every request needs, with templates for their values.
        package var headers: [(name: String, value: String)] = []
        /// Further endpoints, by their keys.
        package var endpoints: [(name: String, url: String)] = []
        /// What is probably the user's profile, by the API's description.
        package var profile: Profile?
        /// Why the profile is not known although the API is; then none is invented.
        package var profileGap: String?
        /// What comments say about values, by their keys.
        package var remarks: [String: String] = [:]
        /// What a comment says besides.
        package var remark: String?
        /// Whether the issuer is that of an OAuth server without ID tokens.
        package var isPlain = false

        package init() {}
    }

    /// A request that probably returns the user who signed in.
    package struct Profile: Sendable {
        /// How the description calls it, with its method.
        package var request: String
        package var url: String
        package var scopes: [String]
        /// The claims that its schema has.
        package var claims: [(name: String, place: JSONPointer)]

        package init(request: String, url: String, scopes: [String], claims: [(name: String, place: JSONPointer)]) {
            (self.request, self.url, self.scopes, self.claims) = (request, url, scopes, claims)
        }
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

    /// The issuer whose metadata document a URL names (OpenID Connect Discovery, section 4; RFC 8414, section 3); the URL
    /// itself if it names none.
    package static func issuer(ofMetadata url: String) -> String {
        for name in ["openid-configuration", "oauth-authorization-server"] {
            guard let place = url.firstRange(of: "/.well-known/" + name) else { continue }
            let rest = url[place.upperBound...]
            // A longer name is another document, and its end would become a part of the host.
            guard rest.isEmpty || rest.utf8.first == UInt8(ascii: "/") else { continue }
            return String(url[..<place.lowerBound] + rest)
        }
        return url
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
        if let remark = facts.remark { lines.append("# \(remark)") }
        lines += facts.inputs.isEmpty ? [] : ["inputs:"] + facts.inputs.map { "  \($0.name): \($0.rules)" }
        if let issuer { lines.append("issuer: \(YAMLText.plainOrQuoted(issuer))\(codeRemark)\(remark("issuer"))") }
        if isWithoutPage { lines.append("discovery: none # the server announces no page to sign in at") }
        if let metadata, !isPlain, metadata["userinfo_endpoint"] == nil {
            lines.append("# The server announces no userinfo endpoint: the ID token has the profile.")
        }
        lines += endpoints
        let isOfClient = isWithoutPage && announcedTexts("grant_types_supported").contains("client_credentials")
        if facts.hasClientCredentials || isOfClient {
            lines.append("client_credentials: {}" + remark("client_credentials"))
        }
        lines += authentication + scopes + proofKey + profile + api
        return lines.joined(separator: "\n") + "\n"
    }

    /// What the metadata of the issuer must name for a sign-in, and neither it nor the author does.
    package var missingEndpoints: [String] {
        guard let metadata else { return [] }
        let grants = announcedTexts("grant_types_supported")
        let needsPage = !grants.contains { $0 == "client_credentials" || $0.hasSuffix(":device_code") }
        func isMissing(_ name: String, _ known: String?) -> Bool { metadata[name] == nil && known == nil }
        let lacksPage = needsPage && isMissing("authorization_endpoint", facts.authorization)
        let lacksToken = isMissing("token_endpoint", facts.token)
        return (lacksPage ? ["authorization_endpoint"] : []) + (lacksToken ? ["token_endpoint"] : [])
    }

    /// Whether the author must say where the profile is.
    package var lacksProfile: Bool { isPlain && facts.userinfo == nil && facts.profile == nil }

    private var codeRemark: String {
        let announced = announcedTexts("response_types_supported")
        return announced.isEmpty || announced.contains { $0.split(separator: " ").contains("code") }
            ? "" : " # guessed: the server does not announce the response type code, which Carnet requests"
    }

    private var api: [String] {
        guard facts.baseURL != nil || !facts.headers.isEmpty else { return [] }
        var lines = ["api:"]
        if let url = facts.baseURL { lines.append("  base_url: \(YAMLText.quoted(url))\(remark("base_url"))") }
        guard !facts.headers.isEmpty else { return lines }
        lines.append("  headers:")
        return lines
            + facts.headers.map { name, value in
                "    \(YAMLText.plainOrQuoted(name)): \(YAMLText.quoted(value)) # guessed: every operation requires it"
            }
    }

    private func remark(_ key: String) -> String { facts.remarks[key].map { " # \($0)" } ?? "" }

    private var guessedName: String {
        id.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    /// Whether the provider is an API without OpenID Connect, whose profile the descriptor maps. Metadata without ID tokens
    /// and a userinfo endpoint is that of such a provider (RFC 8414, section 2).
    private var isPlain: Bool {
        guard issuer != nil else { return true }
        guard let metadata else { return facts.isPlain }
        let scopes = announcedTexts("scopes_supported")
        let hasIDToken = ["id_token_signing_alg_values_supported", "jwks_uri"].allSatisfy { metadata[$0] != nil }
        let isOpenID =
            metadata["userinfo_endpoint"] != nil || hasIDToken && (scopes.isEmpty || scopes.contains("openid"))
        return isWithoutPage || !isOpenID && metadata["authorization_endpoint"] != nil
    }

    /// Whether the metadata is that of a server where nobody signs in at a page.
    private var isWithoutPage: Bool {
        metadata.map { $0["authorization_endpoint"] == nil && facts.authorization == nil } ?? false
            && !missingEndpoints.contains("authorization_endpoint")
    }

    private var hasPage: Bool { facts.authorization != nil || facts.hasPage && !isWithoutPage }

    /// Whether a user signs in, at a page or on another device.
    private var hasUser: Bool {
        hasPage || facts.deviceAuthorization != nil || metadata?["device_authorization_endpoint"] != nil
    }

    /// The comment of a URL at a host that nobody named.
    package static let invented = " # guessed: copy the real one from the provider's documentation"

    private var endpoints: [String] {
        func line(_ name: String, _ known: String?, _ guessed: String) -> String {
            let reason = facts.remarks[name].map { "; \($0)" } ?? ""
            return "  \(name): \(known.map { YAMLText.quoted($0) + remark(name) } ?? guessed + Self.invented + reason)"
        }
        var lines: [String] = []
        if issuer == nil {
            if hasPage { lines = [line("authorization", facts.authorization, "https://\(id).example/oauth/authorize")] }
            lines.append(line("token", facts.token, "https://\(id).example/oauth/token"))
        } else {
            for (name, url) in [("authorization", facts.authorization), ("token", facts.token)] {
                if let url, metadata?["\(name)_endpoint"] == nil { lines.append(line(name, url, "")) }
            }
        }
        let known = [("refresh", facts.refresh), ("device_authorization", facts.deviceAuthorization)] + facts.endpoints
        for (name, url) in issuer == nil ? known : [] { if let url { lines.append(line(name, url, "")) } }
        for name in isWithoutPage ? ["token", "device_authorization"] : [] {
            if let url = metadata?[name + "_endpoint"]?.string { lines.append(line(name, url, "")) }
        }
        if !hasUser {
            // Without a user there is no profile.
        } else if isPlain, let found = facts.profile, facts.userinfo == nil {
            lines.append("  userinfo: \(YAMLText.quoted(found.url)) # guessed: \(found.request)")
        } else if isPlain, profileGap == nil {
            lines.append(line("userinfo", facts.userinfo, "https://api.\(id).example/me"))
        }
        return lines.isEmpty ? [] : ["endpoints:"] + lines
    }

    /// Why nothing identifies the user yet.
    private var profileGap: String? {
        guard lacksProfile else { return nil }
        return facts.profileGap ?? metadata.map { _ in "the provider's metadata names no userinfo endpoint" }
    }

    /// The methods that the author knows or the server announces, if Carnet's order would not do.
    private var authentication: [String] {
        func section(_ methods: [ClientAuthenticationMethod], _ remark: String = "") -> [String] {
            ["client:", "  authentication: [\(methods.map(\.rawValue).joined(separator: ", "))]\(remark)"]
        }
        if let methods = facts.authentication { return section(methods) }
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
        let announced = metadata == nil ? facts.catalog.map(\.id) : announcedTexts("scopes_supported")
        let usual = ["openid", "profile", "email"]
        var wanted: [String] = []
        var remark = " # guessed: the scopes to request; see the provider's documentation"
        if let scopes = facts.scopes {
            (wanted, remark) = (scopes, "")
        } else if isPlain {
            wanted = hasUser ? facts.profile?.scopes ?? [] : []
            if !wanted.isEmpty { remark = " # guessed: what \(facts.profile?.request ?? "it") needs" }
        } else if metadata == nil || announced.isEmpty {
            wanted = usual.filter { $0 == "openid" || announced.isEmpty || announced.contains($0) }
        } else if announced.contains(where: usual.contains) {
            (wanted, remark) = (usual.filter(announced.contains), " # chosen from those that the server announces")
        }
        var lines = ["scopes:", "  default: [\(wanted.map(YAMLText.plainOrQuoted).joined(separator: ", "))]\(remark)"]
        if !isPlain, announced.contains("offline_access") { lines.append("  offline: [offline_access]") }
        var catalog = facts.catalog
        if isPlain, catalog.isEmpty {
            // In a descriptor, braces would name an input.
            catalog = announced.filter {
                !$0.isEmpty && $0.utf8.allSatisfy { 0x21...0x7A ~= $0 && $0 != 0x22 && $0 != 0x5C }
            }.map { ($0, nil) }
        }
        guard !catalog.isEmpty else { return lines }
        let missing = wanted.filter { scope in !catalog.contains { $0.id.isSameBytes(as: scope) } }
        return lines + ["  catalog:"]
            + (missing.map { ($0, nil) } + catalog).map { id, title in
                "    - { id: \(YAMLText.quoted(id))\(title.map { ", title: \(YAMLText.quoted($0))" } ?? "") }"
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
        guard isPlain, hasUser else { return [] }
        if let gap = profileGap {
            return [
                "profile: # guessed: if the API returns the user's profile, add endpoints.userinfo, and claims in place of subject",
                "  subject: { none: \(YAMLText.quoted(gap)) }",
            ]
        }
        let found = facts.profile.map { $0.claims.map { ($0.name, YAMLText.quoted($0.place.description)) } } ?? []
        let subject =
            facts.subject.map { YAMLText.quoted($0.description) } ?? "/id # guessed: the id that never changes"
        var lines = [
            "profile:" + (facts.profile?.request.hasPrefix("POST ") == true ? "\n  method: POST # guessed" : ""),
            "  claims: # compare with a response of the userinfo endpoint, and add it as samples.userinfo",
        ]
        if !found.contains(where: { $0.0 == "subject" }) { lines.append("    subject: \(subject)") }
        lines += found.map { "    \($0.0): \($0.1) # guessed from the schema of the response" }
        return found.isEmpty ? lines + ["    name: /name # guessed", "    email: /email # guessed"] : lines
    }

    /// The strings of a list in the metadata that are plain enough to be written into a file.
    private func announcedTexts(_ member: String) -> [String] { metadata?[member]?.array?.compactMap(\.string) ?? [] }
}
