import CarnetDescriptors
public import CarnetProtocol

extension Session {
    /// Who signed in.
    ///
    /// What a further request of the descriptor could not bring is missing, and `failures` says why.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func profile() async throws -> Profile {
        let provider = try await client.provider(for: try await stored().connection)
        switch Profile.source(at: provider) {
        case .userinfo:
            return try await retryingOnce(with: try await usableConnection()) { connection in
                let (response, request) = try await self.client.send(with: connection) {
                    try Profile.request(connection.tokens, at: provider)
                }
                let profile = try await self.client.profile(
                    judging: response, to: request, from: provider, subject: connection.subject)
                return try await self.completed(profile, at: provider) { connection }
            }
        case .idToken:
            guard let token = try await stored().connection.tokens.idToken else {
                throw OAuthError(
                    .profile,
                    .missingField,
                    "there is no ID token to read the profile from",
                    descriptorKey: "profile.from",
                    hint: "ask for the scope openid, or name a userinfo endpoint"
                )
            }
            let profile = Profile(try IDToken(storedAfterValidation: token), from: provider)
            return try await completed(profile, at: provider) { try await self.usableConnection() }
        case .tokenResponse:
            let profile = try Profile(stored: try await stored().connection.profile ?? "{}", from: provider)
            return try await completed(profile, at: provider) { try await self.usableConnection() }
        }
    }

    /// The profile with the claims of the further requests, of which one that fails takes nothing from the others, and of
    /// the first callback.
    private func completed(
        _ profile: Profile,
        at provider: Provider,
        with connection: () async throws -> Connection
    ) async throws -> Profile {
        var profile = try await client.addingAggregatedClaims(to: profile, at: provider)
        for further in provider.profileRequests {
            do {
                let connection = try await connection()
                let (answer, request) = try await client.send(with: connection) {
                    try Profile.request(further, connection.tokens, at: provider)
                }
                profile = try profile.adding(answer, to: request, for: further)
            } catch let error as OAuthError {
                profile.failures.append(error)
            }
        }
        guard provider.callbackClaims != nil else { return profile }
        return profile.adding(try await stored().connection.values ?? [:], from: provider)
    }
}
