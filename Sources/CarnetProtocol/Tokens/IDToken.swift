public import CarnetDescriptors
import Crypto
public import Foundation

/// The claims of a validated ID token (OpenID Connect Core, section 2).
///
/// An account is identified by `issuer` and `subject` together, never by an e-mail address (section 5.7).
public struct IDToken: Sendable {
    public let issuer: String
    public let subject: String
    public let claims: JSONObject
}

/// What an ID token must say to be believed.
public struct IDTokenExpectations: Sendable {
    /// How the nonce is judged.
    public enum Nonce: Sendable {
        /// A sign-in that sent this nonce, or sent none.
        case exactly(Secret?)
        /// A refresh of a sign-in whose nonce is not known (OpenID Connect Core, section 12.2).
        case ofRefresh
        /// A refresh of a sign-in that sent this nonce, which may be left out but not changed.
        case continuing(Secret)
    }

    public var issuer: String
    /// Says which issuers are its own.
    let provider: Provider
    /// The issuer of the sign-in that a refresh continues.
    public var continuedIssuer: String?
    public var clientID: String
    public var nonce: Nonce
    /// The access token that came with it.
    public var accessToken: Secret
    /// The code that was exchanged for it, if one was.
    var code: Secret?
    /// The subject of the sign-in that a refresh continues.
    public var subject: String?
    public var algorithms: [SignatureAlgorithm]
    /// The client's secret, where it signs and nothing else may.
    let secret: Secret?
    /// How many seconds the clocks may differ.
    public var clockSkew: TimeInterval
    /// How many seconds ago the user may have signed in at most.
    public var maxAge: Int?
    /// The acceptable classes of authentication; any if empty.
    public var acrValues: [String] = []
}

extension IDTokenExpectations {
    /// Whether the client's secret signs, so that no public key is looked at.
    public var isSignedWithSecret: Bool { secret != nil }

    /// - Throws: `OAuthError` if the provider has no issuer, without which no ID token can be believed.
    public init(
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
    public init(
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
    /// The algorithm is the caller's choice; the token can only agree with it. Whether it is the client's secret or a
    /// public key that signs is the descriptor's choice, so neither can be taken for the other (RFC 8725, section 3.1). Keys come from the issuer's set alone:
    /// `jwk`, `jku` and `x5u` headers are not looked at.
    ///
    /// - Throws: `OAuthError` at step `idToken`; of kind `keyNotFound` if other keys might help.
    public init(
        validating token: Secret,
        with keys: JSONWebKeySet,
        expecting expectations: IDTokenExpectations,
        now: Date
    ) throws(OAuthError) {
        let signature = try JSONWebSignature(token, step: .idToken)
        let algorithm = expectations.secret == nil ? SignatureAlgorithm(rawValue: signature.algorithm) : nil
        let isAccepted =
            expectations.secret == nil
            ? algorithm.map(expectations.algorithms.contains) ?? false : signature.algorithm == "HS256"
        guard isAccepted else {
            let accepted = expectations.secret == nil ? expectations.algorithms.map(\.rawValue) : ["HS256"]
            throw OAuthError(
                .idToken,
                .unsupportedAlgorithm,
                "the ID token is signed with \"\(signature.algorithm.quotable(limit: 20))\"",
                descriptorKey: "id_token.algorithms",
                hint: "accepted: " + accepted.joined(separator: ", ")
            )
        }
        // RFC 8725, section 3.11: a token of another kind must not pass for an ID token.
        if let type = signature.type, type.lowercased() != "jwt" {
            throw OAuthError(
                .idToken, .wrongTokenUse, "the token is of the type \"\(type.quotable(limit: 40))\", not an ID token")
        }
        if let secret = expectations.secret {
            guard signature.isValid(with: secret) else {
                throw OAuthError(.idToken, .badSignature, "the ID token is not signed with the client's secret")
            }
        } else if let algorithm {
            try signature.check(with: keys, algorithm, step: .idToken, name: "the ID token")
        }
        guard let claims = (try? JSONValue(parsing: signature.payload))?.object else {
            throw OAuthError(.idToken, .malformedToken, "the ID token's claims are not a JSON object")
        }
        let checker = ClaimsChecker(claims: claims, expectations: expectations, now: now)
        (issuer, subject) = try checker.check(algorithm: algorithm)
        self.claims = claims
    }
}

extension IDToken {
    /// The claims of a token that was validated before it was stored; the signature is not checked again.
    ///
    /// - Throws: `OAuthError` of kind `malformedToken`.
    public init(storedAfterValidation token: Secret) throws(OAuthError) {
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
