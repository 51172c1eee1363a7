package import CarnetDescriptors
import CarnetFoundation

/// A request to the client's front-channel logout URI (OpenID Connect Front-Channel Logout, section 2).
///
/// The request is not signed, and any page can send it. It counts only with the issuer and the session id, which an
/// attacker does not know.
package struct FrontChannelLogout: Sendable {
    package let session: EndedSession

    /// Validates the request.
    ///
    /// - Throws: `OAuthError` at step `logout`: `unsupported` if the descriptor does not allow it, `missingField`
    ///   without `iss` and `sid`, `issuerMismatch`.
    package init(validating request: AuthorizationCallback, from provider: some ProviderStage) throws(OAuthError) {
        guard provider.logout.frontChannel else {
            throw OAuthError(
                .logout, .unsupported, "the descriptor does not allow front-channel logout",
                descriptorKey: "logout.front_channel")
        }
        guard let parameters = PercentEncoding.decodeForm(request.encodedParameters) else {
            throw OAuthError(.logout, .malformedCallback, "the parameters of the logout request are malformed")
        }
        let issuer = try parameters.single("iss", longest: ReceivedLimit.issuer)
        guard provider.shared.acceptsIssuer(inCallback: issuer) else {
            throw OAuthError(
                .logout, .issuerMismatch,
                "the logout request has the issuer \"\(issuer.quotable())\" instead of the provider's",
                descriptorKey: "issuer")
        }
        session = try EndedSession(
            issuer: issuer, subject: nil, sessionID: try parameters.single("sid", longest: ReceivedLimit.issuer))
    }
}

extension [(name: String, value: String)] {
    /// The value of a parameter of a logout request that is not empty, and at most so many bytes long.
    ///
    /// - Throws: `OAuthError` at step `logout`.
    func single(_ name: String, longest: Int) throws(OAuthError) -> String {
        Work.count(count)
        let values = filter { $0.name == name }
        guard values.count <= 1 else {
            throw OAuthError(
                .logout, .duplicateParameter, "the logout request has the parameter \(name) more than once")
        }
        guard let value = values.first?.value, (1...longest).contains(value.utf8.count) else {
            throw OAuthError(.logout, .missingField, "the logout request has no parameter \(name)")
        }
        return value
    }
}
