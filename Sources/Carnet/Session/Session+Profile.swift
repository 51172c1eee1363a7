import CarnetDescriptors
public import CarnetProtocol

extension Session {
    /// The user's profile.
    ///
    /// If an additional request of the descriptor fails, its claims are missing, and `failures` has the reason.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func profile() async throws -> Profile {
        let provider = try await client.provider(for: try await stored().connection)
        switch Profile.source(at: provider) {
        case .userinfo:
            return try await retryingOnce(with: try await validConnection()) { connection in
                let (response, request) = try await self.client.send(with: connection) {
                    try Profile.request(connection.tokens, at: provider)
                }
                let profile = try await self.client.profile(
                    validating: response, to: request, from: provider, subject: connection.subject)
                return try await self.completed(profile, at: provider) { connection }
            }
        case .idToken:
            guard let token = try await stored().connection.tokens.idToken else {
                throw OAuthError(
                    .profile,
                    .missingField,
                    "the profile is in the ID token, and this session has none",
                    descriptorKey: "profile.from",
                    hint: "request the scope openid, or set endpoints.userinfo"
                )
            }
            let profile = Profile(try IDToken(storedAfterValidation: token), from: provider)
            return try await completed(profile, at: provider) { try await self.validConnection() }
        case .tokenResponse:
            let profile = try Profile(stored: try await stored().connection.profile ?? "{}", from: provider)
            return try await completed(profile, at: provider) { try await self.validConnection() }
        }
    }

    /// The profile with the claims of additional requests and of the first callback. A failed request does not affect
    /// the others.
    private func completed(
        _ profile: Profile,
        at provider: FilledProvider,
        with connection: () async throws -> Connection
    ) async throws -> Profile {
        var profile = try await client.addingAggregatedClaims(to: profile, at: provider)
        for further in provider.profile.requests {
            do {
                let connection = try await connection()
                let (incoming, request) = try await client.send(with: connection) {
                    try Profile.request(further, connection.tokens, at: provider)
                }
                profile = try profile.adding(incoming, to: request, for: further, from: provider)
            } catch let error as OAuthError {
                profile.failures.append(error)
            }
        }
        if provider.profile.callback != nil {
            profile = profile.adding(try await stored().connection.values ?? [:], from: provider)
        }
        return profile.derivingClaims(at: provider)
    }
}
