import CarnetDescriptors

/// Reads the fields of a token response, tolerant of their JSON type where that is harmless.
struct TokenFieldReader {
    let root: JSONValue
    let step: OAuthError.Step

    func missing(_ name: String, hint: String? = nil) -> OAuthError {
        OAuthError(
            step,
            .missingField,
            "the answer has no \(name)",
            descriptorKey: "token.response.fields.\(name)",
            status: 200,
            hint: hint
        )
    }

    private func wrongType(_ name: String, _ expected: String) -> OAuthError {
        OAuthError(
            step,
            .wrongFieldType,
            "the answer's \(name) is not \(expected)",
            descriptorKey: "token.response.fields.\(name)",
            status: 200
        )
    }

    /// A member that is there and not empty: real servers write an empty text for what they do not have.
    private func value(_ pointers: PointerList) -> JSONValue? {
        pointers.pointers.lazy.compactMap { root[$0] }.first { !$0.isNull && $0.string?.isEmpty != true }
    }

    func string(_ name: String, _ pointers: PointerList) throws(OAuthError) -> String? {
        guard let value = value(pointers) else { return nil }
        guard let text = value.string else { throw wrongType(name, "a text") }
        return text
    }

    /// The access token. It becomes a header, so that it has no space (RFC 6750, section 2.1), and it is what the response
    /// is about, so that an empty one is not taken for one that is missing.
    func accessToken(_ pointers: PointerList) throws(OAuthError) -> Secret {
        guard let value = root.first(of: pointers.pointers) else { throw missing("access_token") }
        guard let text = value.string, !text.isEmpty else { throw wrongType("access_token", "a text") }
        return try token("access_token", text, lowest: 0x21, limit: ReceivedLimit.token)
    }

    /// A token: printable ASCII (RFC 6749, appendix A).
    func token(
        _ name: String, _ pointers: PointerList, limit: Int = ReceivedLimit.token
    ) throws(OAuthError) -> Secret? {
        guard let text = try string(name, pointers) else { return nil }
        return try token(name, text, lowest: 0x20, limit: limit)
    }

    private func token(_ name: String, _ text: String, lowest: UInt8, limit: Int) throws(OAuthError) -> Secret {
        guard text.utf8.count <= limit else { throw wrongType(name, "a token of at most \(limit) bytes") }
        Work.count(text.utf8.count)
        guard text.utf8.allSatisfy({ (lowest...0x7E).contains($0) }) else { throw wrongType(name, "a token") }
        return Secret(text)
    }

    /// When the token ends, in the form that the descriptor says; `nil` if the response does not say so in any way that
    /// can be believed. A resource that refuses the token says so too, so that no more than a request is lost.
    func end(_ name: String, _ pointers: PointerList, _ rules: ExpiryRules) throws(OAuthError) -> TokenEnd? {
        guard let value = value(pointers) else { return nil }
        switch rules.reading(of: value) {
        case .end(let end): return end
        case .unknown: return nil
        case .wrongType:
            throw wrongType(name, rules.kind == .iso8601 ? "a date" : "a number of \(rules.kind.rawValue)")
        }
    }

    /// The granted scopes; `nil` where the response names none. A text without a scope names none, as if it were not there
    /// (RFC 6749, section 3.3: a scope is one token at least); an empty list says that there is none.
    func scopes(_ name: String, _ pointers: PointerList, separator: String) throws(OAuthError) -> [String]? {
        guard let value = value(pointers) else { return nil }
        if let text = value.string {
            guard text.utf8.count <= ReceivedLimit.scope else {
                throw wrongType(name, "a text of at most \(ReceivedLimit.scope) bytes")
            }
            let scopes = ScopeRules.split(text, separator: separator)
            return scopes.isEmpty ? nil : scopes
        }
        guard let elements = value.array else { throw wrongType(name, "a text or a list") }
        let scopes = elements.compactMap(\.string)
        guard scopes.count == elements.count else { throw wrongType(name, "a list of texts") }
        guard scopes.map(\.utf8.count).reduce(0, +) <= ReceivedLimit.scope else {
            throw wrongType(name, "a list of at most \(ReceivedLimit.scope) bytes")
        }
        return scopes
    }
}
