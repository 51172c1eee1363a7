public import CarnetDescriptors
public import Foundation

/// The grant that exchanges an assertion for an access token (RFC 7523, section 2.1).
public struct JWTBearerGrant: Sendable {
    /// The origin of the assertion.
    public enum Assertion: Sendable {
        /// The client signs it. The subject is a user that the client may act for; `nil` for the descriptor's
        /// subject, by default the client itself.
        case signed(subject: String?)
        /// Another party signed it, and the server trusts that party.
        case given(Secret)
    }

    public var assertion: Assertion
    public var scopes: [String]
    /// The resource servers that the token is for (RFC 8707).
    public var resource: [String]

    /// A grant with an assertion that the client signs.
    public init(subject: String? = nil, scopes: [String] = [], resource: [String] = []) {
        assertion = .signed(subject: subject)
        self.scopes = scopes
        self.resource = resource
    }

    /// A grant with an assertion of another party.
    public init(assertion: Secret, scopes: [String] = [], resource: [String] = []) {
        self.assertion = .given(assertion)
        self.scopes = scopes
        self.resource = resource
    }
}

extension JWTBearerGrant {
    /// The request.
    ///
    /// - Throws: `OAuthError` at step `jwtBearer`; of kind `missingClientKey` if the client must sign the assertion
    /// and has no key.
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
                    "the client must sign an assertion, and the registration has no private key",
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
