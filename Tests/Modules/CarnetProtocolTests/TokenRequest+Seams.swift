import CarnetDescriptors
import CarnetProtocol
import CarnetTesting
import Foundation

/// Requests of clients that send no assertion, for which neither randomness nor time matters.
extension TokenRequest {
    static func authorizationCode(
        _ callback: ValidatedCallback, at provider: FilledProvider, as registration: ClientRegistration
    ) throws(OAuthError) -> PreparedRequest {
        try authorizationCode(
            callback,
            in: RequestContext(at: provider, as: registration, random: SeededRandomSource(seed: 1), now: .distantPast))
    }

    static func refresh(
        _ refreshToken: Secret, resources: [String] = [], at provider: FilledProvider,
        as registration: ClientRegistration
    ) throws(OAuthError) -> PreparedRequest {
        try refresh(
            refreshToken, resources: resources,
            in: RequestContext(at: provider, as: registration, random: SeededRandomSource(seed: 1), now: .distantPast))
    }

    static func revoke(
        _ token: Secret, hint: String, at provider: FilledProvider, as registration: ClientRegistration
    ) throws(OAuthError) -> PreparedRequest {
        try revoke(
            token, hint: hint,
            in: RequestContext(at: provider, as: registration, random: SeededRandomSource(seed: 1), now: .distantPast))
    }
}
