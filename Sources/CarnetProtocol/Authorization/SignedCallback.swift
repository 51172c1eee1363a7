package import CarnetDescriptors
import CarnetFoundation

extension AuthorizationCallback {
    /// Finds the JWT in a callback (JWT Secured Authorization Response Mode, section 2.3).
    ///
    /// - Parameter mode: Where the JWT is; `nil` for anywhere.
    /// - Returns: `nil` if there is no JWT, or more than one.
    func response(_ mode: ResponseMode?) -> Secret? {
        let places =
            switch mode {
            case .fragmentJWT: [encodedFragment]
            case nil: [encodedParameters, encodedFragment]
            default: [encodedParameters]
            }
        let found = places.flatMap { PercentEncoding.decodeForm($0) ?? [] }.filter { $0.name == "response" }
        return found.count == 1 ? Secret(found[0].value) : nil
    }

    /// The parameters of a signed response before its signature is checked, to find the attempt that it belongs to.
    func claims(
        _ mode: ResponseMode?, at provider: (any ProviderStage)?, for registration: ClientRegistration?
    ) -> JSONObject? {
        guard let token = response(mode) else { return nil }
        var signed = token
        if JSONWebEncryption.hasForm(of: token) {
            guard let provider, let registration,
                let opened = try? JSONWebEncryption.signedToken(
                    in: token, .authorizationResponse, encryptedAs: provider.callback.jwt.encryption,
                    for: registration)
            else { return nil }
            signed = opened
        }
        guard let payload = (try? JSONWebSignature(signed, step: .callback))?.payload else { return nil }
        return (try? JSONValue(parsing: payload))?.object
    }

    /// Every string in a signed response, not trusted yet. One of them is the state of its attempt.
    package func signedTexts(at provider: some ProviderStage, for registration: ClientRegistration) -> [Secret] {
        claims(nil, at: provider, for: registration)?.members.compactMap { $0.value.string.map { Secret($0) } } ?? []
    }
}

extension PendingAuthorization {
    /// The expected response mode.
    func responseMode(at provider: some ProviderStage) -> ResponseMode {
        responseMode ?? provider.shared.sections.authorization.responseMode ?? .query
    }

    /// Whether the response is a JWT, so that its validation needs the provider's keys.
    package func hasSignedResponse(at provider: some ProviderStage) -> Bool { responseMode(at: provider).isSigned }

    /// The parameters of a signed response (JWT Secured Authorization Response Mode, section 2.4). The state is
    /// checked before the signature: a response to another attempt must not cause a request for keys.
    ///
    /// - Throws: `OAuthError` at step `callback`; of kind `keyNotFound` or `badSignature` if a new key set might
    /// help.
    func parameters(
        inSigned callback: AuthorizationCallback, _ mode: ResponseMode, from provider: DiscoveredProvider,
        by verification: ResponseVerification?
    ) throws(OAuthError) -> [(name: String, value: String)] {
        let outside = PercentEncoding.decodeForm(
            mode == .fragmentJWT ? callback.encodedFragment : callback.encodedParameters)
        guard let outside else {
            throw OAuthError(.callback, .malformedCallback, "the callback's parameters are not valid form encoding")
        }
        guard let token = callback.response(mode) else {
            throw OAuthError(
                .callback, outside.contains { $0.name == "response" } ? .duplicateParameter : .malformedCallback,
                "the callback is not signed, but a signed one was requested",
                descriptorKey: "authorization.response_mode")
        }
        let claimed = callback.claims(mode, at: provider, for: verification?.registration)
        let name = stateParameter ?? "state"
        guard let claimedState = claimed?[name]?.string, !claimedState.isEmpty else {
            throw OAuthError(
                .callback, .missingState, "the signed callback has no state, so it does not belong to this sign-in")
        }
        guard Secret(claimedState) == state else { throw .stateMismatch }
        let plain = Set(["code", "error", "iss", "access_token", "id_token", "refresh_token", name])
        if let other = outside.first(where: { plain.contains($0.name) }) {
            throw OAuthError(
                .callback, .malformedCallback, "the signed callback has another parameter, \"\(other.name)\"",
                descriptorKey: "authorization.response_mode")
        }
        guard let verification else {
            throw OAuthError(.callback, .keyNotFound, "the keys to validate the signed callback are missing")
        }
        let response = try SignedResponse(
            token, .authorizationResponse, expecting: .init(from: provider, provider.callback.jwt), by: verification)
        return response.claims.members.compactMap { member in
            guard !["aud", "exp", "iat", "nbf", "jti"].contains(member.name) else { return nil }
            return member.value.scalarText.map { (member.name, $0) }
        }
    }
}

extension OAuthError {
    static var stateMismatch: OAuthError {
        OAuthError(.callback, .stateMismatch, "the callback's state belongs to another sign-in")
    }
}
