/// What went wrong, at which step, by whose words, and what to do next. Never holds a secret.
public struct OAuthError: Error, Hashable, Sendable {
    /// Where in the flow it happened.
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
        /// A logout that the provider tells of.
        case logout
        case storage
    }

    /// What it means for the person in front of the screen.
    public enum Disposition: String, Hashable, Sendable {
        /// The session or the attempt is over; only a new sign-in helps.
        case signInAgain
        /// Nothing is lost; the same call may succeed later.
        case tryLater
        /// The descriptor, the registration or the call must be changed.
        case fixConfiguration
        /// What arrived was not trustworthy and was discarded.
        case refused
    }

    public var step: Step
    public var kind: Kind
    /// What happened, in one sentence.
    public var message: String
    /// The key of the descriptor that governs it, e.g. `endpoints.token`.
    public var descriptorKey: String?
    /// The HTTP status that the server answered with.
    public var status: Int?
    /// The server's own words.
    public var server: ServerWords?
    /// What to do next.
    public var hint: String?
    /// What a new sign-in must meet, for the kind `insufficientAuthentication`.
    public var stepUp: StepUp?

    public init(
        _ step: Step,
        _ kind: Kind,
        _ message: String,
        descriptorKey: String? = nil,
        status: Int? = nil,
        server: ServerWords? = nil,
        hint: String? = nil,
        stepUp: StepUp? = nil
    ) {
        self.step = step
        self.kind = kind
        self.message = message
        self.descriptorKey = descriptorKey
        self.status = status
        self.server = server
        self.hint = hint
        self.stepUp = stepUp
    }

    /// The same failure with what it means at this place, the server's words and status kept.
    package func meaning(_ kind: Kind, _ message: String, hint: String) -> OAuthError {
        var error = self
        (error.kind, error.message, error.hint) = (kind, message, hint)
        return error
    }

    public var disposition: Disposition {
        switch kind {
        case .transport, .serverUnavailable, .storage: .tryLater
        case .unexpectedStatus: step == .refresh ? .tryLater : .fixConfiguration
        case .serverError:
            switch server?.code {
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
        // The session goes on when a refresh brings nothing that can be used, such as the login page of a network.
        default: step == .refresh ? .tryLater : .refused
        }
    }
}

extension OAuthError {
    /// Which rule was broken. Tests and hosts compare these, never the sentences.
    public enum Kind: String, Hashable, Sendable {
        // Configuration
        case missingEndpoint, missingClientSecret, missingClientKey, missingClientCertificate, badRegistration,
            badDescriptor
        case reservedParameter, redirectNotAccepted, badHeader, unsupported
        // Transport and HTTP
        case transport, serverUnavailable, unexpectedStatus, unexpectedContentType, malformedBody
        // Callback
        case malformedCallback, missingState, stateMismatch, duplicateParameter, redirectMismatch
        case missingIssuer, issuerMismatch, missingCode, unexpectedToken, expiredAttempt, alreadyUsed, providerMismatch
        case cancelled
        /// The server said no, with an OAuth error code.
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
        case sessionEnded, noRefreshToken, unauthorized, insufficientScope, undeclaredHost, storage
        /// The credentials were made for other servers than those that the descriptor or the metadata names now. Nothing
        /// was sent.
        case bindingMismatch
        /// A resource wants another sign-in: see `stepUp`.
        case insufficientAuthentication
    }
}

extension OAuthError: CustomStringConvertible {
    public var description: String {
        var text = "\(step.rawValue): \(message)"
        if let status { text += " (HTTP \(status))" }
        if let server { text += "; the server says: \(server)" }
        if let descriptorKey { text += "; governed by \(descriptorKey)" }
        if let hint { text += "; \(hint)" }
        return text
    }
}
