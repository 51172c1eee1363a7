import CarnetDescriptors

/// What is kept of a token response besides the tokens. A body full of secrets is not searched for what must go: what may
/// stay is named, and the rest is dropped.
extension TokenFieldReader {
    /// What was granted in detail (RFC 9396, section 7).
    ///
    /// - Parameter body: The whole body.
    func authorizationDetails(of body: JSONValue) throws(OAuthError) -> [JSONValue]? {
        guard let details = body["authorization_details"]?.array else { return nil }
        try check(.array(details), "authorization_details", limit: ReceivedLimit.authorizationDetails)
        return details
    }

    /// The values that the descriptor maps to claims, each at its own place.
    ///
    /// An object is not kept, because it may hold further tokens under any name; nor is a text with one of the secrets in
    /// it, because a claim is shown and may become the name of the account.
    func keptProfile(
        of body: JSONValue, for provider: borrowing Provider, hiding secrets: [Secret]
    ) throws(OAuthError) -> JSONValue {
        let redactor = Redactor(hiding: secrets)
        let root = provider.profileRoot.tokens
        var kept: JSONValue = [:]
        for claim in provider.claims {
            let place = claim.value.lazy.map { JSONPointer(tokens: root + $0.tokens) }
                .first { body[$0].map { !$0.isNull } ?? false }
            guard let place, let value = body[place], value.isHarmless(redactor) else { continue }
            kept.set(value, at: place)
        }
        try check(kept, "profile", limit: ReceivedLimit.keptProfile)
        return kept
    }

    private func check(_ value: JSONValue, _ name: String, limit: Int) throws(OAuthError) {
        guard value.jsonText().utf8.count <= limit else {
            throw OAuthError(
                step, .wrongFieldType, "the response's \(name) is longer than \(limit) bytes", status: 200)
        }
    }
}

extension JSONValue {
    /// Whether the value is a text, a number or a list of these, without a secret.
    fileprivate func isHarmless(_ redactor: Redactor) -> Bool {
        switch self {
        case .string(let text), .number(let text): !redactor.finds(in: text)
        case .array(let elements): elements.allSatisfy { $0.isHarmless(redactor) }
        case .bool, .null: true
        case .object: false
        }
    }
}
