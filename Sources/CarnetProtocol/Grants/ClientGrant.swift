package import CarnetDescriptors
package import CarnetFoundation

/// A grant without a user: the client's own credentials (RFC 6749, section 4.4), or an assertion (RFC 7523, section 2.1).
public struct ClientGrant: Sendable {
    /// What the client shows for its token.
    package enum Proof: Hashable, Sendable {
        /// Its own authentication.
        case credentials
        /// An assertion that it signs. The subject is a user that the client may act for; `nil` for the descriptor's
        /// subject, by default the client itself.
        case signed(subject: ByteKey?)
        /// An assertion that another party signed, and the server trusts that party.
        case given(Secret)
    }

    package let proof: Proof
    package let scopes: [String]
    /// The resource servers that the token is for (RFC 8707).
    package let resource: [String]

    /// A token for the client itself.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request; empty for the server's default.
    ///   - resource: The resource servers that the token is for (RFC 8707).
    public static func clientCredentials(scopes: [String] = [], resource: [String] = []) -> Self {
        Self(proof: .credentials, scopes: scopes, resource: resource)
    }

    /// A token for an assertion that the client signs.
    ///
    /// - Parameters:
    ///   - subject: A user that the client may act for; `nil` for the descriptor's subject, by default the client itself.
    ///   - scopes: The scopes to request; empty for the server's default.
    ///   - resource: The resource servers that the token is for (RFC 8707).
    public static func assertion(subject: String? = nil, scopes: [String] = [], resource: [String] = []) -> Self {
        Self(proof: .signed(subject: subject.map(ByteKey.init)), scopes: scopes, resource: resource)
    }

    /// A token for an assertion of another party, which the server trusts.
    ///
    /// - Parameters:
    ///   - token: The assertion, a JWT.
    ///   - scopes: The scopes to request; empty for the server's default.
    ///   - resource: The resource servers that the token is for (RFC 8707).
    public static func assertion(_ token: Secret, scopes: [String] = [], resource: [String] = []) -> Self {
        Self(proof: .given(token), scopes: scopes, resource: resource)
    }
}

extension ClientGrant {
    /// The request.
    ///
    /// - Throws: `OAuthError` at step `clientCredentials` or `jwtBearer`; of kind `missingClientKey` if the client must
    /// sign the assertion and has no key.
    package func request(in context: RequestContext<FilledProvider>) throws(OAuthError) -> PreparedRequest {
        if case .credentials = proof {
            return try TokenRequest.clientCredentials(
                scopes: scopes, resources: context.provider.resourceServers(resource), in: context)
        }
        let (provider, registration) = (context.provider, context.registration)
        let resource = provider.resourceServers(resource)
        let rules = provider.jwtBearer
        let scope = scopes.isEmpty ? nil : try provider.scopes.joined(scopes)
        var parameters = RequestParameters(.jwtBearer, .jwtBearer, rules.grant.request)
        try parameters.addGrantType(rules.grant.grantType)
        switch proof {
        case .credentials: break
        case .given(let token): try parameters.add(.assertion, token)
        case .signed(let subject):
            guard let key = registration.signingKey else {
                throw OAuthError(
                    .jwtBearer, .missingClientKey,
                    "the client must sign an assertion, and the registration has no private key",
                    descriptorKey: "jwt_bearer.assertion")
            }
            let maker = try ClientAssertion(
                key, of: registration, at: provider, rules: rules.assertion, section: "jwt_bearer.assertion")
            let claim = rules.scopeIn == .assertion ? scope : nil
            try parameters.add(
                .assertion,
                try maker.make(
                    for: provider, about: subject?.text, scope: claim, random: context.random, now: context.now))
        }
        if let scope, rules.scopeIn == .parameter { try parameters.add(.scope, scope) }
        try parameters.add(.resource, each: try ResourceIndicator.checked(resource, at: .jwtBearer))
        return try TokenRequest.send(parameters, in: context, rules: rules.grant.request, usesKeyElsewhere: true)
    }
}
