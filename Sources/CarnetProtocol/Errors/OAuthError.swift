package import CarnetDescriptors
public import CarnetFoundation

/// A failed sign-in or call: the step, the rule that was broken, the server's error and what to do next.
///
/// It never contains a secret. `documentation` points to a description of its `kind`.
public struct OAuthError: Error, Hashable, Sendable {
    /// The step of the flow that failed.
    public enum Step: String, Hashable, Sendable, Codable {
        case configuration
        case discovery
        case registration = "client registration"
        case authorization
        case callback
        case pushedAuthorization = "pushed authorization request"
        case tokenRequest = "token request"
        case keys
        case idToken = "ID token"
        /// An access token that a request brought to a resource server.
        case accessToken = "access token"
        case exchange
        case connection
        case profile
        case clientCredentials = "client credentials"
        case deviceAuthorization = "device authorization"
        case tokenExchange = "token exchange"
        case jwtBearer = "JWT bearer grant"
        case refresh
        case resource
        case revocation
        case introspection
        case signOut = "sign-out"
        /// A logout that the provider requested.
        case logout
        case storage
    }

    /// How to react to an error.
    public enum Disposition: Hashable, Sendable {
        /// The session or the attempt has ended. Only a new sign-in helps.
        case signInAgain
        /// The tokens are kept. The same call may succeed later.
        case tryLater
        /// The descriptor, the registration or the call must be changed.
        case fixConfiguration
        /// The response or request was not trustworthy and was discarded.
        case refused
    }

    public var step: Step
    public var kind: Kind
    /// What happened, in one sentence.
    public var message: String
    /// The key of the descriptor that controls the broken rule, e.g. `endpoints.token`.
    public var descriptorKey: String?
    /// The HTTP status of the server's response.
    public var status: Int?
    /// The server's `error` and its description.
    public var server: ServerError?
    /// What to do next, by the cause of the error; `carnet explain KIND` prints those of all causes.
    public var hint: String? {
        get { next() }
        set { ownHint = newValue }
    }

    /// A hint with values that the table does not know; empty for none.
    var ownHint: String?
    /// The redirect URI of the sign-in, for its advice.
    var redirectURI: String?
    /// What a new sign-in must fulfil, for the kind `insufficientAuthentication`.
    public var stepUp: AuthenticationRequirements?
    /// When the server asked to be sent the next request, by this machine's clock: from `Retry-After` (RFC 9110, section
    /// 10.2.3), at most an hour after the response. `nil` if the server named no time.
    public var retryAt: Date?
    /// The scopes that a resource requires, for the kind `insufficientScope` (RFC 6750, section 3.1); empty if it names none.
    public var scopes: [String] = []

    package init(
        _ step: Step, _ kind: Kind, _ message: String, descriptorKey: String? = nil, status: Int? = nil,
        server: ServerError? = nil, hint: String? = nil, stepUp: AuthenticationRequirements? = nil, retryAt: Date? = nil
    ) {
        self.step = step
        self.kind = kind
        self.message = message
        self.descriptorKey = descriptorKey
        self.status = status
        self.server = server
        ownHint = hint
        self.stepUp = stepUp
        self.retryAt = retryAt
    }

    /// The same failure with another kind and message for this step. Status and server error are kept.
    package func meaning(_ kind: Kind, _ message: String, hint: String? = nil) -> OAuthError {
        var error = self
        (error.kind, error.message, error.ownHint) = (kind, message, hint)
        return error
    }

    public var disposition: Disposition {
        switch kind {
        case .transport, .serverUnavailable, .tooManyRequests, .storage: .tryLater
        case .unexpectedStatus: step == .refresh ? .tryLater : .fixConfiguration
        case .serverError:
            switch server?.code {
            // Nobody is there who could consent, or somebody consented already.
            case "access_denied"
            where [.clientCredentials, .jwtBearer, .tokenExchange, .registration, .resource].contains(step):
                .fixConfiguration
            case "invalid_grant", "access_denied", "login_required", "interaction_required", "consent_required",
                "unmet_authentication_requirements":
                .signInAgain
            case "temporarily_unavailable", "server_error", "slow_down": .tryLater
            default: .fixConfiguration
            }
        case .expiredAttempt, .alreadyUsed, .sessionEnded, .noRefreshToken, .cancelled, .unauthorized,
            .insufficientAuthentication, .authenticationTooOld, .authenticationTooWeak:
            .signInAgain
        case .missingEndpoint, .missingClientSecret, .missingClientKey, .missingClientCertificate, .badRegistration,
            .reservedParameter,
            .redirectNotAccepted, .choiceNeeded, .valueMissing, .undeclaredHost, .insufficientScope, .badHeader,
            .unsupported, .badDescriptor, .bindingMismatch:
            .fixConfiguration
        // During a refresh an unusable response, such as the login page of a network, does not end the session.
        default: step == .refresh ? .tryLater : .refused
        }
    }
}

extension OAuthError {
    /// The rule that was broken. Compare these, never the messages.
    public enum Kind: String, Hashable, Sendable {
        // Configuration
        case missingEndpoint, missingClientSecret, missingClientKey, missingClientCertificate, badRegistration,
            badDescriptor
        case reservedParameter, redirectNotAccepted, badHeader, unsupported
        // Transport and HTTP
        case transport, serverUnavailable, unexpectedStatus, unexpectedContentType, malformedBody
        /// The server limits requests (RFC 6585, section 4), or asked to wait, and nothing was sent: see `retryAt`.
        case tooManyRequests
        // Callback
        case malformedCallback, missingState, stateMismatch, duplicateParameter, redirectMismatch
        case missingIssuer, issuerMismatch, missingCode, unexpectedToken, expiredAttempt, alreadyUsed, providerMismatch
        case cancelled
        /// The server returned an OAuth error code.
        case serverError
        // Token response
        case missingField, wrongFieldType, unsupportedTokenType
        // Tokens as JWTs
        case malformedToken, unsupportedAlgorithm, criticalHeader, wrongTokenUse, keyNotFound, malformedKeys,
            badSignature, decryptionFailed
        case audienceMismatch, authorizedPartyMismatch, expiredToken, issuedInFuture, notYetValid
        case nonceMismatch, accessTokenHashMismatch, codeHashMismatch, subjectMismatch
        case authenticationTooOld, authenticationTooWeak
        // Using a session
        case valueRefused, valueMissing, choiceNeeded, badSignedCallback
        /// The metadata of a protected resource describes another resource.
        case resourceMismatch
        case sessionEnded, noRefreshToken, unauthorized, insufficientScope, undeclaredHost, storage
        /// A credential would go to a server that it was not obtained from. Nothing was sent.
        case bindingMismatch
        /// A resource requires another sign-in: see `stepUp`.
        case insufficientAuthentication
    }
}

extension OAuthError {
    /// Where its kind is described: the row of `Docs/errors.md`, relative to the root of Carnet's repository.
    package var documentation: String { "Docs/errors.md#\(kind.rawValue)" }
}

extension OAuthError: Described {
    package var summary: String {
        var text = "\(step.rawValue): \(message)"
        if let status { text += " (HTTP \(status))" }
        if let server { text += "; the server's error: \"\(server)\"" }
        if let descriptorKey { text += "; descriptor key: \(descriptorKey)" }
        if let hint { text += "; \(hint)" }
        return text
    }
}

extension OAuthError.Step {
    /// The grant whose tokens the step requests.
    package var grant: RequestKind? {
        switch self {
        case .tokenRequest: .token
        case .refresh: .refresh
        case .clientCredentials: .clientCredentials
        case .deviceAuthorization: .deviceToken
        case .tokenExchange: .tokenExchange
        case .jwtBearer: .jwtBearer
        default: nil
        }
    }

    /// The section of the descriptor that shapes the step.
    package var section: String {
        switch self {
        case .discovery, .profile, .revocation, .introspection, .exchange, .connection: rawValue
        case .keys: "endpoints.jwks"
        case .accessToken: "access_token"
        case .resource: "resources"
        case .signOut, .logout: "logout"
        case .registration: "endpoints.registration"
        case .pushedAuthorization: "authorization.pushed"
        case .deviceAuthorization: "device"
        default: grant?.section ?? "authorization"
        }
    }
}
