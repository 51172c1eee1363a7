package import CarnetDescriptors
import CarnetFoundation

/// A difference between a provider's metadata and its descriptor.
package struct MetadataDrift: Hashable, Sendable {
    package var severity: Diagnostic.Severity
    /// The key of the descriptor.
    package var key: String
    /// The difference, in one sentence without a full stop.
    package var message: String

    /// What the metadata does not announce; `nil` if nothing is missing, or nothing is announced.
    fileprivate static func missing(_ names: [String], in announced: [String], key: String) -> MetadataDrift? {
        let missing = names.filter { !announced.contains($0) }
        guard !announced.isEmpty, !missing.isEmpty else { return nil }
        let message = "the metadata does not announce \(missing.joined(separator: ", "))"
        return MetadataDrift(severity: .warning, key: key, message: message)
    }
}

extension ProviderMetadata {
    /// The differences in the descriptor's order; empty if there are none.
    ///
    /// A scope or method that is not announced may still work, so it is a warning.
    package func drift(from provider: Provider) -> [MetadataDrift] {
        endpointDrift(provider) + authenticationDrift(provider) + scopeDrift(provider) + protectionDrift(provider)
    }

    private func endpointDrift(_ provider: Provider) -> [MetadataDrift] {
        EndpointName.allCases.compactMap { name in
            guard let own = provider.endpoints[name], let announced = document[name.metadataName]?.string,
                !announced.isSameBytes(as: own.text)
            else { return nil }
            return MetadataDrift(
                severity: .error, key: "endpoints.\(name.rawValue)",
                message: "the metadata says \"\(announced.quotable())\"")
        }
    }

    private func authenticationDrift(_ provider: Provider) -> [MetadataDrift] {
        let own = (provider.client.described.authentication ?? []).map(\.rawValue)
        let drift = MetadataDrift.missing(
            own, in: texts("token_endpoint_auth_methods_supported"), key: "client.authentication")
        return [drift].compactMap { $0 }
    }

    private func scopeDrift(_ provider: Provider) -> [MetadataDrift] {
        let announced = texts("scopes_supported")
        let lists = [
            ("default", provider.scopes.defaults), ("required", provider.scopes.required),
            ("offline", provider.scopes.offline),
        ]
        return lists.compactMap { MetadataDrift.missing($1, in: announced, key: "scopes.\($0)") }
    }

    private func protectionDrift(_ provider: Provider) -> [MetadataDrift] {
        var drift: [MetadataDrift] = []
        let methods = texts("code_challenge_methods_supported")
        if provider.authorization.pkce.isRequired,
            let missing = MetadataDrift.missing(["S256"], in: methods, key: "authorization.pkce")
        {
            drift.append(missing)
        }
        if !signatureAlgorithms.isEmpty, !provider.tokenAlgorithms.contains(where: signatureAlgorithms.contains) {
            let names = signatureAlgorithms.map(\.rawValue).joined(separator: ", ")
            drift.append(
                MetadataDrift(severity: .error, key: "id_token.algorithms", message: "the metadata announces \(names)"))
        }
        return drift
    }

    private func texts(_ member: String) -> [String] { document[member]?.array?.compactMap(\.string) ?? [] }
}
