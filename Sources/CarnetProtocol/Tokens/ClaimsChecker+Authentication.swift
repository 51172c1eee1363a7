import CarnetDescriptors
import CarnetFoundation

extension ClaimsChecker {
    /// Whether the user's authentication is recent and strong enough for the request (OpenID Connect Core, section
    /// 3.1.3.7, rules 12 and 13).
    func checkAuthentication() throws(OAuthError) {
        if let maxAge = expectations.maxAge {
            let last = try claims.requiredTime("auth_time").addingTimeInterval(
                TimeInterval(maxAge) + expectations.clockSkew)
            guard now <= last else {
                throw OAuthError(
                    .idToken,
                    .authenticationTooOld,
                    "the user signed in earlier than max_age allows"
                )
            }
        }
        guard !expectations.essentialACRs.isEmpty else { return }
        guard let acr = claims["acr"]?.string, expectations.essentialACRs.contains(where: { $0.isSameBytes(as: acr) })
        else {
            throw OAuthError(
                .idToken,
                .authenticationTooWeak,
                (claims["acr"].map { "the user authenticated with the acr \"\($0.shown)\"" }
                    ?? "the ID token has no acr, which says how the user signed in")
                    + "; required: " + expectations.essentialACRs.joined(separator: " ").quotable()
            )
        }
    }
}
