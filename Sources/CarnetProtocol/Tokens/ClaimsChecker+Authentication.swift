import CarnetDescriptors
import Foundation

extension ClaimsChecker {
    /// Whether the user signed in as lately and by such means as was asked for (OpenID Connect Core, section 3.1.3.7,
    /// rules 12 and 13).
    func checkAuthentication() throws(OAuthError) {
        if let maxAge = expectations.maxAge {
            let last = try claims.requiredTime("auth_time").addingTimeInterval(
                TimeInterval(maxAge) + expectations.clockSkew)
            guard now <= last else {
                throw OAuthError(
                    .idToken,
                    .authenticationTooOld,
                    "the user signed in longer ago than max_age allows",
                    hint: "sign in again, with prompt login"
                )
            }
        }
        guard !expectations.acrValues.isEmpty else { return }
        guard let acr = claims["acr"]?.string, expectations.acrValues.contains(where: { $0.isSameBytes(as: acr) })
        else {
            throw OAuthError(
                .idToken,
                .authenticationTooWeak,
                claims["acr"] == nil
                    ? "the ID token does not say how the user signed in"
                    : "the user signed in by other means than acr_values asked for",
                hint: "asked for: " + expectations.acrValues.joined(separator: " ").quotable()
            )
        }
    }
}
