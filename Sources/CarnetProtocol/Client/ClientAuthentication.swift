import CarnetDescriptors
import CarnetFoundation

/// How one client authenticates at one provider (RFC 6749, section 2.3.1): with exactly one method, never by trial.
struct ClientAuthentication {
    let method: ClientAuthenticationMethod
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
                .configuration,
                .badRegistration,
                "the client secret is empty",
                hint: "for a public client, pass no secret"
            )
        }
        let accepted = provider.client.authentication
        guard
            let method = registration.authenticationMethod
                ?? accepted.best(
                    for: registration,
                    usesKeyElsewhere: usesKeyElsewhere || provider.authorization.requestObject.isDemanded)
        else {
            throw Self.noMethod(for: registration, at: provider)
        }
        guard accepted.contains(method), method.fits(registration) else {
            throw OAuthError(
                .configuration,
                method.isLackingCredentials(of: registration) ?? .badRegistration,
                "the authentication method \(method.rawValue) does not fit the credentials of the registration",
                descriptorKey: "client.authentication",
                hint: "accepted: " + accepted.map(\.rawValue).joined(separator: ", ")
            )
        }
        guard registration.certificate != nil || !registration.bindsTokensToCertificate(at: provider) else {
            throw OAuthError(
                .configuration,
                .missingClientCertificate,
                "\(provider.name) binds tokens to a client certificate, and the registration has none",
                descriptorKey: "client.tls_client_certificate_bound_access_tokens"
            )
        }
        let used = own.flatMap { $0.isLackingCredentials(of: registration) == nil ? $0 : nil } ?? method
        self.method = used
        self.registration = registration
        switch (used, registration.signingKey, registration.clientSecret) {
        case (.privateKeyJWT, let key?, _): assertion = try ClientAssertion(key, of: registration, at: provider)
        case (.clientSecretJWT, _, let secret?):
            assertion = try ClientAssertion(secret, of: registration, at: provider)
        default: assertion = nil
        }
    }

    /// Adds the client's parameters.
    ///
    /// - Parameter context: Has the provider and the registration that the method was chosen for.
    /// - Returns: The Authorization header's values, for the method that uses one.
    func apply(
        to parameters: inout RequestParameters, in context: RequestContext<some DiscoveredStage>
    ) throws(OAuthError) -> BasicCredentials? {
        let provider = context.provider
        switch method {
        // The certificate is in the handshake; the id says whose it should be (RFC 8705, section 2).
        case .none, .tlsClientAuth, .selfSignedTLSClientAuth:
            try parameters.add(.clientID, registration.clientID)
        case .clientSecretPost:
            try parameters.add(.clientID, registration.clientID)
            if let secret = registration.clientSecret { try parameters.add(.clientSecret, secret) }
        case .clientSecretBasic:
            if let secret = registration.clientSecret { parameters.hide(secret) }
            return BasicCredentials(registration, encoding: provider.client.basicEncoding)
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

/// The values of the Authorization header for the scheme Basic (RFC 6749, section 2.3.1).
struct BasicCredentials {
    let used: Secret
    /// The same id and secret in the other encoding, for servers that do not decode; `nil` if both are equal, the descriptor
    /// names the encoding, or the id has a colon, at which a server would split the pair.
    let other: Secret?

    /// - Parameter encoding: The one that the descriptor names.
    init(_ registration: ClientRegistration, encoding: BasicEncoding?) {
        let (id, secret) = (registration.clientID, registration.clientSecret?.reveal() ?? "")
        let raw = Self.value(id + ":" + secret)
        let percent = Self.value(PercentEncoding.encode(id) + ":" + PercentEncoding.encode(secret))
        used = encoding == .raw ? raw : percent
        other = encoding != nil || raw == percent || id.utf8.contains(UInt8(ascii: ":")) ? nil : raw
    }

    private static func value(_ pair: String) -> Secret { Secret("Basic " + Base64.encode(Array(pair.utf8))) }
}

extension [ClientAuthenticationMethod] {
    /// The first method that the registration's credentials fit: a certificate before a key, a key before a secret.
    fileprivate func best(
        for registration: ClientRegistration, usesKeyElsewhere: Bool
    ) -> ClientAuthenticationMethod? {
        if registration.certificate != nil, let method = first(where: \.usesCertificate) { return method }
        if registration.signingKey != nil, let method = first(where: \.usesKey) { return method }
        if registration.clientSecret != nil { return first(where: \.usesSecret) }
        return registration.signingKey == nil || usesKeyElsewhere ? first { $0 == .none } : nil
    }
}

extension ClientAuthenticationMethod {
    /// Whether the registration has the credentials of the method. An unused secret was meant for another method.
    fileprivate func fits(_ registration: ClientRegistration) -> Bool {
        if usesKey { return registration.signingKey != nil }
        if usesCertificate { return registration.certificate != nil }
        return usesSecret == (registration.clientSecret != nil)
    }

    /// The error kind for missing credentials of a method.
    fileprivate func isLackingCredentials(of registration: ClientRegistration) -> OAuthError.Kind? {
        if usesKey, registration.signingKey == nil { return .missingClientKey }
        if usesCertificate, registration.certificate == nil { return .missingClientCertificate }
        if usesSecret, registration.clientSecret == nil { return .missingClientSecret }
        return nil
    }
}
