public import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// The metadata that a client sends when it registers (RFC 7591, section 2).
public struct ClientMetadata: Sendable {
    package var redirectURIs: [String]
    /// The name that users see.
    package var clientName: String?
    package var authenticationMethod: ClientAuthenticationMethod
    package var grantTypes: [String]
    package var scopes: [String]
    /// Whether its tokens must be bound to keys (RFC 9449, section 5.2).
    package var dpopBoundAccessTokens: Bool
    /// The keys that sign its assertions and requests, or that responses are encrypted for. Only their public parts
    /// are sent.
    package var keys: [ClientKey]

    public init(
        redirectURIs: [String],
        clientName: String? = nil,
        authenticationMethod: ClientAuthenticationMethod = .none,
        grantTypes: [String] = ["authorization_code", "refresh_token"],
        scopes: [String] = [],
        dpopBoundAccessTokens: Bool = false,
        keys: [ClientKey] = []
    ) {
        self.redirectURIs = redirectURIs
        self.clientName = clientName
        self.authenticationMethod = authenticationMethod
        self.grantTypes = grantTypes
        self.scopes = scopes
        self.dpopBoundAccessTokens = dpopBoundAccessTokens
        self.keys = keys
    }
}

extension ClientMetadata {
    /// The registration request (RFC 7591, section 3.1).
    ///
    /// - Parameter initialAccessToken: The token that a server with restricted registration requires.
    /// - Throws: `OAuthError` at step `registration`.
    package func request(
        at provider: DiscoveredProvider, initialAccessToken: Secret? = nil
    ) throws(OAuthError) -> PreparedRequest {
        guard !redirectURIs.isEmpty else {
            throw OAuthError(.registration, .badRegistration, "the metadata has no redirect URI")
        }
        let url = try provider.endpoint(.registration, for: .registration)
        return try .registration(
            .post, url, key: "endpoints.registration", token: initialAccessToken, body: try document(at: provider))
    }

    /// The metadata as they are sent.
    func document(at provider: DiscoveredProvider) throws(OAuthError) -> JSONObject {
        for uri in redirectURIs { try RedirectURI.check(uri, against: provider) }
        guard !authenticationMethod.usesKey || keys.contains(where: \.canSign) else {
            throw OAuthError(
                .registration, .missingClientKey,
                "\(authenticationMethod.rawValue) requires a signing key, and the metadata has none")
        }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw OAuthError(
                .registration, .badRegistration, "two of the keys have the same id",
                hint: "give each key its own id (RFC 7517, section 4.5)")
        }
        var body = JSONObject()
        body["redirect_uris"] = .array(redirectURIs.map { .string($0) })
        body["token_endpoint_auth_method"] = .string(authenticationMethod.rawValue)
        body["grant_types"] = .array(grantTypes.map { .string($0) })
        if grantTypes.contains("authorization_code") { body["response_types"] = ["code"] }
        body["client_name"] = clientName.map { .string($0) }
        if !scopes.isEmpty { body["scope"] = .string(try provider.scopes.joined(scopes)) }
        if !keys.isEmpty { body["jwks"] = ClientKey.publicKeySet(keys) }
        if dpopBoundAccessTokens { body["dpop_bound_access_tokens"] = true }
        return body
    }
}

extension PreparedRequest {
    /// A request to the registration endpoint or to a client configuration endpoint (RFC 7591, section 3.1; RFC 7592,
    /// section 2).
    static func registration(
        _ method: HTTPRequest.Method,
        _ url: WebURL,
        key: String,
        token: Secret?,
        body: JSONObject? = nil,
        hiding secrets: [Secret] = []
    ) throws(OAuthError) -> PreparedRequest {
        let text = body.map { JSONValue.object($0).jsonText() } ?? ""
        var fields: [(name: String, value: String)] = [("Accept", "application/json"), ("User-Agent", "Carnet")]
        if body != nil { fields.append(("Content-Type", "application/json")) }
        var shown = fields.map { Named($0.name, $0.value) }
        if let token {
            fields.append(("Authorization", "Bearer \(token.reveal())"))
            shown.append(Named("Authorization", "Bearer \(Secret(""))"))
        }
        let shownHeaders = shown
        return PreparedRequest(
            step: .registration,
            descriptorKey: key,
            outgoing: OutgoingRequest(
                head: HTTPRequest(
                    method: method,
                    scheme: url.scheme,
                    authority: url.authority,
                    path: url.target,
                    headerFields: try httpFields(fields, step: .registration)
                ),
                body: Array(text.utf8)
            ),
            redacted: RedactedRequest(
                method: method.rawValue, url: url.text, headers: shownHeaders,
                body: Redactor(hiding: secrets).redact(text, limit: .max)),
            secrets: secrets + [token].compactMap { $0 }
        )
    }
}
