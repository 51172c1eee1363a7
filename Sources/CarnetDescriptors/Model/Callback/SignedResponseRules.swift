/// How a response that is a JWT is signed, and encrypted if it is.
package struct SignedResponseRules: DescriptorSection, Sendable {
    package internal(set) var algorithms: [SignatureAlgorithm] = []
    package internal(set) var encryption: TokenEncryption?

    static let shorthand: String? = "algorithms"

    static let keys: [Key<Self>] = [
        Key(
            "algorithms", \.algorithms,
            "the accepted signature algorithms; default: the announced ones, else those of ID tokens"),
        Key("encryption", \.encryption, "its encryption for the client; default: none"),
    ]
}

/// How one response is signed.
package struct ResolvedSignedResponse: Sendable {
    /// Whether the descriptor demands a JWT.
    package let isRequired: Bool
    /// The accepted algorithms; also said by the metadata, and those of ID tokens if empty.
    package var algorithms: [SignatureAlgorithm]
    package let encryption: TokenEncryption?
    /// Whether the descriptor names encryption and no signature algorithm, so that an encrypted profile may be unsigned.
    package let isEncryptionEnough: Bool

    init(_ rules: SignedResponseRules?) {
        isRequired = rules != nil
        isEncryptionEnough = rules.map { $0.encryption != nil && $0.algorithms.isEmpty } ?? false
        algorithms = rules?.algorithms ?? []
        encryption = rules?.encryption
    }
}

extension ProviderSections {
    /// Every algorithm that the provider signs with by the word of its descriptor, the ID tokens' first.
    package var algorithmsOfKeys: [SignatureAlgorithm] {
        var all = idToken.algorithms.isEmpty ? [.RS256] : idToken.algorithms
        for algorithm in [callback.jwt, profile.jwt, introspection.jwt].flatMap(\.algorithms)
        where !all.contains(algorithm) {
            all.append(algorithm)
        }
        return all
    }
}

extension ProviderStage {
    /// The algorithms of a signed response: the descriptor's or the announced ones, else those of ID tokens.
    package func algorithms(of response: ResolvedSignedResponse) -> [SignatureAlgorithm] {
        if !response.algorithms.isEmpty { return response.algorithms }
        return self.idToken.algorithms.isEmpty ? [.RS256] : self.idToken.algorithms
    }
}
