/// How the answers of a provider that can be JWTs are signed.
package struct SignedAnswers: Sendable {
    /// The callback (JWT Secured Authorization Response Mode).
    package var callback: SignedAnswer
    /// The answer of the userinfo endpoint (OpenID Connect Core, section 5.3.2).
    package var profile: SignedAnswer
    /// The answer of the introspection endpoint (RFC 9701).
    package var introspection: SignedAnswer

    package var all: [SignedAnswer] { [callback, profile, introspection] }

    /// How one answer is signed.
    package struct SignedAnswer: Sendable {
        /// Whether the descriptor demands a JWT.
        package let isRequired: Bool
        /// The accepted algorithms; also said by the metadata, and those of ID tokens if empty.
        package var algorithms: [SignatureAlgorithm]
        package let encryption: TokenEncryption?

        init(_ rules: SignedAnswerRules?) {
            isRequired = rules != nil
            algorithms = rules?.algorithms ?? []
            encryption = rules?.encryption
        }
    }
}

extension Provider {
    /// Every algorithm that the provider signs with by the word of its descriptor, the ID tokens' first.
    package var algorithmsOfKeys: [SignatureAlgorithm] {
        var all = signatureAlgorithms.isEmpty ? [.RS256] : signatureAlgorithms
        for algorithm in signedAnswers.all.flatMap(\.algorithms) where !all.contains(algorithm) {
            all.append(algorithm)
        }
        return all
    }

    /// The algorithms of a signed answer: the descriptor's or the announced ones, else those of ID tokens.
    package func algorithms(of answer: SignedAnswers.SignedAnswer) -> [SignatureAlgorithm] {
        if !answer.algorithms.isEmpty { return answer.algorithms }
        return signatureAlgorithms.isEmpty ? [.RS256] : signatureAlgorithms
    }
}
