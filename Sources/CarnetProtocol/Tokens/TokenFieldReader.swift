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

    func string(_ name: String, _ pointers: PointerList) throws(OAuthError) -> String? {
        guard let value = root.first(of: pointers.pointers) else { return nil }
        guard let text = value.string, !text.isEmpty else { throw wrongType(name, "a text") }
        return text
    }

    /// A token: printable ASCII (RFC 6749, appendix A), and no space in an access token, because it becomes a header
    /// (RFC 6750, section 2.1).
    func token(_ name: String, _ pointers: PointerList, allowsSpace: Bool = true) throws(OAuthError) -> Secret? {
        guard let text = try string(name, pointers) else { return nil }
        let lowest: UInt8 = allowsSpace ? 0x20 : 0x21
        guard text.utf8.allSatisfy({ (lowest...0x7E).contains($0) }) else { throw wrongType(name, "a token") }
        return Secret(text)
    }

    /// When the token ends, in the form that the descriptor says.
    func end(_ name: String, _ pointers: PointerList, _ rules: ExpiryRules) throws(OAuthError) -> TokenEnd? {
        guard let value = root.first(of: pointers.pointers) else { return nil }
        guard let end = rules.end(value) else {
            throw wrongType(name, rules.kind == .iso8601 ? "a date" : "a number of \(rules.kind.rawValue)")
        }
        return end
    }

    func scopes(_ name: String, _ pointers: PointerList, separator: String) throws(OAuthError) -> [String]? {
        guard let value = root.first(of: pointers.pointers) else { return nil }
        if let text = value.string { return ScopeRules.split(text, separator: separator) }
        guard let elements = value.array else { throw wrongType(name, "a text or a list") }
        let scopes = elements.compactMap(\.string)
        guard scopes.count == elements.count else { throw wrongType(name, "a list of texts") }
        return scopes
    }
}
