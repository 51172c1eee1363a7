import CarnetDescriptors
import CarnetProtocol

extension OAuthClient {
    /// Judges a callback, with the provider's keys where it is a signed one and is of this attempt.
    func validate(
        _ callback: AuthorizationCallback, for pending: PendingAuthorization, from provider: Provider
    ) async throws -> ValidatedCallback {
        guard pending.hasSignedAnswer(at: provider), pending.matches(callback, at: provider, for: registration) else {
            return try pending.validate(
                callback, from: provider, now: clock.now, clientSecret: registration.clientSecret)
        }
        return try await verifying { verification throws(OAuthError) in
            try pending.validate(
                callback, from: provider, now: verification.now,
                clientSecret: verification.registration.clientSecret, verifyingBy: verification)
        }
    }

    /// Judges a profile, with the provider's keys where it is a signed one.
    nonisolated func profile(
        judging response: IncomingResponse, to request: PreparedRequest, from provider: Provider, subject: String?
    ) async throws -> Profile {
        guard Profile.isSigned(response, from: provider) else {
            return try Profile(judging: response, to: request, from: provider, subject: subject)
        }
        return try await verifying { verification throws(OAuthError) in
            try Profile(
                judging: response, to: request, from: provider, subject: subject, verifyingBy: verification)
        }
    }

    /// The profile with the claims that others have signed; what is wrong with one of them takes nothing from the rest.
    nonisolated func addingAggregatedClaims(to profile: Profile, at provider: Provider) async throws -> Profile {
        var profile = profile
        let (aggregated, failures) = profile.aggregatedClaims(at: provider)
        profile.failures += failures
        for claims in aggregated {
            guard let keys = claimSources[ByteKey(claims.source.issuer)] else { continue }
            do {
                profile = try await keys.verifying { [profile, registration, clock] keySet throws(OAuthError) in
                    try profile.adding(
                        claims, from: provider,
                        verifyingBy: AnswerVerification(with: keySet, for: registration, now: clock.now))
                }
            } catch let error as OAuthError {
                profile.failures.append(error)
            }
        }
        return profile
    }

    /// Judges a signed answer, once more with newer keys if those known do not fit.
    nonisolated func verifying<Result: Sendable>(
        _ judge: @Sendable (AnswerVerification) throws(OAuthError) -> Result
    ) async throws -> Result {
        try await connection.verifying { [registration, clock] keys throws(OAuthError) in
            try judge(AnswerVerification(with: keys, for: registration, now: clock.now))
        }
    }
}
