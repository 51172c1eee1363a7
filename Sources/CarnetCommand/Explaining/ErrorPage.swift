import Carnet
import CarnetProtocol

/// What is known about one kind of error: the text of its row in `Docs/errors.md`, for a program without the documents.
struct ErrorPage {
    let kind: OAuthError.Kind
    /// What happened.
    let summary: String
    /// Who can fix it.
    let fixedBy: String

    private init(_ kind: OAuthError.Kind, _ summary: String, fixedBy: String) {
        (self.kind, self.summary, self.fixedBy) = (kind, summary, fixedBy)
    }

    /// What a program does with the error.
    var reaction: String {
        // The disposition of an error of the server depends on its code.
        guard kind != .serverError else { return "depends on the code that the server returned" }
        return switch OAuthError(.callback, kind, "").disposition {
        case .signInAgain: "the user signs in again; a retry does not help"
        case .tryLater: "try again later; the tokens are kept"
        case .fixConfiguration: "change the descriptor, the registration or the call; a retry does not help"
        case .refused: "the response or request was discarded, because it cannot be trusted; begin again"
        }
    }

    var lines: [String] {
        [
            "\(kind.rawValue): a kind of error of a sign-in or call", "",
            "  what happened    \(summary)", "  who can fix it   \(fixedBy)", "  what to do       \(reaction)",
        ]
    }

    static func page(_ name: String) -> ErrorPage? {
        let wanted = name.lowercased()
        return all.first { $0.kind.rawValue.lowercased() == wanted }
    }

    static let all: [ErrorPage] = [
        ErrorPage(
            .missingEndpoint, "the descriptor and the metadata name no such endpoint",
            fixedBy: "descriptor author"),
        ErrorPage(.missingClientSecret, "the method of client authentication needs a secret", fixedBy: "operator"),
        ErrorPage(.missingClientKey, "the method needs a private key", fixedBy: "operator"),
        ErrorPage(.missingClientCertificate, "the method needs a certificate", fixedBy: "operator"),
        ErrorPage(
            .badRegistration, "the registration contradicts the descriptor, the site or the stored tokens",
            fixedBy: "operator"),
        ErrorPage(
            .badDescriptor, "the descriptor lacks something that the response requires",
            fixedBy: "descriptor author"),
        ErrorPage(
            .reservedParameter, "the call sets a parameter or claim that the protocol sets",
            fixedBy: "developer"),
        ErrorPage(
            .redirectNotAccepted, "the redirect URI has none of the descriptor's redirects forms",
            fixedBy: "operator"),
        ErrorPage(.badHeader, "a header or URL of the call cannot be sent", fixedBy: "developer"),
        ErrorPage(.unsupported, "the combination is not supported", fixedBy: "developer"),
        ErrorPage(
            .transport, "no response: name lookup, connection, TLS or timeout",
            fixedBy: "nobody; the operator if it persists"),
        ErrorPage(.serverUnavailable, "the server failed (5xx or 408)", fixedBy: "the provider"),
        ErrorPage(
            .tooManyRequests,
            "the server limits requests (429), or asked to wait, and nothing was sent; retryAt says until when",
            fixedBy: "nobody; the developer sends fewer requests"),
        ErrorPage(.unexpectedStatus, "the status does not fit the request", fixedBy: "descriptor author"),
        ErrorPage(
            .unexpectedContentType, "the response has another media type than the standard or the descriptor says",
            fixedBy: "descriptor author"),
        ErrorPage(.malformedBody, "the body is not valid JSON, form or JWT", fixedBy: "the provider"),
        ErrorPage(.serverError, "the server returned an OAuth error code; read server", fixedBy: "by code"),
        ErrorPage(.malformedCallback, "the parameters or the code cannot be read", fixedBy: "the provider"),
        ErrorPage(.missingState, "the callback has no state", fixedBy: "the provider, or an attack"),
        ErrorPage(.stateMismatch, "state belongs to another attempt", fixedBy: "the user begins again; or an attack"),
        ErrorPage(.duplicateParameter, "a parameter occurs twice", fixedBy: "the provider, or an attack"),
        ErrorPage(
            .redirectMismatch, "the callback arrived at another address than the redirect URI",
            fixedBy: "operator"),
        ErrorPage(
            .missingIssuer, "iss is missing although the metadata announces it (RFC 9207)",
            fixedBy: "descriptor author: callback.iss"),
        ErrorPage(
            .issuerMismatch, "the metadata, callback or token names another issuer",
            fixedBy: "descriptor author: issuer, issuer_match; or an attack"),
        ErrorPage(.missingCode, "there is neither a code nor an error", fixedBy: "the provider"),
        ErrorPage(.unexpectedToken, "the callback contains a token", fixedBy: "the provider, or an attack"),
        ErrorPage(
            .expiredAttempt,
            "the callback came later than AuthorizationOptions.lifetime (600 seconds), or the user agent timed out",
            fixedBy: "the user"),
        ErrorPage(.alreadyUsed, "this callback or logout token was used before", fixedBy: "the user"),
        ErrorPage(
            .providerMismatch, "the attempt began at another provider, or with other inputs",
            fixedBy: "developer"),
        ErrorPage(
            .badSignedCallback, "the callback's signature is missing or wrong (callback.verify)",
            fixedBy: "operator: the secret; or an attack"),
        ErrorPage(
            .cancelled, "the person closed the page, or the task was cancelled during a revocation or lookup",
            fixedBy: "the user"),
        ErrorPage(.missingField, "a required field is missing", fixedBy: "descriptor author: token.response.fields"),
        ErrorPage(
            .wrongFieldType, "a field or claim has the wrong type",
            fixedBy: "descriptor author, or the provider"),
        ErrorPage(.unsupportedTokenType, "the client cannot use this token_type", fixedBy: "descriptor author"),
        ErrorPage(.malformedToken, "it is not a valid JWT", fixedBy: "the provider"),
        ErrorPage(
            .unsupportedAlgorithm, "its algorithm is not accepted",
            fixedBy: "descriptor author: id_token.algorithms"),
        ErrorPage(.criticalHeader, "it has a crit header that the client does not know", fixedBy: "the provider"),
        ErrorPage(.wrongTokenUse, "it is a token of another kind", fixedBy: "the provider, or an attack"),
        ErrorPage(
            .keyNotFound, "the key set has no fitting key",
            fixedBy: "the provider; it recovers when new keys are published"),
        ErrorPage(.malformedKeys, "the key set cannot be read", fixedBy: "the provider"),
        ErrorPage(.badSignature, "the signature is wrong", fixedBy: "an attack, or the wrong key set"),
        ErrorPage(.decryptionFailed, "it cannot be decrypted", fixedBy: "operator: the decryption key"),
        ErrorPage(.audienceMismatch, "it is for another client", fixedBy: "operator: the client id; or an attack"),
        ErrorPage(.authorizedPartyMismatch, "azp names another client", fixedBy: "the provider, or an attack"),
        ErrorPage(.expiredToken, "its expiry has passed", fixedBy: "operator: the clock; or a replay"),
        ErrorPage(.issuedInFuture, "iat is in the future", fixedBy: "operator: the clock"),
        ErrorPage(.notYetValid, "nbf is in the future", fixedBy: "operator: the clock"),
        ErrorPage(.nonceMismatch, "nonce belongs to another attempt", fixedBy: "an attack"),
        ErrorPage(.accessTokenHashMismatch, "at_hash does not fit the access token", fixedBy: "an attack"),
        ErrorPage(.codeHashMismatch, "c_hash does not fit the code", fixedBy: "an attack"),
        ErrorPage(
            .subjectMismatch, "another user than expected",
            fixedBy: "the user chooses the right account; or an attack"),
        ErrorPage(.authenticationTooOld, "the user signed in earlier than maxAge allows", fixedBy: "the user"),
        ErrorPage(.authenticationTooWeak, "the sign-in has none of the required acr values", fixedBy: "the user"),
        ErrorPage(
            .resourceMismatch, "the metadata of a protected resource describes another resource",
            fixedBy: "descriptor author: resource; or an attack"),
        ErrorPage(.sessionEnded, "the provider ended the session, or nobody is signed in", fixedBy: "the user"),
        ErrorPage(
            .noRefreshToken, "the access token expired and there is no refresh token",
            fixedBy: "the user; the developer requests offline access"),
        ErrorPage(.unauthorized, "the API rejected a fresh access token", fixedBy: "the user"),
        ErrorPage(
            .insufficientScope, "the resource needs scopes that were not granted",
            fixedBy: "developer: request them; the user grants them"),
        ErrorPage(
            .insufficientAuthentication, "the resource requires a stronger sign-in; read stepUp",
            fixedBy: "the user"),
        ErrorPage(
            .bindingMismatch, "a credential would go to a server that it was not obtained from; nothing was sent",
            fixedBy: "operator: check the descriptor; the user signs in again if the provider has moved"),
        ErrorPage(
            .undeclaredHost, "the token must not go to this host, or the host is local",
            fixedBy: "descriptor author: api.hosts; operator: localAccess"),
        ErrorPage(
            .valueRefused, "a captured value has a form that the descriptor does not allow",
            fixedBy: "descriptor author; or an attack"),
        ErrorPage(
            .valueMissing, "a value that a request needs was not captured",
            fixedBy: "descriptor author; the user signs in again"),
        ErrorPage(
            .choiceNeeded, "a lookup found several candidates and nobody chose",
            fixedBy: "developer: pass choosing:"),
        ErrorPage(
            .storage, "the tokens could not be saved; they are kept in memory until the next call",
            fixedBy: "operator"),
    ]
}
