import CarnetDescriptors
import CarnetFoundation

/// A request to the client's back-channel logout URI (OpenID Connect Back-Channel Logout, section 2.5).
package enum BackChannelLogoutRequest {
    /// The logout token of the posted form.
    ///
    /// - Parameter mediaType: The value of `Content-Type`.
    /// - Throws: `OAuthError` at step `logout` if the body is not a form with exactly one token.
    package static func logoutToken(in body: [UInt8], mediaType: String?) throws(OAuthError) -> Secret {
        guard PercentEncoding.isForm(mediaType) else {
            throw OAuthError(.logout, .unexpectedContentType, "the logout request's body is not a form")
        }
        guard let parameters = PercentEncoding.decodeForm(String(decoding: body, as: UTF8.self)) else {
            throw OAuthError(.logout, .malformedBody, "the logout request's form is malformed")
        }
        return Secret(try parameters.single("logout_token", longest: .max))
    }
}
