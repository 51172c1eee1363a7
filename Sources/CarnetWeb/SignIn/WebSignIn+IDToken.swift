public import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetStorage

/// Sign-in of an app at its server: the app gets an ID token itself, for example with the system's sheet, and sends it here.
extension WebSignIn {
    private static let noncePurpose = "nonce of an app's ID token"

    private struct AppNonce: Codable {
        let id: String
        /// The hash of the app's session.
        let session: String
        let expiresAt: Date
    }

    /// A nonce for the ID token that an app is going to request. It serves once, within `signInLifetime`, and only this
    /// session. The app passes it to the provider as it is.
    ///
    /// - Parameter session: What the server recognizes the app by in its next request, which nobody else knows: such as a
    ///   random value that the app sends with both requests.
    /// - Throws: `OAuthError` if it is empty.
    public func nonce(for session: String) throws -> String {
        guard !session.isEmpty else {
            throw OAuthError(.configuration, .badRegistration, "the app's session is empty, so a nonce would serve all")
        }
        let nonce = AppNonce(
            id: randomName(bytes: 16), session: hash(session), expiresAt: clock.now.addingTimeInterval(signInLifetime))
        return try encrypted(nonce, for: purpose(Self.noncePurpose))
    }

    /// The account of an ID token that an app got from a provider: the same as that of a sign-in on the web, and without
    /// tokens. It requires the nonce of this session, and uses it up; several processes share the client's `usedTokens`.
    ///
    /// - Parameters:
    ///   - provider: One of the clients, whose descriptor has an issuer.
    ///   - audiences: The client ids that the token may be for: of the app, such as a bundle id, or of its server.
    ///   - session: As for `nonce(for:)`.
    /// - Throws: `OAuthError` for a token that is not valid, or a provider without a client; `SignInRefusal` of `findUser`;
    ///   `TokenStoreError`.
    public func account(
        ofIDToken token: String, from provider: ProviderID, audiences: [String], session: String
    ) async throws -> WebAccount {
        guard let client = clients[provider] else {
            throw OAuthError(.configuration, .badRegistration, "this site has no client for the provider \(provider)")
        }
        let token = Secret(token)
        // The signature is checked below, with the nonce that is expected then.
        let claim = try IDToken(storedAfterValidation: token).claims["nonce"]?.string
        guard let claim, let nonce = decrypted(claim, as: AppNonce.self, for: purpose(Self.noncePurpose)),
            nonce.expiresAt > clock.now, !session.isEmpty, nonce.session.isSameBytes(as: hash(session))
        else {
            throw OAuthError(
                .idToken, .nonceMismatch,
                claim == nil
                    ? "the ID token has no nonce" : "the ID token's nonce is not one of this session, or expired",
                hint: "request a nonce from the server, and pass it to the provider as it is")
        }
        let idToken = try await client.validate(appToken: token, audiences: audiences, nonce: Secret(claim))
        guard try await client.usedTokens.use("nonce \(nonce.id)", until: nonce.expiresAt, now: clock.now) else {
            throw OAuthError(
                .idToken, .nonceMismatch, "the ID token was used before", hint: "request another nonce and token")
        }
        var account = WebAccount(
            provider: client.provider.id, issuer: idToken.issuer, subject: idToken.subject, signedInAt: clock.now)
        // OpenID Connect Core, section 5.1.
        let claims = idToken.claims
        account.setIdentity(
            name: claims["name"]?.string ?? claims["email"]?.string, email: claims["email"]?.string,
            isEmailVerified: claims["email_verified"]?.decidedTruth)
        account.userID = try await userID(of: account)
        return account
    }
}
