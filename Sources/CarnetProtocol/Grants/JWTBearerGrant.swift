public import CarnetDescriptors
public import Foundation

/// The exchange of an assertion about somebody for an access token (RFC 7523, section 2.1).
public struct JWTBearerGrant: Sendable {
    /// Where the assertion comes from.
    public enum Assertion: Sendable {
        /// The client makes it with its key: about somebody that it may act for, or as the descriptor says, which is
        /// itself if nothing is said.
        case signed(subject: String?)
        /// Somebody else whom the server trusts made it.
        case given(Secret)
    }

    public var assertion: Assertion
    public var scopes: [String]
    /// The resource servers that the token is for (RFC 8707).
    public var resource: [String]

    /// An assertion of the client's own.
    public init(subject: String? = nil, scopes: [String] = [], resource: [String] = []) {
        assertion = .signed(subject: subject)
        self.scopes = scopes
        self.resource = resource
    }

    /// An assertion that somebody else made.
    public init(assertion: Secret, scopes: [String] = [], resource: [String] = []) {
        self.assertion = .given(assertion)
        self.scopes = scopes
        self.resource = resource
    }
}

extension JWTBearerGrant {
    /// The request.
    ///
    /// - Throws: `OAuthError` at step `jwtBearer`; of kind `missingClientKey` if the client is to make the assertion and
    ///   has no key.
    package func request(
        at provider: Provider,
        as registration: ClientRegistration,
        random: any RandomSource,
        now: Date
    ) throws(OAuthError) -> PreparedRequest {
        let rules = provider.jwtBearer
        let scope = scopes.isEmpty ? nil : try provider.scopes.joined(scopes)
        var parameters = RequestParameters(.jwtBearer, .jwtBearer, rules.grant.request)
        try parameters.addGrantType(rules.grant.grantType)
        switch assertion {
        case .given(let token): try parameters.add(.assertion, token)
        case .signed(let subject):
            guard let key = registration.signingKey else {
                throw OAuthError(
                    .jwtBearer,
                    .missingClientKey,
                    "the client is to sign an assertion, and the registration has no key",
                    descriptorKey: "jwt_bearer.assertion"
                )
            }
            let maker = try ClientAssertion(
                key, of: registration, at: provider, rules: rules.assertion, section: "jwt_bearer.assertion")
            let claim = rules.scopeIn == .assertion ? scope : nil
            try parameters.add(
                .assertion,
                try maker.make(for: provider, about: subject, scope: claim, random: random, now: now))
        }
        if let scope, rules.scopeIn == .parameter { try parameters.add(.scope, scope) }
        try parameters.add(.resource, each: try ResourceIndicator.checked(resource, at: .jwtBearer))
        return try TokenRequest.send(
            &parameters, at: provider, rules: rules.grant.request, registration: registration,
            usesKeyElsewhere: true, random: random, now: now)
    }
}
