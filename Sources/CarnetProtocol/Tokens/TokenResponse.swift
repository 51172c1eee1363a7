public import CarnetDescriptors
public import Foundation

/// A token endpoint's answer, judged but for the ID token's signature (RFC 6749, section 5.1).
public struct TokenResponse: Sendable {
    public let accessToken: Secret
    public let tokenType: String
    /// Seconds from the response to the end of the access token; `nil` if the server did not say.
    public let expiresIn: TimeInterval?
    public let refreshToken: Secret?
    public let idToken: Secret?
    /// The granted scopes; `nil` if the server named none, which means those requested.
    public let scopes: [String]?
    /// The body without its tokens, for a profile that comes with them.
    let body: JSONValue
}

extension TokenResponse {
    /// Judges the answer to an exchange or a refresh: the status first, then the error, then the fields.
    ///
    /// - Throws: `OAuthError` at the request's step.
    public init(
        judging response: IncomingResponse,
        to request: PreparedRequest,
        from provider: Provider
    ) throws(OAuthError) {
        let rules = provider.tokenResponse
        let step = request.step
        // RFC 6749, section 5.1: success is 200. Tokens are never read out of anything else.
        guard response.status == 200 else {
            throw OAuthError.status(
                response,
                step,
                key: request.descriptorKey,
                fields: rules.errors,
                hiding: request.secrets
            )
        }
        let body = try Self.body(of: response, rules: rules, step: step)
        if let words = response.serverWords(rules.errors, hiding: request.secrets) {
            throw OAuthError(
                step,
                .serverError,
                "the server refused the request",
                descriptorKey: request.descriptorKey,
                status: 200,
                server: words
            )
        }
        guard let root = body[rules.root], root.object != nil else {
            throw OAuthError(
                step,
                .missingField,
                "the answer has no object where the fields should be",
                descriptorKey: "token.response.root",
                status: 200
            )
        }
        let fields = FieldReader(root: root, step: step)
        guard let accessToken = try fields.token("access_token", rules.fields.accessToken, allowsSpace: false) else {
            throw fields.missing("access_token")
        }
        let tokenType = try fields.string("token_type", rules.fields.tokenType) ?? rules.defaultTokenType
        guard let tokenType else { throw fields.missing("token_type", hint: "add token.response.default_token_type") }
        guard ["bearer", provider.apiScheme.lowercased()].contains(tokenType.lowercased()) else {
            throw OAuthError(
                step,
                .unsupportedTokenType,
                "the token is of the type \"\(tokenType.quotable(limit: 40))\", which this client cannot use",
                descriptorKey: "token.response.fields.token_type",
                status: 200
            )
        }
        self.accessToken = accessToken
        self.tokenType = tokenType
        expiresIn =
            try fields.seconds("expires_in", rules.fields.expiresIn)
            ?? rules.defaultExpiresIn.map { TimeInterval($0.count) }
        refreshToken = try fields.token("refresh_token", rules.fields.refreshToken)
        idToken = try fields.token("id_token", rules.fields.idToken)
        scopes = try fields.scopes("scope", rules.fields.scope, provider.scopes)
        let redactor = Redactor(hiding: [accessToken, refreshToken, idToken].compactMap { $0 } + request.secrets)
        self.body = body.redacting(redactor, limit: .max) { name, isHidden in
            isHidden || Self.namesToken(name)
        }
    }

    private static func namesToken(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix("token") || name.hasSuffix("tokens") || name.contains("secret")
            || name.contains("password")
    }

    private static func body(
        of response: IncomingResponse,
        rules: ResponseRules,
        step: OAuthError.Step
    ) throws(OAuthError) -> JSONValue {
        let key = "token.response.format"
        guard rules.format == .form, !response.claimsJSON else {
            return try response.json(step, key: key, isLenient: rules.format == .json)
        }
        guard let object = response.formObject else {
            throw OAuthError(step, .malformedBody, "the answer is not form-encoded", descriptorKey: key, status: 200)
        }
        return object
    }
}

/// Reads the fields of a token response, tolerant of their JSON type where that is harmless.
private struct FieldReader {
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

    /// A lifetime: a number, or a text that is one. A hundred years is the most that is believed.
    func seconds(_ name: String, _ pointers: PointerList) throws(OAuthError) -> TimeInterval? {
        guard let value = root.first(of: pointers.pointers) else { return nil }
        let number = value.double ?? value.string.flatMap { try? JSONValue(parsing: $0) }.flatMap(\.double)
        guard let number, (0...3_155_760_000).contains(number) else { throw wrongType(name, "a number of seconds") }
        return number
    }

    func scopes(_ name: String, _ pointers: PointerList, _ rules: ScopeRules) throws(OAuthError) -> [String]? {
        guard let value = root.first(of: pointers.pointers) else { return nil }
        if let text = value.string { return rules.split(text) }
        guard let elements = value.array else { throw wrongType(name, "a text or a list") }
        let scopes = elements.compactMap(\.string)
        guard scopes.count == elements.count else { throw wrongType(name, "a list of texts") }
        return scopes
    }
}
