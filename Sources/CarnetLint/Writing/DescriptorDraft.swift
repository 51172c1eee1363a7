package import CarnetDescriptors
package import CarnetFoundation

/// A descriptor to start from: small, commented, and without a finding. Every guess says that it is one.
package struct DescriptorDraft: Sendable {
    package let id: ProviderID
    private let issuer: String?
    private let metadata: JSONValue?

    /// - Parameters:
    ///   - issuer: The issuer, or `nil` for a provider whose endpoints are to be filled in by hand.
    ///   - metadata: The issuer's own metadata document (RFC 8414, section 2), if it was fetched.
    /// - Returns: `nil` if the id is not one.
    package init?(id: String, issuer: String?, metadata: JSONValue? = nil) {
        guard ProviderID.isValid(id) else { return nil }
        self.id = ProviderID(rawValue: id)
        self.issuer = issuer
        self.metadata = metadata
    }

    /// The file's text.
    package var text: String {
        var lines = ["carnet: 1", "id: \(id)", "name: \(name) # guessed from the id"]
        lines += issuer.map { ["issuer: \($0)"] } ?? Self.endpoints(of: id)
        lines += authentication + scopes + proofKey
        return lines.joined(separator: "\n") + "\n"
    }

    private var name: String {
        id.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }

    private static func endpoints(of id: ProviderID) -> [String] {
        [
            "# If the provider supports OpenID Connect, write its issuer here and remove the endpoints.",
            "# issuer: https://id.\(id).example",
            "endpoints: # guessed: copy the real ones from the provider's documentation",
            "  authorization: https://\(id).example/oauth/authorize",
            "  token: https://\(id).example/oauth/token",
        ]
    }

    /// The methods that the server announces, if Carnet's order would not do.
    private var authentication: [String] {
        let announced = announcedTexts("token_endpoint_auth_methods_supported")
        let usable = ClientRules.defaultMethods.filter { announced.contains($0.rawValue) }
        guard !usable.isEmpty, usable != ClientRules.defaultMethods else { return [] }
        let methods = usable.map(\.rawValue).joined(separator: ", ")
        return ["client:", "  authentication: [\(methods)] # as the server announces"]
    }

    private var scopes: [String] {
        guard issuer != nil else {
            return ["scopes:", "  default: [] # the scopes to request; see the provider's documentation"]
        }
        let announced = announcedTexts("scopes_supported")
        let usual = ["openid", "profile", "email"]
        let wanted = announced.isEmpty ? usual : usual.filter(announced.contains)
        let remark =
            announced.isEmpty
            ? "guessed: the server announces no scopes" : "chosen from those that the server announces"
        var lines = ["scopes:", "  default: [\(wanted.joined(separator: ", "))] # \(remark)"]
        if announced.contains("offline_access") { lines.append("  offline: [offline_access]") }
        return lines
    }

    private var proofKey: [String] {
        let announced = announcedTexts("code_challenge_methods_supported")
        guard !announced.isEmpty, !announced.contains("S256") else { return [] }
        return [
            "# The server does not announce S256. Carnet sends it anyway: servers ignore unknown parameters."
        ]
    }

    /// The strings of a list in the metadata that are plain enough to be written into a file.
    private func announcedTexts(_ member: String) -> [String] {
        metadata?[member]?.array?.compactMap(\.string) ?? []
    }
}
