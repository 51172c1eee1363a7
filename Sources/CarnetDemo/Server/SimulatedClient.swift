package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol
package import CarnetSandbox
import CarnetSimulation
package import CarnetTransport

/// The client that every sandbox knows, so that nobody has to register one to try something out.
package struct SimulatedClient {
    package static let clientID = "carnet-sandbox"
    /// The client with a secret, for providers that also accept public clients.
    package static let confidentialClientID = "carnet-sandbox-confidential"
    /// No secret at all: it opens a sandbox, which protects nothing.
    private static let secret = Sandbox.secretMark
    /// RFC 7518, section 3.2: the secret of an assertion is as long as its hash.
    private static let longSecret = String(repeating: secret, count: 4)

    /// The client's secret at a sandbox. Any program could listen at the port, so the real secret is never sent.
    package static func secret(insteadOf secret: Secret?) -> Secret? {
        guard let secret else { return nil }
        return secret.reveal().hasPrefix(Sandbox.secretMark) ? secret : Secret(longSecret)
    }

    /// A client's registration at a sandbox. The client signs with its real key, but for no real server: see
    /// `ProviderDescriptor.signing(for:)`.
    ///
    /// - Parameter inputs: Its inputs without real secrets.
    package static func registration(insteadOf real: ClientRegistration, inputs: [String: String]) -> ClientRegistration
    {
        var registration = real
        registration.clientSecret = secret(insteadOf: real.clientSecret)
        registration.inputs = inputs
        // DPoP proofs name the real server's URL, so each sign-in gets a new key.
        if real.dpopKey != nil { (registration.dpopKey, registration.dpopBoundAccessTokens) = (nil, true) }
        return registration
    }

    package let registration: ClientRegistration

    /// - Parameters:
    ///   - prefersSecret: Whether to have a secret where the provider takes one, and a key where a grant needs one;
    ///     otherwise there is one only where the provider takes no public clients.
    package init(
        for provider: Provider, redirectURI: String, postLogoutRedirectURI: String? = nil, inputs: [String: String],
        scopes: [String]? = nil, clientID: String = Self.clientID, prefersSecret: Bool
    ) {
        let methods = provider.client.authentication
        let method = prefersSecret || !methods.contains(.none) ? provider.usualMethod ?? .none : .none
        // RFC 7518, section 3.2: a secret that signs is as long as the hash.
        let secret = method == .clientSecretJWT || (provider.idToken.hs256 != nil) ? Self.longSecret : Self.secret
        registration = ClientRegistration(
            clientID: clientID,
            credentials: .available(
                secret: method.usesSecret ? Secret(secret) : nil,
                signingKey: method.usesKey || provider.authorization.requestObject.isDemanded
                    || (prefersSecret || method != .none) && provider.grantsWithoutPage.contains(.jwtBearer)
                    ? Self.signingKey(for: provider) : nil,
                certificate: method.usesCertificate || provider.client.certificateBoundAccessTokens
                    ? SimulatedCertificate.certificate : nil, decryptionKeys: Self.decryptionKeys(for: provider),
                // An exchanged token belongs to no sign-in that has a key.
                dpopKey: provider.client.dpopBoundAccessTokens && provider.grantsWithoutPage.contains(.tokenExchange)
                    ? try? ClientKey.generate(.ES256) : nil),
            redirectURI: redirectURI, postLogoutRedirectURI: postLogoutRedirectURI, inputs: inputs,
            environment: provider.environment, scopes: scopes)
    }

    /// A key of its own for each run: nobody needs to know it but a sandbox in the same process.
    private static func signingKey(for provider: Provider) -> ClientKey? {
        let algorithm =
            [provider.client.assertion, provider.jwtBearer.assertion].lazy
            .compactMap { SignatureAlgorithm(rawValue: $0.algorithm?.rawValue ?? "") }.first
            ?? provider.authorization.requestObject.algorithm ?? .ES256
        return try? ClientKey.generate(algorithm)
    }

    private static func decryptionKeys(for provider: Provider) -> [ClientKey] {
        let responses = [provider.callback.jwt, provider.profile.jwt, provider.introspection.jwt]
        let encryptions = [provider.idToken.encryption] + responses.map(\.encryption)
        return encryptions.compactMap { $0 }.compactMap { try? ClientKey.generate(for: $0.algorithm) }
    }

    /// The same client as the sandbox knows it.
    package var sandboxClient: SandboxClient {
        SandboxClient(
            clientID: registration.clientID, clientSecret: registration.clientSecret?.reveal(),
            keys: ([registration.signingKey].compactMap { $0 } + registration.decryptionKeys).map(\.publicJWK),
            certificate: registration.certificate?.chain.first, redirectURIs: [registration.redirectURI],
            postLogoutRedirectURIs: [registration.postLogoutRedirectURI].compactMap { $0 })
    }
}

extension LocalAccess {
    /// The hosts that a descriptor and its inputs name: the user chose them. Hosts that only the metadata names may
    /// not be local.
    package static func named(by provider: Provider) -> LocalAccess { .hosts(provider.namedHosts) }
}
