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
        Work.count(parameters.count)
        let tokens = parameters.filter { $0.name == "logout_token" }
        guard tokens.count <= 1 else {
            throw OAuthError(
                .logout, .duplicateParameter, "the logout request has the parameter logout_token more than once")
        }
        guard let token = tokens.first, !token.value.isEmpty else {
            throw OAuthError(.logout, .missingField, "the logout request has no parameter logout_token")
        }
        return Secret(token.value)
    }
}
