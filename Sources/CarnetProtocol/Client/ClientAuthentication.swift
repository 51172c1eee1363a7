import CarnetDescriptors

/// How one client authenticates at one provider (RFC 6749, section 2.3.1): exactly one method, stated, never probed.
struct ClientAuthentication {
    let method: ClientAuthenticationMethod
    private let clientID: String
    private let secret: Secret?
    private let basicEncoding: BasicEncoding

    /// - Throws: `OAuthError` if the registration has no secret and the provider wants one, or the other way round.
    init(_ registration: ClientRegistration, at provider: Provider) throws(OAuthError) {
        guard !registration.clientID.isEmpty else {
            throw OAuthError(.configuration, .badRegistration, "the client id is empty")
        }
        if let secret = registration.clientSecret, secret.isEmpty {
            throw OAuthError(
                .configuration,
                .badRegistration,
                "the client secret is empty",
                hint: "leave it out for a public client"
            )
        }
        let accepted = provider.client.authentication
        let hasSecret = registration.clientSecret != nil
        guard let method = registration.authenticationMethod ?? accepted.first(where: { $0.usesSecret == hasSecret })
        else {
            throw OAuthError(
                .configuration,
                hasSecret ? .badRegistration : .missingClientSecret,
                hasSecret
                    ? "\(provider.name) takes public clients only, and the registration has a secret"
                    : "\(provider.name) wants a client secret, and the registration has none",
                descriptorKey: "client.authentication"
            )
        }
        guard accepted.contains(method), method.usesSecret == hasSecret else {
            throw OAuthError(
                .configuration,
                method.usesSecret && !hasSecret ? .missingClientSecret : .badRegistration,
                "the authentication method \(method.rawValue) does not fit the registration",
                descriptorKey: "client.authentication",
                hint: "accepted: " + accepted.map(\.rawValue).joined(separator: ", ")
            )
        }
        self.method = method
        clientID = registration.clientID
        secret = registration.clientSecret
        basicEncoding = provider.client.basicEncoding
    }

    /// Adds the client's parameters.
    ///
    /// - Returns: The Authorization header's value, for the method that uses one.
    func apply(to parameters: inout RequestParameters) throws(OAuthError) -> Secret? {
        switch method {
        case .none:
            try parameters.add("client_id", clientID)
            return nil
        case .clientSecretPost:
            try parameters.add("client_id", clientID)
            if let secret { try parameters.add("client_secret", secret) }
            return nil
        case .clientSecretBasic:
            let encode: (String) -> String = basicEncoding == .percent ? { PercentEncoding.encode($0) } : { $0 }
            let pair = encode(clientID) + ":" + encode(secret?.reveal() ?? "")
            if let secret { parameters.hide(secret) }
            return Secret("Basic " + Base64.encode(Array(pair.utf8)))
        }
    }
}
