import CarnetDescriptors

/// An access token at its place in a request.
struct TokenCredential {
    let token: Secret
    /// The header with the token.
    let header: String?
    /// The scheme before the token in the header.
    private let prefix: String
    /// The parameter with the token.
    let parameter: String?
    /// Whether the parameter is in the body.
    let isInBody: Bool

    /// The access token of a set. A token that is bound to a key has its own scheme and goes only into the
    /// Authorization header (RFC 9449, section 7.1).
    ///
    /// - Throws: `OAuthError` of kind `unsupported` if the descriptor puts a bound token elsewhere.
    init(
        _ tokens: TokenSet, in placement: TokenPlacement, at provider: FilledProvider, for step: OAuthError.Step
    ) throws(OAuthError) {
        try self.init(
            tokens.accessToken, isSenderConstrained: tokens.isSenderConstrained, in: placement, at: provider, for: step)
    }

    init(
        _ token: Secret, isSenderConstrained: Bool, in placement: TokenPlacement, at provider: FilledProvider,
        for step: OAuthError.Step
    ) throws(OAuthError) {
        guard !isSenderConstrained || placement == .authorization else {
            throw OAuthError(
                step, .unsupported,
                "a token that is bound to a key may only be sent in the Authorization header (RFC 9449, section 7.1)",
                descriptorKey: step == .revocation ? "revocation.token_in" : "api.token_in",
                hint: "remove the key, or client.dpop_bound_access_tokens")
        }
        self.token = token
        if case .body = placement { isInBody = true } else { isInBody = false }
        switch placement {
        case .authorization:
            (header, parameter) = ("Authorization", nil)
            prefix = isSenderConstrained ? "DPoP " : provider.api.sendsBareToken ? "" : provider.api.scheme + " "
        case .header(let name): (header, prefix, parameter) = (name, "", nil)
        case .query(let name, _), .body(let name, _): (header, prefix, parameter) = (nil, "", name)
        }
    }

    /// The header's value, and its redacted form.
    var headerValue: String { prefix + token.reveal() }
    var shownHeaderValue: String { "\(prefix)\(token)" }

    /// - Parameter header: The header with the token.
    /// - Throws: `OAuthError` of kind `badHeader` if the descriptor or the host sets this header, or Authorization.
    static func refuseCollision(with name: String, of header: String?, step: OAuthError.Step) throws(OAuthError) {
        let reserved = ["authorization", header?.lowercased()]
        guard !reserved.contains(name.lowercased()) else {
            throw OAuthError(
                step, .badHeader, "the header \"\(name.quotable(limit: 60))\" cannot be set: the client sets it")
        }
    }
}

extension OAuthError {
    /// RFC 6750, section 2.2: a request with the token in its body has one.
    static func tokenWithoutBody(_ step: Step) -> OAuthError {
        OAuthError(
            step, .unsupported, "the access token is sent in the body, and this request has none",
            descriptorKey: step == .revocation
                ? "revocation.token_in" : step == .profile ? "profile.token_in" : "api.token_in",
            hint: step == .profile ? "add profile: { method: POST }" : "set token_in in profile only")
    }
}
