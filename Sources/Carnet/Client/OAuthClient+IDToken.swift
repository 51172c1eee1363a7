import CarnetDescriptors
package import CarnetProtocol

extension OAuthClient {
    /// The ID token, once it has the values that the sign-in expects.
    ///
    /// - Parameters:
    ///   - isOptional: Whether it may be missing although the scope openid was requested.
    ///   - isProof: Whether it has to prove when or how the user signed in.
    func validateIDToken(
        of response: TokenResponse, requested scopes: [String], isOptional: Bool = false, isProof: Bool = false,
        expecting expectations: () throws(OAuthError) -> IDTokenExpectations
    ) async throws -> IDToken? {
        guard let token = response.idToken else {
            // Without an issuer the scope is one like any other; one that is not sent requests nothing.
            let isRequested = scopes.contains("openid") && !provider.authorization.omit.contains("scope")
            let mayBeMissing = isOptional || provider.issuer == nil || provider.idToken.none != nil
            guard !isRequested || mayBeMissing && !isProof else {
                throw OAuthError(
                    .tokenRequest, .missingField,
                    "the response has no ID token, although the scope openid was requested",
                    descriptorKey: "token.response.fields.id_token")
            }
            return nil
        }
        return try await validate(token, expecting: try expectations())
    }

    /// The ID token that an app got from the provider, without an access token.
    ///
    /// - Parameter audiences: The client ids of the apps.
    /// - Throws: `OAuthError`.
    package func validate(appToken token: Secret, audiences: [String], nonce: Secret) async throws -> IDToken {
        let provider = try await cache.provider()
        let idToken = try await validate(
            token, expecting: IDTokenExpectations(from: provider, as: registration, audiences: audiences, nonce: nonce))
        guard try idToken.provesAccount(at: provider) || !provider.profile.hasConditionalSubject else {
            throw OAuthError.refusedByCondition(.idToken)
        }
        return idToken
    }

    func validate(_ token: Secret, expecting expectations: IDTokenExpectations) async throws -> IDToken {
        try await verified(isSignedWithSecret: expectations.isSignedWithSecret) { keys, now throws(OAuthError) in
            try IDToken(validating: token, with: keys, expecting: expectations, now: now)
        }
    }
}
