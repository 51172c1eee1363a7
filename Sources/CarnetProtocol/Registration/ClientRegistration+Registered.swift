extension ClientRegistration {
    /// The registration of a client that registered itself.
    ///
    /// - Parameter metadata: The registered metadata. The registration uses its keys and its first redirect URI.
    package init(_ client: RegisteredClient, of metadata: ClientMetadata) {
        self.init(
            clientID: client.clientID,
            credentials: .available(
                secret: client.clientSecret, signingKey: metadata.keys.first(where: \.canSign),
                decryptionKeys: metadata.keys.filter { $0.use != .signature }),
            redirectURI: metadata.redirectURIs.first ?? client.redirectURIs.first ?? "",
            postLogoutRedirectURI: metadata.uris[.postLogoutRedirect],
            scopes: metadata.scopes.isEmpty ? nil : metadata.scopes, authenticationMethod: client.authenticationMethod,
            dpopBoundAccessTokens: metadata.dpopBoundAccessTokens ? true : nil, origins: client.origins)
    }
}
