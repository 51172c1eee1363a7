import CarnetDescriptors
import CarnetFoundation

/// How one client authenticates at one provider (RFC 6749, section 2.3.1): with exactly one method in each request.
struct ClientAuthentication {
    /// How a client that may use the Basic header sends its id and secret.
    enum Form {
        /// In the way of the method; in the Basic header, with the encoding that the descriptor names or the standard.
        case usual
        /// In the Basic header without percent-encoding, for servers that do not decode.
        case raw
        /// In the body, for servers that accept both methods and this client with one of them.
        case body
    }

    let method: ClientAuthenticationMethod
    /// The forms to try if the server refuses the usual one. Empty if the descriptor or the registration decides.
    let otherForms: [Form]
    private let registration: ClientRegistration
    private let assertion: ClientAssertion?

    /// - Throws: `OAuthError` if the registration lacks the secret or key that the provider requires, or has one that
    /// no method uses.
    ///
    /// - Parameters:
    ///   - own: The method that the descriptor names for this request, used if the registration has its credentials.
    ///   - usesKeyElsewhere: Whether the registration's key has another use, such as signed requests.
    init(
        _ registration: ClientRegistration, at provider: some DiscoveredStage, own: ClientAuthenticationMethod? = nil,
        usesKeyElsewhere: Bool = false
    ) throws(OAuthError) {
        guard !registration.clientID.isEmpty else {
            throw OAuthError(.configuration, .badRegistration, "the client id is empty")
        }
        if let secret = registration.clientSecret, secret.isEmpty {
            throw OAuthError(
                .configuration, .badRegistration, "the client secret is empty",
                hint: "for a public client, pass no secret")
        }
        let accepted = provider.client.authentication
        guard
            let method = registration.authenticationMethod
                ?? accepted.best(
                    for: registration,
                    usesKeyElsewhere: usesKeyElsewhere || provider.authorization.requestObject.isDemanded
                        || provider.grantsWithoutPage.contains(.jwtBearer))
        else { throw Self.noMethod(for: registration, at: provider) }
        guard accepted.contains(method), method.fits(registration) else {
            throw OAuthError(
                .configuration, method.isLackingCredentials(of: registration) ?? .badRegistration,
                "the authentication method \(method.rawValue) does not fit the credentials of the registration",
                descriptorKey: "client.authentication",
                hint: "accepted: " + accepted.map(\.rawValue).joined(separator: ", "))
        }
        guard registration.certificate != nil || !registration.bindsTokensToCertificate(at: provider) else {
            throw OAuthError(
                .configuration, .missingClientCertificate,
                "\(provider.name) binds tokens to a client certificate, and the registration has none",
                descriptorKey: "client.tls_client_certificate_bound_access_tokens")
        }
        let used = own.flatMap { $0.isLackingCredentials(of: registration) == nil ? $0 : nil } ?? method
        self.method = used
        otherForms =
            used == .clientSecretBasic
            ? Self.otherForms(of: registration, at: provider, isMethodNamed: own != nil) : []
        self.registration = registration
        switch (used, registration.signingKey, registration.clientSecret) {
        case (.privateKeyJWT, let key?, _): assertion = try ClientAssertion(key, of: registration, at: provider)
        case (.clientSecretJWT, _, let secret?):
            assertion = try ClientAssertion(secret, of: registration, at: provider)
        default: assertion = nil
        }
    }

    private static func otherForms(
        of registration: ClientRegistration, at provider: some DiscoveredStage, isMethodNamed: Bool
    ) -> [Form] {
        let (id, secret) = (registration.clientID, registration.clientSecret?.reveal() ?? "")
        // A server splits the pair at the first colon.
        let hasRaw =
            provider.client.basicEncoding == nil && !id.utf8.contains(UInt8(ascii: ":"))
            && (PercentEncoding.encode(id) != id || PercentEncoding.encode(secret) != secret)
        let hasBody =
            !isMethodNamed && registration.authenticationMethod == nil
            && provider.client.announced.contains(.clientSecretPost)
        return (hasRaw ? [.raw] : []) + (hasBody ? [.body] : [])
    }

    /// Adds the client's parameters.
    ///
    /// - Parameter context: Has the provider and the registration that the method was chosen for.
    /// - Returns: The Authorization header's value, for the method that uses one.
    func apply(
        to parameters: inout RequestParameters, in form: Form = .usual, _ context: RequestContext<some DiscoveredStage>
    ) throws(OAuthError) -> Secret? {
        let provider = context.provider
        switch form == .body ? .clientSecretPost : method {
        // The certificate is in the handshake; the id says whose it should be (RFC 8705, section 2).
        case .none, .tlsClientAuth, .selfSignedTLSClientAuth:
            try parameters.add(.clientID, registration.clientID)
        case .clientSecretPost:
            try parameters.add(.clientID, registration.clientID)
            if let secret = registration.clientSecret { try parameters.add(.clientSecret, secret) }
        case .clientSecretBasic:
            if let secret = registration.clientSecret { parameters.hide(secret) }
            let isRaw = form == .raw || provider.client.basicEncoding == .raw
            let encode: (String) -> String = isRaw ? { $0 } : { PercentEncoding.encode($0) }
            return .basic(encode(registration.clientID), encode(registration.clientSecret?.reveal() ?? ""))
        case .clientSecretJWT, .privateKeyJWT:
            try parameters.add(.clientID, registration.clientID)
            guard let token = try assertion?.make(for: provider, random: context.random, now: context.now) else {
                return nil
            }
            if provider.client.assertion.sendAs == .clientAssertion {
                try parameters.add(.clientAssertionType, ClientAssertion.type)
            }
            try parameters.add(
                provider.client.assertion.sendAs == .clientAssertion ? .clientAssertion : .clientSecret, token)
        }
        return nil
    }

    private static func noMethod(for registration: ClientRegistration, at provider: some DiscoveredStage) -> OAuthError
    {
        let accepted = provider.client.authentication
        let name = provider.name
        let (kind, message): (OAuthError.Kind, String) =
            if registration.clientSecret != nil {
                (.badRegistration, "\(name) accepts no client secret, and the registration has one")
            } else if registration.signingKey != nil {
                (.badRegistration, "\(name) accepts no signed assertions, and the registration has a private key")
            } else if registration.certificate != nil {
                (.badRegistration, "\(name) accepts no client certificate, and the registration has one")
            } else if accepted.allSatisfy(\.usesCertificate) {
                (.missingClientCertificate, "\(name) requires a client certificate, and the registration has none")
            } else if accepted.contains(where: \.usesSecret) {
                (.missingClientSecret, "\(name) requires a client secret, and the registration has none")
            } else {
                (.missingClientKey, "\(name) requires a private key, and the registration has none")
            }
        return OAuthError(
            .configuration, kind, message, descriptorKey: "client.authentication",
            hint: "accepted: " + accepted.map(\.rawValue).joined(separator: ", "))
    }
}

extension Secret {
    /// The value of the Authorization header for the scheme Basic (RFC 6749, section 2.3.1).
    fileprivate static func basic(_ id: String, _ secret: String) -> Secret {
        Secret("Basic " + Data("\(id):\(secret)".utf8).base64EncodedString())
    }
}

extension [ClientAuthenticationMethod] {
    /// The first method that the registration's credentials fit: a certificate before a key, a key before a secret.
    fileprivate func best(for registration: ClientRegistration, usesKeyElsewhere: Bool) -> ClientAuthenticationMethod? {
        if registration.certificate != nil, let method = first(where: \.usesCertificate) { return method }
        if registration.signingKey != nil, let method = first(where: \.usesKey) { return method }
        if registration.clientSecret != nil { return first(where: \.usesSecret) }
        return registration.signingKey == nil || usesKeyElsewhere ? first { $0 == .none } : nil
    }
}

extension ClientAuthenticationMethod {
    /// Whether the registration has the credentials of the method. An unused secret was meant for another method.
    fileprivate func fits(_ registration: ClientRegistration) -> Bool {
        isLackingCredentials(of: registration) == nil && (self != .none || registration.clientSecret == nil)
    }

    /// The error kind for missing credentials of a method.
    fileprivate func isLackingCredentials(of registration: ClientRegistration) -> OAuthError.Kind? {
        if usesKey, registration.signingKey == nil { return .missingClientKey }
        if usesCertificate, registration.certificate == nil { return .missingClientCertificate }
        if usesSecret, registration.clientSecret == nil { return .missingClientSecret }
        return nil
    }
}
