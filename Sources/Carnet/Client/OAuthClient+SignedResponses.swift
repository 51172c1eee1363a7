import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

extension OAuthClient {
    /// Validates a callback. The provider's keys are fetched only for a signed callback of this attempt.
    func validate(
        _ callback: AuthorizationCallback, for pending: PendingAuthorization, from provider: DiscoveredProvider
    ) async throws -> ValidatedCallback {
        guard pending.hasSignedResponse(at: provider), pending.matches(callback, at: provider, for: registration) else {
            return try pending.validate(
                callback, from: provider, now: clock.now, clientSecret: registration.clientSecret)
        }
        return try await verifying { [clock] verification throws(OAuthError) in
            // How long the sign-in may take is measured here; the provider's clock applies to what the provider signed.
            try pending.validate(
                callback, from: provider, now: clock.now,
                clientSecret: verification.registration.clientSecret, verifyingBy: verification)
        }
    }

    /// Validates a profile. The provider's keys are fetched only for a signed one.
    func profile(
        validating response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider,
        subject: String?
    ) async throws -> Profile {
        guard Profile.isSigned(response, from: provider) else {
            return try Profile(validating: response, to: request, from: provider, subject: subject)
        }
        return try await verifying { verification throws(OAuthError) in
            try Profile(
                validating: response, to: request, from: provider, subject: subject, verifyingBy: verification)
        }
    }

    /// The profile with claims that other issuers signed. An invalid source does not affect the others.
    func addingAggregatedClaims(to profile: Profile, at provider: FilledProvider) async throws -> Profile {
        var profile = profile
        let (aggregated, failures) = profile.aggregatedClaims(at: provider)
        profile.failures += failures
        for claims in aggregated {
            guard let keys = claimSources[ByteKey(claims.source.issuer)] else { continue }
            do {
                profile = try await keys.verifying { [profile, registration, clock] keySet throws(OAuthError) in
                    try profile.adding(
                        claims, from: provider,
                        verifyingBy: ResponseVerification(with: keySet, for: registration, now: clock.now))
                }
            } catch let error as OAuthError {
                profile.note(error, of: claims.names)
            }
        }
        return profile
    }

    /// Validates a signed response, once more with newer keys if the known ones do not fit.
    func verifying<Result: Sendable>(
        _ validate: @Sendable (ResponseVerification) throws(OAuthError) -> Result
    ) async throws -> Result {
        try await verified { [registration] keys, now throws(OAuthError) in
            try validate(ResponseVerification(with: keys, for: registration, now: now))
        }
    }

    /// Validates what the client's secret or the provider signed by either clock, and once more with newer keys if the known
    /// ones do not fit: the provider may have a new key, with a new id, the same id or none.
    func verified<Result: Sendable>(
        isSignedWithSecret: Bool = false, _ validate: @Sendable (JSONWebKeySet, Date) throws(OAuthError) -> Result
    ) async throws -> Result {
        if isSignedWithSecret {
            return try providerClock.onEitherClock { now throws(OAuthError) in try validate(JSONWebKeySet.none, now) }
        }
        return try await cache.verifying { [providerClock] keys throws(OAuthError) in
            try providerClock.onEitherClock { now throws(OAuthError) in try validate(keys, now) }
        }
    }
}
