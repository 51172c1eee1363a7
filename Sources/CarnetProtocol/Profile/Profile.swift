public import CarnetDescriptors

/// Who signed in, by the names that the descriptor's map gives. Every claim may be missing.
public struct Profile: Sendable {
    /// The claims that were found, in the map's order.
    package internal(set) var claims: [Named<JSONValue>]
    /// The body that the claims of the first request were read from; of a token response the mapped members alone.
    public let raw: JSONValue
    /// What kept further requests from bringing their claims; those of the others are there all the same.
    public var failures: [OAuthError] = []

    public subscript(name: String) -> JSONValue? {
        claims.first { $0.name == name }?.value
    }

    /// The account at the provider, exactly as sent; a number keeps every digit.
    public var subject: String? { self["subject"]?.scalarText }
    public var name: String? { self["name"]?.scalarText }
    public var givenName: String? { self["given_name"]?.scalarText }
    public var familyName: String? { self["family_name"]?.scalarText }
    public var username: String? { self["username"]?.scalarText }
    public var email: String? { self["email"]?.scalarText }
    /// `nil` if the provider does not say, which is not the same as `false`.
    public var isEmailVerified: Bool? { self["email_verified"]?.statedTruth }
    public var picture: String? { self["picture"]?.scalarText }
    public var locale: String? { self["locale"]?.scalarText }
}

extension JSONValue {
    /// A boolean, which some servers write as a string.
    fileprivate var statedTruth: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        default: nil
        }
    }
}

extension JSONObject {
    /// The e-mail address in the claims of an ID token, if the provider says that it has verified it (OpenID Connect Core,
    /// section 5.1).
    package var verifiedEmail: String? {
        guard self["email_verified"]?.statedTruth == true, let email = self["email"]?.string, !email.isEmpty else {
            return nil
        }
        return email
    }
}

extension Profile {
    init(mapping body: JSONValue, with provider: Provider) {
        let root = body[provider.profileRoot] ?? .null
        raw = body
        claims = provider.claims.compactMap { claim in
            root.first(of: claim.value).map { Named(claim.name, $0) }
        }
    }
}

extension Profile {
    /// The profile with what the callback of the first sign-in said, where nothing that is signed or fetched says it.
    ///
    /// - Parameter values: What is held of the sign-in, by reference, e.g. `callback.user`.
    package func adding(_ values: [String: ConnectionValue], from provider: Provider) -> Profile {
        guard let rules = provider.callbackClaims, let text = values["callback.\(rules.capture)"]?.text,
            let said = try? JSONValue(parsing: text)
        else { return self }
        var profile = self
        profile.claims += rules.claims.compactMap { claim in
            self[claim.name] == nil ? said.first(of: claim.value).map { Named(claim.name, $0) } : nil
        }
        return profile
    }
}

/// Where the profile of a provider comes from, and how it is fetched (OpenID Connect Core, section 5.3).
extension Profile {
    /// The source that the descriptor names; the userinfo endpoint if there is one, else the ID token.
    package static func source(at provider: Provider) -> ProfileSource {
        if let source = provider.profileSource { return source }
        // One that cannot be used fails where it is used.
        let hasUserinfo = provider.endpoints[.userinfo] != nil || provider.refusedEndpoints[.userinfo] != nil
        return hasUserinfo ? .userinfo : .idToken
    }

    /// The userinfo request. The access token goes in the header, unless the descriptor says otherwise (RFC 6750,
    /// section 2).
    package static func request(_ tokens: TokenSet, at provider: Provider) throws(OAuthError) -> PreparedRequest {
        var parameters = RequestParameters(.profile, .profile, provider.profile)
        try parameters.addExtra(
            provider.profile.parameters, key: "profile.parameters", hidden: provider.profile.late.hidden)
        return try PreparedRequest.make(
            parameters,
            to: try provider.endpoint(.userinfo, for: .profile),
            key: "endpoints.userinfo",
            rules: provider.profile,
            token: try TokenCredential(tokens, in: provider.profileTokenPlacement, at: provider, for: .profile),
            accept: provider.signedAnswers.profile.isRequired ? "application/jwt" : "application/json"
        )
    }

    /// Judges the userinfo response.
    ///
    /// - Parameters:
    ///   - subject: The subject of the ID token; a profile of another subject is thrown away whole (OpenID Connect Core,
    ///     section 5.3.2).
    ///   - verification: The provider's keys, where `isSigned(_:from:)`.
    /// - Throws: `OAuthError` at step `profile`; of kind `unauthorized` if the access token is no longer good.
    package init(
        judging response: IncomingResponse,
        to request: PreparedRequest,
        from provider: Provider,
        subject: String?,
        verifyingBy verification: AnswerVerification? = nil
    ) throws(OAuthError) {
        guard response.status == 200 else { throw OAuthError.bearer(response, to: request) }
        let body = try Self.body(of: response, to: request, from: provider, by: verification)
        self.init(mapping: body, with: provider)
        if let subject {
            guard self.subject?.isSameBytes(as: subject) == true else {
                throw OAuthError(
                    .profile,
                    .subjectMismatch,
                    "the profile is not of the user who signed in",
                    descriptorKey: "profile.claims.subject"
                )
            }
        }
    }

    /// The profile that the ID token's claims make.
    package init(_ idToken: IDToken, from provider: Provider) {
        self.init(mapping: .object(idToken.claims), with: provider)
    }
}

extension Profile {
    /// The profile that came with the tokens.
    package init(_ response: TokenResponse, from provider: Provider) {
        self.init(mapping: response.profile, with: provider)
    }

    /// A profile that was kept with the tokens, as its `raw` JSON text.
    ///
    /// - Throws: `OAuthError` of kind `malformedBody`.
    package init(stored text: String, from provider: Provider) throws(OAuthError) {
        guard let body = try? JSONValue(parsing: text) else {
            throw OAuthError(.profile, .malformedBody, "the stored profile is not JSON")
        }
        self.init(mapping: body, with: provider)
    }
}
