import CarnetDescriptors
package import CarnetProtocol

extension OAuthClient {
    /// Validates an access token that a request brought, with the provider's cached keys, and once more with newer keys if
    /// these do not fit (RFC 9068, section 4).
    ///
    /// - Parameter audiences: The names of the resource server.
    /// - Throws: `OAuthError` at step `accessToken`; at step `discovery` or `keys` if the provider is unavailable.
    package func validate(_ received: ReceivedAccessToken, naming audiences: [String]) async throws -> AccessToken {
        let provider = try await cache.provider()
        let checked = try providerClock.onEitherClock { now throws(OAuthError) in
            try received.checked(from: provider, naming: audiences, now: now)
        }
        return try await cache.verifying { keys throws(OAuthError) in try checked.verified(with: keys) }
    }

    /// Requests the state of an opaque access token that a request brought (RFC 7662).
    ///
    /// - Throws: `OAuthError` at step `accessToken` if the token is inactive or not for this resource server; at another
    ///   step if the provider is unavailable.
    package func validate(opaque token: Secret, naming audiences: [String]) async throws -> AccessToken {
        try AccessToken(
            try await introspect(token, hint: "access_token"), from: provider, naming: audiences)
    }
}
