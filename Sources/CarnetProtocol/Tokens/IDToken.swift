package import CarnetDescriptors
import Crypto
package import Foundation

/// The claims of a validated ID token (OpenID Connect Core, section 2).
///
/// An account is identified by `issuer` and `subject` together, never by an e-mail address (section 5.7).
package struct IDToken: Sendable {
    package let issuer: String
    package let subject: String
    package let claims: JSONObject
}

/// What an ID token must say to be believed.
package struct IDTokenExpectations: Sendable {
    /// How the nonce is judged.
    package enum Nonce: Sendable {
        /// A sign-in that sent this nonce, or sent none.
        case exactly(Secret?)
        /// A refresh of a sign-in whose nonce is not known (OpenID Connect Core, section 12.2).
        case ofRefresh
        /// A refresh of a sign-in that sent this nonce, which may be left out but not changed.
        case continuing(Secret)
    }

    package var issuer: String
    /// Says which issuers are its own.
    let provider: Provider
    /// The issuer of the sign-in that a refresh continues.
    package var continuedIssuer: String?
    package var clientID: String
    package var nonce: Nonce
    /// The access token that came with it.
    package var accessToken: Secret
    /// The code that was exchanged for it, if one was.
    var code: Secret?
    /// The subject of the sign-in that a refresh continues.
    package var subject: String?
    package var algorithms: [SignatureAlgorithm]
    /// The client's secret, where it signs and nothing else may.
    let secret: Secret?
    /// How many seconds the clocks may differ.
    package var clockSkew: TimeInterval
    /// How many seconds ago the user may have signed in at most.
    package var maxAge: Int?
    /// The acceptable classes of authentication; any if empty.
    package var acrValues: [String] = []
}

extension IDTokenExpectations {
    /// Whether the client's secret signs, so that no public key is looked at.
    package var isSignedWithSecret: Bool { secret != nil }

    /// - Throws: `OAuthError` if the provider has no issuer, without which no ID token can be believed.
    package init(
        from provider: Provider,
        as registration: ClientRegistration,
        nonce: Nonce,
        accessToken: Secret,
        subject: String? = nil,
        continuedIssuer: String? = nil
    ) throws(OAuthError) {
        guard let issuer = provider.issuer else {
            throw OAuthError(
                .idToken,
                .badDescriptor,
                "an ID token came, and the descriptor names no issuer to check it against",
                descriptorKey: "issuer",
                hint: "add the issuer, or do not ask for the scope openid"
            )
        }
        self.init(
            issuer: issuer,
            provider: provider,
            continuedIssuer: continuedIssuer,
            clientID: registration.clientID,
            nonce: nonce,
            accessToken: accessToken,
            subject: subject,
            algorithms: provider.signatureAlgorithms.isEmpty ? [.RS256] : provider.signatureAlgorithms,
            secret: try provider.signatureSecret(of: registration),
            clockSkew: TimeInterval(provider.clockSkew)
        )
    }

    /// For a sign-in.
    package init(
        from provider: Provider,
        as registration: ClientRegistration,
        answering callback: ValidatedCallback,
        accessToken: Secret
    ) throws(OAuthError) {
        let pending = callback.pending
        let nonce: Nonce =
            if let sent = pending.nonce, provider.acceptsMissingNonce { .continuing(sent) } else {
                .exactly(pending.nonce)
            }
        try self.init(from: provider, as: registration, nonce: nonce, accessToken: accessToken)
        code = callback.code
        maxAge = pending.maxAge
        acrValues = pending.acrValues ?? []
    }
}

extension IDToken {
    /// Validates a token: signature first, then every claim (OpenID Connect Core, section 3.1.3.7).
    ///
    /// Keys come from the issuer's set alone: `jwk`, `jku` and `x5u` headers are ignored.
    ///
    /// - Throws: `OAuthError` at step `idToken`; of kind `keyNotFound` if other keys might help.
    package init(
        validating token: Secret,
        with keys: JSONWebKeySet,
        expecting expectations: IDTokenExpectations,
        now: Date
    ) throws(OAuthError) {
        let policy = JWTPolicy.idToken
        let signature = try JSONWebSignature(token, step: policy.step)
        let algorithm = try policy.check(
            signature, accepting: expectations.algorithms, secret: expectations.secret, keys: keys)
        let claims = try JWTClaims(of: signature, policy, coercing: expectations.provider.coercedClaims)
        let checker = ClaimsChecker(claims: claims, expectations: expectations, now: now)
        (issuer, subject) = try checker.check(algorithm: algorithm)
        self.claims = claims.all
    }
}

extension IDToken {
    /// The claims of a token that was validated before it was stored; the signature is not checked again.
    ///
    /// - Throws: `OAuthError` of kind `malformedToken`.
    package init(storedAfterValidation token: Secret) throws(OAuthError) {
        let signature = try JSONWebSignature(token, step: .idToken)
        guard let claims = (try? JSONValue(parsing: signature.payload))?.object, let issuer = claims["iss"]?.string,
            let subject = claims["sub"]?.scalarText
        else {
            throw OAuthError(.idToken, .malformedToken, "the stored ID token has no issuer or subject")
        }
        self.issuer = issuer
        self.subject = subject
        self.claims = claims
    }
}
