package import CarnetDescriptors
import CarnetFoundation

/// A client whose id is the URL of its metadata (OAuth Client ID Metadata Document).
extension ClientMetadata {
    /// The metadata as JSON, to be served at a URL, which is then the client id of the program at every server that accepts
    /// such documents.
    ///
    /// Serve the text as `application/json`, with status 200 and without a redirect: servers fetch it.
    ///
    /// - Parameter url: Where it will be served: https, with a path, and without a query.
    /// - Throws: `OAuthError` at step `registration` for a URL that cannot be a client id, or metadata with a secret.
    public func document(at url: String) throws(OAuthError) -> String {
        try Self.checkClientID(url)
        guard !redirectURIs.isEmpty else {
            throw OAuthError(.registration, .badRegistration, "the metadata has no redirect URI")
        }
        for uri in redirectURIs {
            guard RedirectURI.refusal(of: uri) == nil else {
                throw OAuthError(.registration, .redirectNotAccepted, "\"\(uri.quotable())\" is no redirect URI")
            }
        }
        var body = JSONObject()
        body["client_id"] = .string(url)
        for member in try withoutSecret.plainDocument().members { body[member.name] = member.value }
        if !scopes.isEmpty { body["scope"] = .string(scopes.joined(separator: " ")) }
        return JSONValue.object(body).jsonText()
    }

    /// The registration of the client at a server that accepts such documents.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func registration(
        at provider: DiscoveredProvider, document url: String
    ) throws(OAuthError) -> ClientRegistration {
        try Self.checkClientID(url)
        for uri in redirectURIs { try RedirectURI.check(uri, against: provider) }
        let method = withoutSecret.authenticationMethod
        return ClientRegistration(
            clientID: url,
            credentials: .available(
                signingKey: method.usesKey ? keys.first(where: \.canSign) : nil,
                decryptionKeys: keys.filter { $0.use != .signature }), redirectURI: redirectURIs.first ?? "",
            postLogoutRedirectURI: uris[.postLogoutRedirect],
            inputs: provider.inputs.merging(provider.secretInputs) { $1 }, environment: provider.environment,
            scopes: scopes.isEmpty ? nil : scopes, authenticationMethod: method,
            dpopBoundAccessTokens: dpopBoundAccessTokens ? true : nil, origins: CredentialBinding(to: provider).servers)
    }

    /// The metadata of a client that shares no secret with the server. Nobody could hand it over.
    private var withoutSecret: ClientMetadata {
        guard authenticationMethod.usesSecret || authenticationMethod.usesCertificate else { return self }
        var metadata = self
        metadata.authenticationMethod = .none
        return metadata
    }

    /// The metadata with a method of client authentication that the server announces, if it does not announce public
    /// clients, and with the scopes of a resource: some servers refuse a scope that the client did not register.
    package func announced(at provider: DiscoveredProvider) -> ClientMetadata {
        var metadata = self
        if provider.resource != nil, scopes.isEmpty {
            metadata.scopes = provider.requestedScopes(nil, isOffline: true)
            // Some servers never grant a scope that was not registered, and a later request may need it.
            let further = provider.scopes.catalog.map(\.id) + provider.furtherScopes
            if !metadata.scopes.isEmpty {
                metadata.scopes += further.filter { !metadata.scopes.containsBytes(of: $0) }
            }
        }
        let announced = provider.client.announced
        metadata.isAnnounced = !announced.isEmpty
        guard authenticationMethod == .none, !announced.contains(.none),
            let method = announced.first(where: { [.clientSecretBasic, .clientSecretPost].contains($0) })
        else { return metadata }
        metadata.authenticationMethod = method
        return metadata
    }

    /// - Throws: `OAuthError` at step `registration` for a URL that cannot be a client id (section 3).
    private static func checkClientID(_ text: String) throws(OAuthError) {
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL(text)
        } catch {
            throw refused(text, error.reason)
        }
        let segments = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if url.scheme != "https" { throw refused(text, "it needs https") }
        if url.path.isEmpty || url.path == "/" { throw refused(text, "it needs a path") }
        if url.query != nil { throw refused(text, "it cannot have a query") }
        if segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
            throw refused(text, "its path has a part . or ..")
        }
    }

    private static func refused(_ text: String, _ reason: String) -> OAuthError {
        OAuthError(
            .registration, .badRegistration, "the URL \(text.quotable()) cannot be a client id: \(reason.quotable())",
            hint: "serve the document at a URL such as https://app.example/client.json")
    }
}
