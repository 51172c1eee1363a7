import CarnetDescriptors
import Foundation

/// An answer that came as a JWT, with a good signature. What its claims must say depends on the kind of answer.
struct VerifiedAnswer {
    /// A kind of answer, and what an error says of it.
    struct Kind {
        let step: OAuthError.Step
        /// What it is called in an error.
        let name: String
        /// The key of the descriptor that governs it.
        let key: String
        /// The `typ` that it must have; where none is registered, it has none or `JWT`.
        var type: String?
        /// The accepted algorithms.
        let algorithms: [SignatureAlgorithm]
        /// How it is encrypted for the client; not at all if `nil`.
        var encryption: TokenEncryption?
    }

    let claims: JSONObject
    private let kind: Kind
    private let provider: Provider
    private let clientID: String
    private let now: Date

    /// Decrypts if that was registered, then checks the signature. Algorithms are those of the descriptor, the
    /// registration or the metadata, and never the token's choice.
    init(
        _ token: Secret, _ kind: Kind, from provider: Provider, by verification: AnswerVerification
    ) throws(OAuthError) {
        let signature = try JSONWebSignature(
            try Self.signed(token, kind, for: verification.registration), step: kind.step)
        let accepted = kind.algorithms
        guard let algorithm = SignatureAlgorithm(rawValue: signature.algorithm), accepted.contains(algorithm) else {
            throw OAuthError(
                kind.step,
                .unsupportedAlgorithm,
                "\(kind.name) is signed with \"\(signature.algorithm.quotable(limit: 20))\"",
                descriptorKey: kind.key,
                hint: "accepted: " + accepted.map(\.rawValue).joined(separator: ", ")
            )
        }
        // RFC 8725, section 3.11: a token of another kind must not pass for this one.
        let type = signature.type?.lowercased()
        guard kind.type.map({ type == $0 || type == "application/" + $0 }) ?? [nil, "jwt"].contains(type) else {
            throw OAuthError(
                kind.step, .wrongTokenUse,
                "\(kind.name) is of the type \"\(signature.type?.quotable(limit: 40) ?? "")\"",
                descriptorKey: kind.key)
        }
        try signature.check(with: verification.keys, algorithm, step: kind.step, name: kind.name)
        guard let claims = (try? JSONValue(parsing: signature.payload))?.object else {
            throw OAuthError(kind.step, .malformedToken, "\(kind.name)'s claims are not a JSON object")
        }
        self.claims = claims
        self.kind = kind
        self.provider = provider
        clientID = verification.registration.clientID
        now = verification.now
    }

    /// The signed token, out of the encrypted one where that is how it comes.
    static func signed(
        _ token: Secret, _ kind: Kind, for registration: ClientRegistration
    ) throws(OAuthError) -> Secret {
        let isEncrypted = JSONWebEncryption.hasForm(of: token)
        guard let encryption = kind.encryption else {
            guard !isEncrypted else {
                throw OAuthError(
                    kind.step, .unsupportedAlgorithm, "\(kind.name) is encrypted, and nothing says that it may be",
                    descriptorKey: "\(kind.key).encryption")
            }
            return token
        }
        guard isEncrypted else {
            throw OAuthError(
                kind.step, .malformedToken, "\(kind.name) is not encrypted, though it should be",
                descriptorKey: "\(kind.key).encryption")
        }
        guard !registration.decryptionKeys.isEmpty else {
            throw OAuthError(
                kind.step, .missingClientKey, "\(kind.name) is encrypted, and the registration has no key to open it",
                descriptorKey: "\(kind.key).encryption")
        }
        return try JSONWebEncryption(token, step: kind.step)
            .decrypt(with: registration.decryptionKeys, expecting: encryption, key: "\(kind.key).encryption")
    }

    // MARK: - Claims

    /// - Parameter isRequired: Whether it may not be missing.
    func checkIssuer(isRequired: Bool) throws(OAuthError) {
        guard let issuer = claims["iss"] else {
            if isRequired { throw missing("iss") }
            return
        }
        guard let text = issuer.string, provider.issuer != nil, provider.acceptsIssuer(inCallback: text) else {
            throw OAuthError(
                kind.step, .issuerMismatch, "\(kind.name) is from another issuer than \(provider.issuer ?? "none")",
                descriptorKey: "issuer")
        }
    }

    /// - Parameters:
    ///   - isRequired: Whether it may not be missing.
    ///   - other: Who else it may be for.
    func checkAudience(isRequired: Bool, orElse other: String? = nil) throws(OAuthError) {
        guard let audience = claims["aud"] else {
            if isRequired { throw missing("aud") }
            return
        }
        let names = audience.string.map { [$0] } ?? audience.array?.compactMap(\.string) ?? []
        let own = [clientID, other].compactMap { $0 }
        guard names.contains(where: { name in own.contains { name.isSameBytes(as: $0) } }) else {
            throw OAuthError(kind.step, .audienceMismatch, "\(kind.name) is for another client")
        }
    }

    /// - Parameter endIsRequired: Whether it must say when it ends.
    func checkTimes(endIsRequired: Bool) throws(OAuthError) {
        let skew = TimeInterval(provider.clockSkew)
        if let end = try time("exp") {
            guard now < end.addingTimeInterval(skew) else {
                throw OAuthError(
                    kind.step, .expiredToken, "\(kind.name) has ended", descriptorKey: "id_token.clock_skew")
            }
        } else if endIsRequired {
            throw missing("exp")
        }
        if let start = try time("nbf"), start > now.addingTimeInterval(skew) {
            throw OAuthError(
                kind.step, .notYetValid, "\(kind.name) is not valid yet", descriptorKey: "id_token.clock_skew")
        }
        if let issued = try time("iat"), issued > now.addingTimeInterval(skew) {
            throw OAuthError(
                kind.step, .issuedInFuture, "\(kind.name) was issued in the future",
                descriptorKey: "id_token.clock_skew", hint: "is the clock of this machine right?")
        }
    }

    private func time(_ name: String) throws(OAuthError) -> Date? {
        guard let value = claims[name] else { return nil }
        guard let seconds = value.double, (0...9_007_199_254_740_992).contains(seconds) else {
            throw OAuthError(kind.step, .wrongFieldType, "\(kind.name)'s claim \(name) is not a time in seconds")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    private func missing(_ name: String) -> OAuthError {
        OAuthError(kind.step, .missingField, "\(kind.name) has no claim \(name)", descriptorKey: kind.key)
    }
}

extension VerifiedAnswer.Kind {
    init(
        step: OAuthError.Step, name: String, key: String, type: String? = nil, rules: SignedAnswers.SignedAnswer,
        at provider: Provider
    ) {
        self.init(
            step: step, name: name, key: key, type: type, algorithms: provider.algorithms(of: rules),
            encryption: rules.encryption)
    }
}
