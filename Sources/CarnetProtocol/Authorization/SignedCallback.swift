package import CarnetDescriptors

extension AuthorizationCallback {
    /// The JWT that a signed answer is (JWT Secured Authorization Response Mode, section 2.3).
    ///
    /// - Parameter mode: Says where it is; `nil` for anywhere.
    /// - Returns: `nil` if there is none, or several.
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

    /// What a signed answer claims to say, before anybody has looked at its signature: for finding the attempt that it
    /// belongs to.
    func claims(
        _ mode: ResponseMode?, at provider: Provider?, for registration: ClientRegistration?
    ) -> JSONObject? {
        guard let token = response(mode) else { return nil }
        var signed = token
        if JSONWebEncryption.hasForm(of: token) {
            guard let provider, let registration,
                let opened = try? SignedResponse.signed(
                    token, .authorizationResponse, provider.signedAnswers.callback.encryption, for: registration)
            else { return nil }
            signed = opened
        }
        guard let payload = (try? JSONWebSignature(signed, step: .callback))?.payload else { return nil }
        return (try? JSONValue(parsing: payload))?.object
    }

    /// Every text in a signed answer, believed by nobody yet: one of them is the state of the attempt that it answers.
    package func signedTexts(at provider: Provider, for registration: ClientRegistration) -> [Secret] {
        claims(nil, at: provider, for: registration)?.members.compactMap { $0.value.string.map { Secret($0) } } ?? []
    }
}

extension PendingAuthorization {
    /// How the answer comes.
    func responseMode(at provider: Provider) -> ResponseMode {
        responseMode ?? provider.authorization.responseMode ?? .query
    }

    /// Whether the answer is a JWT, so that the provider's keys are needed to judge it.
    package func hasSignedAnswer(at provider: Provider) -> Bool { responseMode(at: provider).isSigned }

    /// The parameters of a signed answer (JWT Secured Authorization Response Mode, section 2.4). The state comes before
    /// the signature: an answer to another attempt costs nobody a request for keys.
    ///
    /// - Throws: `OAuthError` at step `callback`; of kind `keyNotFound` or `badSignature` if other keys might help.
    func parameters(
        inSigned callback: AuthorizationCallback,
        _ mode: ResponseMode,
        from provider: Provider,
        by verification: AnswerVerification?
    ) throws(OAuthError) -> [(name: String, value: String)] {
        let outside = PercentEncoding.decodeForm(
            mode == .fragmentJWT ? callback.encodedFragment : callback.encodedParameters)
        guard let outside else {
            throw OAuthError(.callback, .malformedCallback, "the callback's parameters are not properly encoded")
        }
        guard let token = callback.response(mode) else {
            throw OAuthError(
                .callback,
                outside.contains { $0.name == "response" } ? .duplicateParameter : .malformedCallback,
                "the callback is not the signed one that was asked for",
                descriptorKey: "authorization.response_mode"
            )
        }
        let claimed = callback.claims(mode, at: provider, for: verification?.registration)
        let name = stateParameter ?? "state"
        guard let claimedState = claimed?[name]?.string, !claimedState.isEmpty else {
            throw OAuthError(
                .callback, .missingState, "the signed callback has no state",
                hint: "it does not belong to this sign-in")
        }
        guard Secret(claimedState) == state else { throw .stateMismatch }
        let plain = Set(["code", "error", "iss", "access_token", "id_token", "refresh_token", name])
        if let other = outside.first(where: { plain.contains($0.name) }) {
            throw OAuthError(
                .callback, .malformedCallback, "the parameter \"\(other.name)\" stands beside the signed callback",
                descriptorKey: "authorization.response_mode")
        }
        guard let verification else {
            throw OAuthError(.callback, .keyNotFound, "there are no keys to judge the signed callback by")
        }
        let response = try SignedResponse(
            token, .authorizationResponse, expecting: .init(from: provider, provider.signedAnswers.callback),
            by: verification)
        return response.claims.members.compactMap { member in
            guard !["aud", "exp", "iat", "nbf", "jti"].contains(member.name) else { return nil }
            return member.value.scalarText.map { (member.name, $0) }
        }
    }
}

extension OAuthError {
    static var stateMismatch: OAuthError {
        OAuthError(
            .callback,
            .stateMismatch,
            "the callback's state is not the one of this sign-in",
            hint: "it belongs to another attempt, or was forged; begin again from this browser"
        )
    }
}
