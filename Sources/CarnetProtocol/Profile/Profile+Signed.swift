package import CarnetDescriptors
import CarnetFoundation

extension Profile {
    /// Whether a response of the userinfo endpoint is a JWT, so that its validation needs the provider's keys (OpenID
    /// Connect Core, section 5.3.2). One that is required is read with any content type.
    package static func isSigned(_ response: IncomingResponse, from provider: FilledProvider) -> Bool {
        let isRequired = provider.profile.jwt.isRequired
        guard response.isSuccess else { return false }
        return response.mediaType == "application/jwt"
            ? provider.profile.format == .auto || isRequired : isRequired && response.isToken
    }

    /// The claims of a response, read from the JWT if it is one. The descriptor may require a JWT.
    static func body(
        of response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider,
        by verification: ResponseVerification?
    ) throws(OAuthError) -> JSONValue {
        let rules = provider.profile.jwt
        func failure(
            _ message: String, _ kind: OAuthError.Kind = .unexpectedContentType, hint: String? = nil
        ) -> OAuthError {
            OAuthError(.profile, kind, message, descriptorKey: "profile.jwt", status: response.status, hint: hint)
        }
        guard isSigned(response, from: provider) else {
            guard !rules.isRequired else {
                throw failure("the profile is not signed, but the descriptor requires a signature")
            }
            guard !response.isToken else {
                throw failure(
                    "the profile is a JWT, sent as \(response.shownMediaType ?? "nothing")",
                    hint: "write the algorithm that signs it into profile.jwt, such as [RS256]")
            }
            return try response.value(
                provider.profile.format, .profile,
                key: provider.profile.format == .auto ? request.descriptorKey : "profile.format")
        }
        guard let verification, let text = String(validating: response.body, as: UTF8.self) else {
            throw failure("the keys to validate the signed profile are missing")
        }
        let content = try JSONWebEncryption.signedToken(
            in: Secret(text), .userinfo, encryptedAs: rules.encryption, for: verification.registration)
        // OpenID Connect Core, section 5.3.2: encrypted, signed, or both. Like plain JSON, unsigned claims are as
        // authentic as the connection.
        if rules.isEncryptionEnough, JWTSegments(content) == nil {
            guard let claims = try? JSONValue(parsing: content.reveal()), claims.object != nil else {
                throw failure("the encrypted profile contains neither a JWT nor a JSON object", .malformedToken)
            }
            return claims
        }
        let signed = try SignedResponse(
            decrypted: content, .userinfo, expecting: .init(from: provider, rules), by: verification)
        return .object(signed.claims)
    }
}
