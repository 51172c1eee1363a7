package import CarnetDescriptors
import CarnetFoundation

/// A difference between a provider's metadata and its descriptor.
package struct MetadataDrift: Hashable, Sendable {
    package var severity: Diagnostic.Severity
    /// The key of the descriptor.
    package var key: String
    /// The difference, in one sentence without a full stop.
    package var message: String
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
                severity: .error,
                key: "endpoints.\(name.rawValue)",
                message: "the metadata says \"\(announced.quotable())\""
            )
        }
    }

    private func authenticationDrift(_ provider: Provider) -> [MetadataDrift] {
        let announced = texts("token_endpoint_auth_methods_supported")
        let missing = (provider.client.described.authentication ?? []).map(\.rawValue).filter {
            !announced.contains($0)
        }
        guard !announced.isEmpty, !missing.isEmpty else { return [] }
        return [
            MetadataDrift(
                severity: .warning,
                key: "client.authentication",
                message: "the metadata does not announce \(missing.joined(separator: ", "))"
            )
        ]
    }

    private func scopeDrift(_ provider: Provider) -> [MetadataDrift] {
        let announced = texts("scopes_supported")
        guard !announced.isEmpty else { return [] }
        let lists = [
            ("default", provider.scopes.defaults), ("required", provider.scopes.required),
            ("offline", provider.scopes.offline),
        ]
        return lists.compactMap { name, scopes in
            let missing = scopes.filter { !announced.contains($0) }
            guard !missing.isEmpty else { return nil }
            return MetadataDrift(
                severity: .warning,
                key: "scopes.\(name)",
                message: "the metadata does not announce \(missing.joined(separator: ", "))"
            )
        }
    }

    private func protectionDrift(_ provider: Provider) -> [MetadataDrift] {
        var drift: [MetadataDrift] = []
        let methods = texts("code_challenge_methods_supported")
        if provider.authorization.pkce.isRequired, !methods.isEmpty, !methods.contains("S256") {
            drift.append(
                MetadataDrift(
                    severity: .warning, key: "authorization.pkce", message: "the metadata does not announce S256")
            )
        }
        let own = provider.idToken.algorithms.isEmpty ? [.RS256] : provider.idToken.algorithms
        if !signatureAlgorithms.isEmpty, !own.contains(where: signatureAlgorithms.contains) {
            let names = signatureAlgorithms.map(\.rawValue).joined(separator: ", ")
            drift.append(
                MetadataDrift(severity: .error, key: "id_token.algorithms", message: "the metadata announces \(names)")
            )
        }
        return drift
    }

    private func texts(_ member: String) -> [String] {
        document[member]?.array?.compactMap(\.string) ?? []
    }
}
