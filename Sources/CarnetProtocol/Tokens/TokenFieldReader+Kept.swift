import CarnetDescriptors
import CarnetFoundation

/// The parts of a token response that are kept besides the tokens. Only named members are kept; all others are
/// dropped.
extension TokenFieldReader {
    /// The granted `authorization_details` (RFC 9396, section 7).
    ///
    /// - Parameter body: The whole body.
    func authorizationDetails(of body: JSONValue) throws(OAuthError) -> [JSONValue]? {
        guard let details = body["authorization_details"]?.array else { return nil }
        try check(.array(details), "authorization_details", limit: ReceivedLimit.authorizationDetails)
        return details
    }

    /// The values that the descriptor maps to claims, each at its own place.
    ///
    /// Objects are not kept, because they may contain more tokens under any name. Strings with a secret are not kept,
    /// because a claim is shown and may become the name of the account.
    func keptProfile(
        of body: JSONValue, for provider: FilledProvider, hiding secrets: [Secret]
    ) throws(OAuthError) -> JSONValue {
        let redactor = Redactor(hiding: secrets)
        let root = provider.profile.root.tokens
        var kept: JSONValue = [:]
        for claim in provider.profile.claims {
            let place = claim.value.lazy.map { JSONPointer(tokens: root + $0.tokens) }
                .first { body[$0]?.isStated == true }
            guard let place, let found = body[place],
                let value = provider.profile.value(of: claim.name, in: found), value.isHarmless(redactor)
            else { continue }
            let own = provider.profile.ownClaims[claim.name]
            let elements = own?.elements
            // Another claim may be the value that this one is about.
            if own?.isPresence == true, elements == nil, kept[place] != nil { continue }
            kept.set(elements?.kept(of: found, over: kept[place]) ?? value, at: place)
        }
        try check(kept, "profile", limit: ReceivedLimit.keptProfile)
        return kept
    }

    private func check(_ value: JSONValue, _ name: String, limit: Int) throws(OAuthError) {
        guard value.jsonText().utf8.count <= limit else {
            throw OAuthError(step, .wrongFieldType, "the response's \(name) is longer than \(limit) bytes", status: 200)
        }
    }
}

extension JSONValue {
    /// Whether the value is a string, a number or a list of these, without a secret.
    fileprivate func isHarmless(_ redactor: Redactor) -> Bool {
        switch self {
        case .string(let text), .number(let text): !redactor.finds(in: text)
        case .array(let elements): elements.allSatisfy { $0.isHarmless(redactor) }
        case .bool, .null: true
        case .object: false
        }
    }
}
