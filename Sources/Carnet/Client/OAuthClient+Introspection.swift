import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol

extension OAuthClient {
    /// Requests the state of a token from the server (RFC 7662). The result is not cached.
    ///
    /// - Parameter hint: The type of the token: `access_token` or `refresh_token`.
    /// - Throws: `OAuthError` at step `introspection`.
    public func introspect(_ token: Secret, hint: String? = nil) async throws -> Introspection {
        try await introspect(token, hint: hint, at: try await providerWithoutAccount(), within: bounds)
    }

    func introspect(
        _ token: Secret, hint: String?, at provider: FilledProvider, within bounds: CredentialBounds
    ) async throws -> Introspection {
        let (response, request) = try await send(within: bounds) {
            try Introspection.request(token, hint: hint, in: context(at: provider))
        }
        guard Introspection.isSigned(response) else {
            return try Introspection(validating: response, to: request, from: provider, now: providerClock.now)
        }
        return try await verifying { [providerClock] verification throws(OAuthError) in
            try Introspection(
                validating: response, to: request, from: provider, now: providerClock.now, verifyingBy: verification)
        }
    }

    /// The tokens with their expiry, if only the introspection endpoint reports it. Without a response the expiry
    /// stays unknown, and the tokens are kept.
    func findingExpiry(
        of tokens: TokenSet, at provider: FilledProvider, within bounds: CredentialBounds
    ) async -> TokenSet {
        guard provider.refresh.expiryFrom == .introspection, tokens.expiresAt == nil,
            let introspection = try? await introspect(
                tokens.accessToken, hint: "access_token", at: provider, within: bounds)
        else { return tokens }
        return changing(tokens) { $0.expiresAt = introspection.isActive ? introspection.expiresAt : nil }
    }
}

extension Session {
    /// Requests the state of the access token (RFC 7662), without a refresh.
    ///
    /// - Throws: `OAuthError` at step `introspection`, or of kind `sessionEnded` if there are no tokens;
    ///   `TokenStoreError`.
    public func introspect() async throws -> Introspection {
        let connection = try await stored().connection
        return try await client.introspect(
            connection.tokens.accessToken, hint: "access_token", at: try await client.provider(for: connection),
            within: try await client.bounds(of: connection))
    }
}
