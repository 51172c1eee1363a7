import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol

extension Session {
    /// The user's profile.
    ///
    /// If an additional request of the descriptor fails, its claims are missing, and `failures` has the reason.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func profile() async throws -> Profile { try await profile(for: nil) }

    /// The profile for a host that wants certain claims: lists of further requests are read only if they are among them, and
    /// a scope that they lack is one of the `failures`.
    ///
    /// - Parameter names: The claims that the host wants besides those that have one value; `nil` for all that can be read.
    /// - Throws: As `profile()`.
    package func profile(for names: [String]?) async throws -> Profile {
        let provider = try await client.provider(for: try await stored().connection)
        switch Profile.source(at: provider) {
        case .userinfo:
            return try await retryingOnce(with: try await validConnection()) { connection in
                let (response, request) = try await self.client.send(with: connection) {
                    try Profile.request(connection.tokens, at: provider)
                }
                let profile = try await self.client.profile(
                    validating: response, to: request, from: provider, subject: connection.subject)
                return try await self.completed(profile, at: provider, for: names) { connection }
            }
        case .idToken:
            guard let token = try await stored().connection.tokens.idToken else {
                throw OAuthError(
                    .profile, .missingField, "the profile is in the ID token, and this session has none",
                    descriptorKey: "profile.from")
            }
            let profile = Profile(try IDToken(storedAfterValidation: token), from: provider)
            return try await completed(profile, at: provider, for: names) { try await self.validConnection() }
        case .tokenResponse:
            let profile = try Profile(stored: try await stored().connection.profile ?? "{}", from: provider)
            return try await completed(profile, at: provider, for: names) { try await self.validConnection() }
        }
    }

    /// The profile with the claims of additional requests and of the first callback. A failed request does not affect
    /// the others.
    private func completed(
        _ profile: Profile, at provider: FilledProvider, for names: [String]?,
        with connection: () async throws -> Connection
    ) async throws -> Profile {
        var profile = try await client.addingAggregatedClaims(to: profile, at: provider)
        let map = ResourceMap(of: provider)
        for further in provider.profile.requests where further.isFor(names) && !profile.wanted(of: further).isEmpty {
            do {
                let further = profile.filled(further, at: provider)
                let connection = try await connection()
                let missing = further.requirement.missing(from: map.effectiveScopes(connection.tokens.scopes))
                guard missing.isEmpty else {
                    if let names, further.claims.contains(where: { names.containsBytes(of: $0.name) }) {
                        profile.failures.append(.notGranted(further, further.requirement.anyOf))
                    }
                    continue
                }
                if let claim = profile.claimMissing(for: further) { throw OAuthError.notSent(further, without: claim) }
                let (incoming, request) = try await client.send(with: connection) {
                    try Profile.request(further, connection.tokens, at: provider)
                }
                profile = try profile.adding(incoming, to: request, for: further, from: provider)
            } catch let error as OAuthError {
                profile.note(error, of: further.claims.map(\.name))
            }
        }
        if provider.profile.callback != nil {
            profile = profile.adding(try await stored().connection.values ?? [:], from: provider)
        }
        return profile.derivingClaims(at: provider)
    }
}
