/// What a refresh does to the refresh token (RFC 6749, section 6).
package enum RefreshRotation: String, DescriptorChoice, Sendable {
    /// No source says it: the same as `keepOld`, which loses no token.
    case unknown
    /// A new token replaces the old one; without a new one the old one is kept.
    case keepOld = "keep_old"
    /// The old token is invalid after use; without a new one there is none.
    case alwaysNew = "always_new"
    /// The first token is kept. A new one in the response is ignored.
    case none
}

/// What says when an access token ends, where the token response does not.
package enum ExpirySource: String, DescriptorChoice, Sendable {
    case response = "expires_in"
    /// The token's own claim `exp` (RFC 9068, section 2.2).
    case jwt = "jwt_exp"
    /// The introspection endpoint, requested after each token response (RFC 7662, section 2.2).
    case introspection
}

/// A claim of an ID token that may come as another JSON type than the standard's.
package enum CoercedClaim: String, DescriptorChoice, Sendable {
    /// A whole number is converted to a string.
    case subject = "sub"
    case audience = "aud"
    /// A string with a number is converted to a number.
    case expires = "exp"
    case issued = "iat"
    case notBefore = "nbf"
}
