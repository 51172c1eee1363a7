import CarnetDescriptors
import CarnetFoundation

/// Reads the fields of a token response. It tolerates other JSON types where they are harmless.
struct TokenFieldReader {
    let root: JSONValue
    let request: PreparedRequest
    let step: OAuthError.Step
    let status: Int
    /// The members of the whole body that may state an error.
    var signsOfError: [String] = []
    /// The reason that the body gives.
    var said: String?

    func missing(_ name: String) -> OAuthError {
        OAuthError(
            step, .missingField,
            root[name]?.isNull == true
                ? "the response's \(name) is null" : "the response has no \(name)" + request.members(of: root),
            descriptorKey: "token.response.fields.\(name)", status: status)
    }

    /// The error of a response that has no tokens where they should be, but members that look like an error.
    static func unnamedError(_ members: [String], _ said: String?, _ step: OAuthError.Step, status: Int) -> OAuthError {
        OAuthError(
            step, .missingField,
            "the response has no access_token, but " + members.joined(separator: " and ")
                + (said.map { "; the server said \"\($0)\"" } ?? ""), descriptorKey: "token.response.errors",
            status: status)
    }

    /// - Parameter value: What it is instead, if it is no token.
    private func wrongType(_ name: String, _ expected: String, _ value: JSONValue? = nil) -> OAuthError {
        .wrongType(step, name, expected, value.map(request.shown), key: "token.response.fields.\(name)", status: status)
    }

    /// A present and non-empty member. Some servers send an empty string for a missing value.
    private func value(_ pointers: PointerList) -> JSONValue? { root.firstStated(of: pointers.pointers) }

    /// Whether a member is `false`.
    func isFalse(_ pointers: PointerList) -> Bool { value(pointers)?.bool == false }

    func string(_ name: String, _ pointers: PointerList) throws(OAuthError) -> String? {
        guard let value = value(pointers) else { return nil }
        guard let text = value.string else { throw wrongType(name, "a string") }
        return text
    }

    /// The access token. It becomes a header, so it contains no space (RFC 6750, section 2.1). An empty one is an
    /// error, not a missing value.
    func accessToken(_ pointers: PointerList) throws(OAuthError) -> Secret {
        guard let value = root.first(of: pointers.pointers) else {
            throw signsOfError.isEmpty
                ? missing("access_token") : Self.unnamedError(signsOfError, said, step, status: status)
        }
        guard let text = value.string else { throw wrongType("access_token", "a string") }
        guard !text.isEmpty else { throw wrongType("access_token", "a token", value) }
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
        guard text.hasOnly(lowest...0x7E) else { throw wrongType(name, "a token") }
        return Secret(text)
    }

    /// The expiry in the descriptor's form; `nil` if the response has no valid one. Without it, a resource's 401
    /// triggers the refresh.
    func expiry(_ name: String, _ pointers: PointerList, _ rules: ExpiryRules) throws(OAuthError) -> TokenExpiry? {
        guard let value = value(pointers) else { return nil }
        switch rules.reading(of: value) {
        case .expiry(let expiry): return expiry
        case .unknown: return nil
        case .wrongType:
            var error = wrongType(name, rules.kind == .iso8601 ? "a date" : "a number of \(rules.kind.rawValue)", value)
            if rules.isDate(value) { error.hint = "set token.response.expires: iso8601" }
            throw error
        }
    }

    /// The expiry of the refresh token in the same form. No standard defines it, and the tokens work without it: a value
    /// that is none counts as absent.
    func refreshTokenExpiry(_ pointers: PointerList, _ rules: ExpiryRules) -> TokenExpiry? {
        guard let value = value(pointers), case .expiry(let expiry) = rules.reading(of: value) else { return nil }
        return expiry
    }

    /// The granted scopes; `nil` if the response names none. An empty string counts as absent (RFC 6749, section
    /// 3.3); an empty list means no scope.
    func scopes(_ name: String, _ pointers: PointerList, separator: String) throws(OAuthError) -> [String]? {
        guard let value = value(pointers) else { return nil }
        if let text = value.string {
            guard text.utf8.count <= ReceivedLimit.scope else {
                throw wrongType(name, "a string of at most \(ReceivedLimit.scope) bytes")
            }
            let scopes = ScopeRules.split(text, separator: separator)
            return scopes.isEmpty ? nil : scopes
        }
        guard value.array != nil else { throw wrongType(name, "a string or a list", value) }
        guard let scopes = value.listOfStrings else { throw wrongType(name, "a list of strings") }
        guard scopes.map(\.utf8.count).reduce(0, +) <= ReceivedLimit.scope else {
            throw wrongType(name, "a list of at most \(ReceivedLimit.scope) bytes")
        }
        return scopes.flatMap { ScopeRules.split($0, separator: separator) }
    }
}

extension PreparedRequest {
    /// A value of the response that is no secret, for a message.
    func shown(_ value: JSONValue) -> String { value.shown { quotable($0, limit: $1) } }

    /// The names of an object's members, for a message about a missing one; empty for anything else.
    func members(of value: JSONValue) -> String {
        guard let members = value.object?.members, !members.isEmpty else { return "" }
        return "; its members are "
            + members.prefix(10).map { quotable($0.name, limit: 40).withoutTokens }.joined(separator: ", ")
    }
}

extension JSONValue {
    /// A value that is no secret, for a message about a token.
    var shown: String { shown { $0.quotable(limit: $1) } }

    fileprivate func shown(_ quotable: (String, Int) -> String) -> String {
        scalarText.map { "\"\(quotable($0, 60).withoutTokens)\"" }
            ?? (object != nil ? "an object" : array != nil ? "a list" : "null")
    }

    /// The members that usually state an error where no standard's member does.
    var signsOfError: [String] {
        let members = self.object?.members ?? []
        return Self.namesOfErrors.filter { name in members.contains { $0.name == name && !$0.value.isNull } }
    }

    private static let namesOfErrors = [
        "error_code", "errorCode", "errcode", "err_code", "code", "ret", "error_msg", "error_message", "errorMessage",
        "errmsg", "err_msg", "msg", "message", "errors", "success", "status", "reason",
    ]
}
