package import CarnetDescriptors

/// A request for a client's front-channel logout URI (OpenID Connect Front-Channel Logout, section 2).
///
/// Nobody signs it and any page can make a browser send it, so it counts only with the issuer and the id of a session,
/// which others do not know.
package struct FrontChannelLogout: Sendable {
    package let session: EndedSession

    /// Judges the request.
    ///
    /// - Throws: `OAuthError` at step `logout`: `unsupported` if the descriptor does not allow it, `missingField` without
    ///   `iss` and `sid`, `issuerMismatch`.
    package init(judging request: AuthorizationCallback, from provider: Provider) throws(OAuthError) {
        guard provider.acceptsFrontChannelLogout else {
            throw OAuthError(
                .logout, .unsupported, "the descriptor does not let a frame end a session",
                descriptorKey: "logout.front_channel", hint: "prefer the back channel; else say front_channel: true")
        }
        guard let parameters = PercentEncoding.decodeForm(request.encodedParameters) else {
            throw OAuthError(.logout, .malformedCallback, "the logout cannot be read")
        }
        func single(_ name: String) throws(OAuthError) -> String {
            Work.count(parameters.count)
            let values = parameters.filter { $0.name == name }
            guard values.count <= 1 else {
                throw OAuthError(.logout, .duplicateParameter, "the logout has \(name) more than once")
            }
            guard let value = values.first?.value, (1...ReceivedLimit.issuer).contains(value.utf8.count) else {
                throw OAuthError(.logout, .missingField, "the logout has no \(name)")
            }
            return value
        }
        let issuer = try single("iss")
        guard provider.acceptsIssuer(inCallback: issuer) else {
            throw OAuthError(
                .logout, .issuerMismatch, "the logout is from \"\(issuer.quotable())\", not from the provider",
                descriptorKey: "issuer")
        }
        session = try EndedSession(issuer: issuer, subject: nil, sessionID: try single("sid"))
    }
}
