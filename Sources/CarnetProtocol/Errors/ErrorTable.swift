/// What an error of one kind means, and the next step for each of its causes.
///
/// These rows are the text of `carnet explain` and the source of `OAuthError.hint`; a test compares them with the page
/// `Docs/errors.md`. A place in the code gives a hint of its own only if it knows a value that the row does not.
package struct ErrorRow: Sendable {
    package let kind: OAuthError.Kind
    /// What happened.
    package let summary: String
    /// Who can fix it.
    package let fixedBy: String
    package let advice: [Advice]

    private init(_ kind: OAuthError.Kind, _ summary: String, fixedBy: String, _ advice: Advice...) {
        (self.kind, self.summary, self.fixedBy, self.advice) = (kind, summary, fixedBy, advice)
    }

    package static func of(_ kind: OAuthError.Kind) -> ErrorRow? { byKind[kind] }

    private static let byKind = Dictionary(all.map { ($0.kind, $0) }) { first, _ in first }
    private static let clientAuthentication = Advice.clientAuthentication
    private static let registeredRedirect = Advice.registeredRedirect
    /// The steps whose requests authenticate the client.
    private static let authenticatedSteps: [OAuthError.Step] = [
        .tokenRequest, .clientCredentials, .deviceAuthorization, .tokenExchange, .jwtBearer, .pushedAuthorization,
        .revocation, .introspection,
    ]
}

/// A cause of an error, and the next step.
package struct Advice: Sendable {
    /// The next step. `{sign_in}`, `{redirect_uri}`, `{key}` and `{section}` stand for what only the error or the program knows.
    package let next: String
    /// A cause that the code names itself, because no other member of the error shows it.
    private let name: String?
    private let codes: [String]
    /// The description of the server's error contains one word of each list.
    private let words: [[String]]
    private let statuses: ClosedRange<Int>?
    private let steps: [OAuthError.Step]
    /// The descriptor key that the error names.
    private let key: String?

    init(
        _ next: String, codes: [String] = [], statuses: ClosedRange<Int>? = nil, steps: [OAuthError.Step] = [],
        key: String? = nil, words: [[String]] = [], named name: String? = nil
    ) {
        (self.next, self.codes, self.statuses, self.steps, self.key, self.words, self.name) =
            (next, codes, statuses, steps, key, words, name)
    }

    /// When the step is the right one; empty for each error of the kind.
    package var cause: String {
        let statuses = statuses.map {
            $0.count == 1 ? "status \($0.lowerBound)" : "status \($0.lowerBound) to \($0.upperBound)"
        }
        let steps = steps.isEmpty ? nil : "step " + steps.map(\.rawValue).joined(separator: ", ")
        let parts = [
            name, codes.isEmpty ? nil : codes.joined(separator: ", "), statuses, steps, key.map { "key \($0)" },
            words.isEmpty
                ? nil
                : "the description has \(words.map { $0.joined(separator: " or ") }.joined(separator: ", and "))",
        ]
        return parts.compactMap { $0 }.joined(separator: "; ")
    }

    /// The next step for a page, without what only an error knows.
    package var text: String {
        [
            ("{sign_in}", "sign in again"), ("{redirect_uri}", ""), ("{key}", "the named key"),
            ("{section}", "the descriptor"), ("{scopes}", Self.documentedScopes),
        ].reduce(next) { text, word in text.replacing(word.0, with: word.1) }
    }

    func applies(to error: OAuthError) -> Bool {
        name == nil && (codes.isEmpty || error.server.map { codes.contains($0.code) } ?? false)
            && statuses.map { range in error.status.map { range.contains($0) } ?? false } ?? true
            && (steps.isEmpty || steps.contains(error.step)) && (key == nil || key == error.descriptorKey)
            && words.allSatisfy { list in
                let said = (error.server?.message ?? "").lowercased()
                return list.contains(where: said.contains)
            }
    }
}

extension Advice {
    static let clientAuthentication =
        "check the client id, the secret, the method (client.authentication) and its encoding (client.basic_encoding)"
    static let registeredRedirect = "check that exactly this redirect URI is registered{redirect_uri}"

    package static let later = Advice("try again later")
    static let report = Advice("report it to the provider")
    static let again = Advice("begin the sign-in again")
    static let documentedValue = Advice("write {key} into the descriptor, with the value that the provider documents")
    static let clock = Advice("check the clock of this machine")
    static let otherPage = Advice("check the URL; a proxy or a login page of the network may have responded")
    package static func registeringByHand(_ redirectURI: String) -> String {
        "register a client at the server by hand with the redirect URI \(redirectURI), and add --client-id ID"
    }
    static let initialToken = "check or add an initial access token, --token-env NAME, or register by hand"
    static let documentedScopes = "that the resource's documentation names"
    static let ownDescriptor =
        "check the URL; if it is the right server, write issuer beside resource in a descriptor"

    /// The certificate of the server has no authority that is trusted.
    package static let untrustedCertificate = Advice(
        "if a proxy inspects TLS, or the server has its own authority, trust it: SSL_CERT_FILE or --ca-file FILE; in a program, NetworkSettings",
        named: "the certificate is not trusted")
    package static let unknownHost = Advice(
        "check the spelling of the host name, then the connection to the network", named: "the host name was not found")
    package static let localHost = Advice(
        "if the provider is on this machine or network, allow its host: --allow-local; in a program, the transport's LocalAccess",
        named: "the host is local")
    package static let listener = Advice(
        "choose a loopback redirect URI with a free port, or carnet login --paste",
        named: "the callback cannot be received")
    package static let proxy = Advice(
        "check the proxy: HTTPS_PROXY and NO_PROXY; in a program, NetworkSettings", named: "the proxy does not connect")
    package static let handshake = Advice(
        "check the URL's scheme and port; the server must speak TLS 1.2 or 1.3, and may require a client certificate",
        named: "the TLS handshake failed")
    package static let otherHost = Advice(
        "check the host of the URL, and whether a proxy of your network responded",
        named: "the certificate is of another host")
}

extension OAuthError {
    /// How a program names what the table leaves open.
    package struct Words: Sendable {
        /// The way to sign in.
        package var signIn: String
        package var redirectURI: String?
        /// Whether the error may be that of a session.
        private(set) var hasSession = true

        /// For the author of a descriptor, who has no session.
        package static var ofDescriptor: Words {
            var words = Words()
            words.hasSession = false
            return words
        }

        package init(signIn: String = "sign in again", redirectURI: String? = nil) {
            (self.signIn, self.redirectURI) = (signIn, redirectURI)
        }
    }

    /// The next step: the hint of the place that threw the error, else that of its cause in the table.
    package func next(_ words: Words = Words()) -> String? {
        let continuation = words.hasSession ? continuation : nil
        let own = ownHint ?? ErrorRow.of(kind)?.advice.first { $0.applies(to: self) }?.next
        let isLater = own == Advice.later.next && continuation != nil
        // It says how to sign in already.
        let further =
            step == .refresh && own?.contains("{sign_in}") == true
            ? continuation.map { _ in "the session is kept" } : continuation
        var text = [isLater ? nil : own, further].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "; ")
        guard !text.isEmpty else { return nil }
        let uri = redirectURI ?? words.redirectURI
        for (name, value) in [
            ("sign_in", words.signIn), ("redirect_uri", uri.map { ": \($0)" } ?? ""),
            ("key", descriptorKey ?? "the descriptor"),
            ("section", step.section),
            ("scopes", scopes.isEmpty ? Advice.documentedScopes : scopes.joined(separator: " ").quotable(limit: 1000)),
        ] where text.contains("{\(name)}") {
            text = text.replacing("{\(name)}", with: value)
        }
        return text
    }

    /// What becomes of the session if a refresh failed, and of the tokens if a revocation failed.
    private var continuation: String? {
        if step == .revocation, server?.code != "invalid_token" {
            return "the tokens are removed here and may stay valid; end them at the provider"
        }
        guard step == .refresh else { return nil }
        switch kind {
        case .sessionEnded, .noRefreshToken: return nil
        case .transport, .serverUnavailable, .tooManyRequests:
            return "the session is kept, and the next refresh tries again"
        case .serverError where server?.code == "invalid_client": return "the session is kept"
        default: return "the session is kept; if it fails again, {sign_in}"
        }
    }
}

extension ErrorRow {
    package static let all: [ErrorRow] = [
        ErrorRow(
            .missingEndpoint, "the descriptor and the metadata name no such endpoint", fixedBy: "descriptor author",
            Advice("add {key} to the descriptor, with the URL that the provider documents")),
        ErrorRow(
            .missingClientSecret, "the method of client authentication needs a secret", fixedBy: "operator",
            Advice("give the client its secret: --client-secret-env NAME, or client_secret_file in the clients file")),
        ErrorRow(
            .missingClientKey, "the method needs a private key", fixedBy: "operator",
            Advice("give the client its key: client_key_file in the clients file, or signingKey of the registration")),
        ErrorRow(
            .missingClientCertificate, "the method needs a certificate", fixedBy: "operator",
            Advice(
                "give the client its certificate: client_certificate_file in the clients file, or certificate of the registration"
            )),
        ErrorRow(
            .badRegistration, "the registration contradicts the descriptor, the site or the stored tokens",
            fixedBy: "operator",
            Advice("request what the server registers; see client in the descriptor", steps: [.registration]),
            Advice("sign in again with this registration, or use the earlier one", steps: [.storage])),
        ErrorRow(
            .badDescriptor, "the descriptor lacks something that the response requires", fixedBy: "descriptor author",
            Advice(
                "add the issuer; or, if nothing needs the ID token, id_token: { none: REASON }", steps: [.idToken],
                key: "issuer"), Advice(Advice.ownDescriptor, steps: [.discovery], key: "resource"), .documentedValue),
        ErrorRow(
            .reservedParameter, "the call sets a parameter or claim that the protocol sets", fixedBy: "developer",
            Advice("remove it from the options, the URL or the descriptor")),
        ErrorRow(
            .redirectNotAccepted, "the redirect URI has none of the descriptor's redirects forms", fixedBy: "operator"),
        ErrorRow(.badHeader, "a header or URL of the call cannot be sent", fixedBy: "developer"),
        ErrorRow(
            .unsupported, "the combination is not supported", fixedBy: "developer", .listener,
            Advice(
                "choose a server by --authorization-host, or write issuer beside resource in a descriptor",
                steps: [.discovery]),
            Advice(
                "register back-channel logout at the provider, or set logout.front_channel: true", steps: [.logout],
                key: "logout.front_channel"),
            Advice("register again, or change the registration in the provider's console", steps: [.registration]),
            Advice("request larger pages in the parameters of the request, or fewer elements", steps: [.profile])),
        ErrorRow(
            .transport, "no response: name lookup, connection, TLS or timeout",
            fixedBy: "nobody; the operator if it persists", .untrustedCertificate, .otherHost, .handshake, .unknownHost,
            .proxy, Advice("begin the sign-in again: a code is used once", steps: [.tokenRequest]), .later),
        ErrorRow(
            .serverUnavailable, "the server failed (5xx or 408)", fixedBy: "the provider",
            Advice("the network wants a sign-in: open a browser", statuses: 511...511), .later),
        ErrorRow(
            .tooManyRequests,
            "the server limits requests (429), or asked to wait, and nothing was sent; retryAt says until when",
            fixedBy: "nobody; the developer sends fewer requests", .later),
        ErrorRow(
            .unexpectedStatus, "the status is not one of success, and there is no error code",
            fixedBy: "descriptor author",
            Advice(
                "if it is the right server, write issuer and endpoints beside resource in a descriptor",
                statuses: 300...499, steps: [.discovery], key: "resource"),
            Advice(
                "if the response is complete, add the status to token.response.success.statuses", statuses: 200...299),
            Advice(
                "if the address is the provider's, set discovery_url to it", statuses: 300...399, steps: [.discovery]),
            Advice(
                "if the address is the provider's, call it instead: the redirect is not followed", statuses: 300...399,
                steps: [.resource]),
            Advice(
                "if the address is the provider's, write it into {key}: the redirect is not followed",
                statuses: 300...399),
            Advice("check the URL and the method of the call", statuses: 404...405, steps: [.resource]),
            Advice("check the URL in {key}", statuses: 404...405),
            Advice(Advice.initialToken, statuses: 401...403, steps: [.registration]),
            Advice(clientAuthentication, statuses: 401...401, steps: authenticatedSteps),
            Advice(
                "the provider, a firewall or a proxy refused; --verbose shows the whole response", statuses: 403...403),
            Advice("the proxy wants a user and a password: write them into its URL", statuses: 407...407),
            Advice("the request is too large: check the scopes and parameters", statuses: 413...414),
            Advice("check the encoding of the request in {section}", statuses: 415...415),
            Advice("--verbose shows the whole response", statuses: 400...499)),
        ErrorRow(
            .unexpectedContentType, "the response has another media type than the standard or the descriptor says",
            fixedBy: "descriptor author", .otherPage),
        ErrorRow(.malformedBody, "the body is not valid JSON, form or JWT", fixedBy: "the provider", .report),
        ErrorRow(
            .serverError, "the server returned an OAuth error code; read server", fixedBy: "by code",
            Advice(
                "give the client its secret: --client-secret-env NAME, or client_secret_file in the clients file; if it has one, check client.authentication",
                words: [["client_secret", "client secret"], ["missing", "required", "must contain"]]),
            Advice(Advice.initialToken, statuses: 401...403, steps: [.registration]),
            Advice(
                "if localhost is required, add --redirect-uri http://localhost/callback",
                codes: ["invalid_redirect_uri"], steps: [.registration]),
            Advice(clientAuthentication, codes: ["invalid_client"]),
            Advice(
                "begin the sign-in again; if it fails again, \(registeredRedirect)", codes: ["invalid_grant"],
                steps: [.tokenRequest]),
            Advice(registeredRedirect, codes: ["redirect_uri_mismatch", "invalid_redirect_uri"]),
            Advice(
                registeredRedirect, codes: ["invalid_request"],
                steps: [.tokenRequest, .callback, .pushedAuthorization]),
            Advice(
                "check the client id, and allow this grant for the client at the provider",
                codes: ["unauthorized_client", "unsupported_grant_type", "unsupported_response_type"]),
            Advice("request other scopes; see scopes in the descriptor", codes: ["invalid_scope"]),
            Advice("request a resource that the server knows", codes: ["invalid_target", "invalid_resource"]),
            Advice("check the clock of this machine", codes: ["invalid_dpop_proof"]),
            Advice(
                "report it to the provider: it sends no DPoP-Nonce, or rejects the nonce that it sent",
                codes: ["use_dpop_nonce"]),
            Advice("nothing is left to revoke: the token is not valid", codes: ["invalid_token"], steps: [.revocation]),
            Advice(
                "have the provider's administrator allow this client", codes: ["access_denied"],
                steps: [.clientCredentials, .jwtBearer, .tokenExchange]),
            Advice("register a client at the provider by hand", codes: ["access_denied"], steps: [.registration]),
            Advice("ask the provider whether the account is blocked", codes: ["access_denied"], steps: [.refresh]),
            Advice("begin again and give consent", codes: ["access_denied", "consent_required"]),
            Advice(
                "{sign_in}",
                codes: ["login_required", "interaction_required", "unmet_authentication_requirements", "mfa_required"]),
            Advice("try again later", codes: ["temporarily_unavailable", "server_error", "slow_down"]),
            Advice(
                "if the code means an ended session, a descriptor can map it in token.response.errors.codes",
                steps: [.refresh]),
            Advice(
                "begin the sign-in again; the provider's documentation explains the code",
                steps: [.tokenRequest, .callback, .deviceAuthorization]),
            Advice("the provider's documentation explains the code")),
        ErrorRow(.malformedCallback, "the parameters or the code cannot be read", fixedBy: "the provider", .again),
        ErrorRow(.missingState, "the callback has no state", fixedBy: "the provider, or an attack", .again),
        ErrorRow(
            .stateMismatch, "state belongs to another attempt", fixedBy: "the user begins again; or an attack",
            Advice("begin again in this browser; if it happens again, the callback may be forged")),
        ErrorRow(.duplicateParameter, "a parameter occurs twice", fixedBy: "the provider, or an attack", .again),
        ErrorRow(
            .redirectMismatch, "the callback arrived at another address than the redirect URI", fixedBy: "operator",
            Advice(registeredRedirect)),
        ErrorRow(
            .missingIssuer, "iss is missing although the metadata announces it (RFC 9207)", fixedBy: "the provider",
            Advice("report it: the server announces iss and does not send it")),
        ErrorRow(
            .issuerMismatch, "the metadata, callback or token names another issuer",
            fixedBy: "descriptor author: issuer, issuer_match; or an attack",
            Advice(Advice.ownDescriptor, steps: [.discovery], key: "resource"),
            Advice("both must be equal, a final / included; correct the issuer, or see issuer_match")),
        ErrorRow(
            .missingCode, "there is neither a code nor an error", fixedBy: "the provider",
            Advice("read the names of the parameters; if they report an error, name them in callback.rename")),
        ErrorRow(
            .unexpectedToken, "the callback contains a token", fixedBy: "the provider, or an attack",
            Advice("the client must be registered for the code flow (response_type=code)")),
        ErrorRow(
            .expiredAttempt,
            "the callback came later than AuthorizationOptions.lifetime (600 seconds), or the user agent timed out",
            fixedBy: "the user",
            Advice("begin the sign-in again; if the page showed an error, \(registeredRedirect)", steps: [.callback]),
            Advice("begin again")),
        ErrorRow(.alreadyUsed, "this callback or logout token was used before", fixedBy: "the user", .again),
        ErrorRow(
            .providerMismatch, "the attempt began at another provider, or with other inputs", fixedBy: "developer",
            .again),
        ErrorRow(
            .badSignedCallback, "the callback's signature is missing or wrong (callback.verify)",
            fixedBy: "operator: the secret; or an attack",
            Advice("check the client secret; the callback may also be forged")),
        ErrorRow(
            .cancelled, "the person closed the page, or the task was cancelled during a revocation or lookup",
            fixedBy: "the user"),
        ErrorRow(
            .missingField, "a required field is missing", fixedBy: "descriptor author: token.response.fields",
            Advice("request the scope openid, or set endpoints.userinfo", key: "profile.from"),
            Advice(
                "if they state an error, see token.response.errors and token.response.success",
                key: "token.response.errors"),
            Advice("add token.response.default_token_type", key: "token.response.fields.token_type"),
            Advice("if another member names the user, write its place into {key}", steps: [.profile]),
            Advice(Advice.ownDescriptor, steps: [.discovery], key: "resource"),
            Advice(
                "check the URL; if it is the right server, write discovery: none and its endpoints into the descriptor",
                steps: [.discovery]), Advice(Advice.report.next, steps: [.idToken, .pushedAuthorization]),
            Advice(
                "if another member has it, write its place into {key}",
                steps: [.tokenRequest, .clientCredentials, .tokenExchange, .jwtBearer, .deviceAuthorization])),
        ErrorRow(
            .wrongFieldType, "a field or claim has the wrong type", fixedBy: "descriptor author, or the provider",
            Advice(Advice.ownDescriptor, steps: [.discovery], key: "resource"),
            Advice("if the provider documents another value, write it into {key}", steps: [.discovery]), .report),
        ErrorRow(
            .unsupportedTokenType, "the client cannot use this token_type", fixedBy: "descriptor author",
            Advice(
                "enable DPoP for the client at the provider, or remove {key}", key: "client.dpop_bound_access_tokens"),
            Advice("if the API takes such tokens as Bearer, add the type to {key}")),
        ErrorRow(.malformedToken, "it is not a valid JWT", fixedBy: "the provider", .report),
        ErrorRow(
            .unsupportedAlgorithm, "its algorithm is not accepted", fixedBy: "descriptor author: id_token.algorithms",
            Advice("if the provider has changed its algorithm, name both in {key}", steps: [.logout]),
            Advice("if the provider documents it, add it to {key}")),
        ErrorRow(
            .criticalHeader, "it has a crit header that the client does not know", fixedBy: "the provider", .report),
        ErrorRow(
            .wrongTokenUse, "it is a token of another kind", fixedBy: "the provider, or an attack",
            Advice(
                "if the provider issues such access tokens, name a claim there that its ID tokens do not have",
                key: "access_token.marked_by"), Advice(Advice.report.next, steps: [.idToken])),
        ErrorRow(
            .keyNotFound, "the key set has no fitting key",
            fixedBy: "the provider; it recovers when new keys are published",
            Advice("compare kid and alg with the keys at endpoints.jwks; after a change of keys, try again in a minute")
        ),
        ErrorRow(
            .malformedKeys, "the key set cannot be read", fixedBy: "the provider",
            Advice("{sign_in}", steps: [.storage]),
            Advice("check the URL in endpoints.jwks: it must be that of a JWK set", steps: [.keys])),
        ErrorRow(
            .badSignature, "the signature is wrong", fixedBy: "an attack, or the wrong key set",
            Advice("check that endpoints.jwks has the keys of this issuer", steps: [.idToken, .refresh])),
        ErrorRow(
            .decryptionFailed, "it cannot be decrypted", fixedBy: "operator: the decryption key",
            Advice("add the private key of the public key that is registered at the provider")),
        ErrorRow(
            .audienceMismatch, "it is for another client", fixedBy: "operator: the client id; or an attack",
            Advice(
                "if the further audiences belong to this client's own services, name them in {key}",
                key: "id_token.other_audiences"),
            Advice("check the client id", steps: [.idToken, .callback, .logout, .refresh])),
        ErrorRow(
            .authorizedPartyMismatch, "azp names another client", fixedBy: "the provider, or an attack",
            Advice("check the client id")),
        ErrorRow(.expiredToken, "its expiry has passed", fixedBy: "operator: the clock; or a replay", .clock),
        ErrorRow(.issuedInFuture, "iat is in the future", fixedBy: "operator: the clock", .clock),
        ErrorRow(.notYetValid, "nbf is in the future", fixedBy: "operator: the clock", .clock),
        ErrorRow(
            .nonceMismatch, "nonce belongs to another attempt", fixedBy: "an attack",
            Advice(
                "begin the sign-in again; for a provider that never repeats it, authorization.nonce: { none: REASON }",
                steps: [.idToken])),
        ErrorRow(.accessTokenHashMismatch, "at_hash does not fit the access token", fixedBy: "an attack", .report),
        ErrorRow(.codeHashMismatch, "c_hash does not fit the code", fixedBy: "an attack"),
        ErrorRow(
            .subjectMismatch, "another user than expected", fixedBy: "the user chooses the right account; or an attack",
            Advice("if another member names the user, write its place into {key}", steps: [.profile]),
            Advice("choose the account that signed in before")),
        ErrorRow(
            .authenticationTooOld, "the user signed in earlier than maxAge allows", fixedBy: "the user",
            Advice("sign in again with prompt=login")),
        ErrorRow(
            .authenticationTooWeak, "the sign-in has none of the required acr values", fixedBy: "the user",
            Advice("sign in again in a stronger way")),
        ErrorRow(
            .resourceMismatch, "the metadata of a protected resource describes another resource",
            fixedBy: "descriptor author: resource; or an attack",
            Advice(
                "use the URL of the resource that the metadata names; if it is the right server, write issuer beside resource in a descriptor"
            )),
        ErrorRow(
            .sessionEnded, "the provider ended the session, or nobody is signed in", fixedBy: "the user",
            Advice("{sign_in}")),
        ErrorRow(
            .noRefreshToken, "the access token expired and there is no refresh token",
            fixedBy: "the user; the developer requests offline access",
            Advice("{sign_in}; request offline access if the provider requires it")),
        ErrorRow(
            .unauthorized, "the API rejected a fresh access token", fixedBy: "the user",
            Advice("the registration was deleted, or its token was replaced: register again", steps: [.registration]),
            Advice("{sign_in}")),
        ErrorRow(
            .insufficientScope, "the resource needs scopes that were not granted",
            fixedBy: "developer: request them; the user grants them", Advice("sign in with the scopes {scopes}")),
        ErrorRow(
            .insufficientAuthentication, "the resource requires a stronger sign-in; read stepUp", fixedBy: "the user"),
        ErrorRow(
            .bindingMismatch, "a credential would go to a server that it was not obtained from; nothing was sent",
            fixedBy: "operator: check the descriptor; the user signs in again if the provider has moved",
            Advice("nothing was sent; sign in again at this resource", steps: [.storage])),
        ErrorRow(
            .undeclaredHost, "the token must not go to this host, or the host is local",
            fixedBy: "descriptor author: api.hosts; operator: localAccess", .localHost,
            Advice("if the host belongs to the provider, add it to api.hosts or to a resource map", key: "api.hosts")),
        ErrorRow(
            .valueRefused, "a captured value has a form that the descriptor does not allow",
            fixedBy: "descriptor author; or an attack"),
        ErrorRow(
            .valueMissing, "a value that a request needs was not captured",
            fixedBy: "descriptor author; the user signs in again"),
        ErrorRow(
            .choiceNeeded, "a lookup found several candidates and nobody chose", fixedBy: "developer: pass choosing:",
            Advice("the tokens are kept; pass choosing: and connect again")),
        ErrorRow(
            .storage, "the tokens could not be saved; they are kept in memory until the next call", fixedBy: "operator",
            Advice(
                "kept in memory: repair the store before the program ends; the next call saves them", steps: [.storage])
        ),
    ]
}
