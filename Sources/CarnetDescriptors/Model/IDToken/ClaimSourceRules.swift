package import CarnetFoundation

/// Somebody else whose signed claims are believed in a profile (OpenID Connect Core, section 5.6.2).
package struct ClaimSourceRules: DescriptorSection, Sendable {
    package internal(set) var issuer = ""
    package internal(set) var jwks = Template.empty
    package internal(set) var algorithms: [SignatureAlgorithm] = []
    package internal(set) var claims: [String] = []

    /// The claims that say who the user is, or that belong to the JWT itself: no source can give them.
    package static let reservedClaims: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "nonce", "auth_time", "acr", "amr", "azp", "at_hash", "c_hash",
        "cnf", "_claim_names", "_claim_sources",
    ]

    static let keys: [Key<Self>] = [
        Key("issuer", \.issuer, isRequired: true, "the issuer of the JWTs, exactly as in their claim iss"),
        Key("jwks", \.jwks, isRequired: true, "the URL of the keys that sign them (RFC 7517, section 5)"),
        Key("algorithms", \.algorithms, "the accepted signature algorithms; default: RS256"),
        Key(
            "claims", \.claims, isRequired: true,
            "the claims that it may provide, by the names of the profile's members"),
    ]
}

/// A source of claims with everything filled in.
package struct ClaimSource: Sendable {
    package let issuer: String
    package let jwks: WebURL
    package let algorithms: [SignatureAlgorithm]
    package let claims: [String]
}

extension InputResolver {
    /// One whose URL takes an optional input without a value is left out.
    func claimSources(_ rules: [ClaimSourceRules]) throws(ResolutionError) -> [ClaimSource] {
        try rules.enumerated().collect { index, rules throws(ResolutionError) in
            try url(rules.jwks, key: "profile.sources.\(index).jwks").map {
                ClaimSource(
                    issuer: rules.issuer, jwks: $0, algorithms: rules.algorithms.isEmpty ? [.RS256] : rules.algorithms,
                    claims: rules.claims)
            }
        }
    }
}
