package import CarnetDescriptors

extension Profile {
    /// Whether an answer of the userinfo endpoint is a JWT, so that the provider's keys are needed to judge it (OpenID
    /// Connect Core, section 5.3.2).
    package static func isSigned(_ response: IncomingResponse, from provider: Provider) -> Bool {
        response.status == 200 && response.mediaType == "application/jwt"
            && (provider.profileFormat == .auto || provider.signedAnswers.profile.isRequired)
    }

    /// The claims of an answer: out of the JWT where it is one, which it must be where the descriptor says so.
    static func body(
        of response: IncomingResponse,
        to request: PreparedRequest,
        from provider: Provider,
        by verification: AnswerVerification?
    ) throws(OAuthError) -> JSONValue {
        let rules = provider.signedAnswers.profile
        guard isSigned(response, from: provider) else {
            guard !rules.isRequired else {
                throw OAuthError(
                    .profile,
                    .unexpectedContentType,
                    "the profile is not signed, though it should be",
                    descriptorKey: "profile.jwt",
                    status: response.status
                )
            }
            return try response.value(
                provider.profileFormat, .profile,
                key: provider.profileFormat == .auto ? request.descriptorKey : "profile.format")
        }
        guard let verification, let text = String(validating: response.body, as: UTF8.self) else {
            throw OAuthError(
                .profile, .unexpectedContentType, "the profile is signed, and cannot be judged",
                descriptorKey: "profile.jwt", status: response.status)
        }
        let signed = try SignedResponse(
            Secret(text), .userinfo, expecting: .init(from: provider, rules), by: verification)
        return .object(signed.claims)
    }
}
