package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

/// A sign-in of a test client in the engine's code: requests that are not sent, and samples as responses. It is
/// deterministic.
package final class Simulation: Sendable {
    /// The provider, with invented endpoints where only its metadata would name them, and with examples of what is
    /// known only at run time.
    package let provider: FilledProvider
    package let registration: ClientRegistration
    package let inventedEndpoints: Set<EndpointName>
    /// What the client holds once it has signed in.
    let tokens: TokenSet
    let madeAuthorization = MadeOnce<AuthorizationRequest>()
    let madeTokenRequest = MadeOnce<PreparedRequest>()
    let madeRefreshRequest = MadeOnce<PreparedRequest>()
    let madeProfileRequest = MadeOnce<PreparedRequest>()

    static let clientID = "simulated-client"
    /// 84 bytes, because a secret that signs is as long as the hash: 64 bytes for HS512 (RFC 7518, section 3.2).
    static let signingSecret = Secret(String(repeating: "simulated-client-secret", count: 4))
    static let clientSecret = Secret("simulated-client-secret")
    static let code = "simulated-code"
    /// The first of January 2026.
    static let now = Date(timeIntervalSince1970: 1_767_225_600)

    /// - Parameters:
    ///   - clientID: That of a real client, to see its requests.
    ///   - hasSecret: Whether the client has a secret; as the provider's first method has it, if `nil`. A secret is
    ///     always a test secret.
    ///   - authenticationMethod: `nil` for the provider's first that fits.
    ///   - redirectURI: `nil` for one that the provider accepts.
    package init(
        _ provider: Provider, clientID: String? = nil, hasSecret: Bool? = nil,
        authenticationMethod: ClientAuthenticationMethod? = nil, redirectURI: String? = nil, scopes: [String]? = nil
    ) {
        let methods = provider.client.authentication
        let method = authenticationMethod ?? provider.usualMethod
        let usesKey = hasSecret == nil && method == .privateKeyJWT
        let usesCertificate = hasSecret == nil && method?.usesCertificate == true
        let usesSecret = hasSecret ?? method?.usesSecret ?? false
        let algorithm =
            provider.client.assertion.algorithm.flatMap { SignatureAlgorithm(rawValue: $0.rawValue) }
            ?? provider.authorization.requestObject.algorithm ?? .ES256
        let registration = ClientRegistration(
            clientID: clientID ?? Self.clientID,
            credentials: .available(
                secret: usesSecret || !usesKey && !usesCertificate && !methods.contains(.none)
                    ? (provider.idToken.hs256 != nil) || methods.contains(.clientSecretJWT)
                        ? Self.signingSecret : Self.clientSecret : nil,
                signingKey: usesKey || provider.authorization.requestObject.isDemanded
                    ? SimulatedKey.fitting(algorithm) : nil,
                certificate: usesCertificate || provider.client.certificateBoundAccessTokens
                    ? SimulatedCertificate.certificate : nil),
            redirectURI: redirectURI ?? SimulatedRedirectURI.fitting(provider.redirects)
                ?? SimulatedRedirectURI.loopback, inputs: provider.inputs, environment: provider.environment,
            scopes: scopes, authenticationMethod: authenticationMethod)
        self.registration = registration
        let known = provider.registered(provider.values(registration, now: Self.now, random: SimulatedRandomSource()))
            .withoutMetadata
        let invented = known.inventedEndpoints
        inventedEndpoints = Set(invented.keys)
        let discovered =
            invented.isEmpty ? known : known.changed { $0.endpoints.urls.merge(invented) { known, _ in known } }
        // A token of the sample has claims if it is a JWT. Another one gets those that templates read, as in the sandbox.
        func sampled(_ field: KeyPath<ResponseFields, PointerList>, _ name: String) -> Secret? {
            if let token = Self.sampledJWT(field, at: provider) { return token }
            let read = provider.shared.sections.claimsRead(of: name)
            guard !read.isEmpty else { return nil }
            // The sample of the profile is that of the ID token's claims.
            let stated = name == "id_token" && provider.profile.source == .idToken ? provider.samples.userinfo : nil
            var claims = JSONValue.object(JSONObject())
            for pointer in read { claims.set(stated?[pointer] ?? "example", at: pointer) }
            return Secret("e30." + Base64URL.encode(Array(claims.jsonText().utf8)) + ".")
        }
        let asked = registration.scopes ?? discovered.scopes.defaults
        tokens = TokenSet(
            accessToken: sampled(\.accessToken, "access_token") ?? Secret("simulated-access-token"),
            tokenType: registration.usesDPoP(at: discovered) ? "DPoP" : "Bearer",
            refreshToken: Secret("simulated-refresh-token"),
            idToken: sampled(\.idToken, "id_token")
                ?? (provider.issuer != nil || provider.needsMetadata ? Secret("simulated-id-token") : nil),
            scopes: asked.isEmpty ? Self.sampledScopes(at: provider) : asked, issuedAt: Self.now)
        let collected = Self.collected(at: discovered, as: registration, tokens)
        self.provider = discovered.filled(
            with: collected, as: registration, now: Self.now, random: SimulatedRandomSource())
    }

    /// The scopes in the sample, which a client gets that asks for none.
    private static func sampledScopes(at provider: some ProviderStage) -> [String] {
        let rules = provider.token.response
        let found = stated(provider.samples.token, as: rules.format)?[rules.root]?.first(
            of: rules.fields.scope.pointers)
        if let list = found?.array { return list.compactMap(\.string) }
        return found?.string?.split(separator: rules.scopeSeparator ?? provider.scopes.separator).map(String.init) ?? []
    }

    /// A token in the sample of the token response, if it is a JWT.
    static func sampledJWT(_ field: KeyPath<ResponseFields, PointerList>, at provider: some ProviderStage) -> Secret? {
        let rules = provider.token.response
        let text = stated(provider.samples.token, as: rules.format)?[rules.root]?
            .first(of: rules.fields[keyPath: field].pointers)?.string
        return text.flatMap { JSONValue(claimsOf: $0) == nil ? nil : Secret($0) }
    }
}

extension ProviderStage {
    /// How a test client authenticates: in the first way; where nobody signs in, in the first that proves who it is, because
    /// a public client has no tokens of its own.
    package var usualMethod: ClientAuthenticationMethod? {
        let methods = self.client.authentication
        return (self.hasSignInPage ? nil : methods.first { $0 != .none }) ?? methods.first
    }
}

extension DiscoveredProvider {
    /// URLs below the issuer for the endpoints that only the metadata would name.
    fileprivate var inventedEndpoints: [EndpointName: WebURL] {
        let base = self.issuer.flatMap { try? WebURL($0) } ?? self.discoveryURL ?? self.resource
        guard let base, self.discovery != .off else { return [:] }
        let folder = self.issuer == nil ? "" : base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path
        var invented: [EndpointName: WebURL] = [:]
        for name in [EndpointName.authorization, .token, .userinfo, .revocation, .endSession]
        where self.endpoints[name] == nil && self.endpoints.late[name] == nil {
            invented[name] = try? WebURL("\(base.scheme)://\(base.authority)\(folder)/simulated-\(name.rawValue)")
        }
        return invented
    }
}
