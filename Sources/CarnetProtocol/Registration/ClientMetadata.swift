public import CarnetDescriptors
import HTTPTypes

/// What a client says of itself when it registers (RFC 7591, section 2).
public struct ClientMetadata: Sendable {
    public var redirectURIs: [String]
    /// The name that users see.
    public var clientName: String?
    public var authenticationMethod: ClientAuthenticationMethod
    public var grantTypes: [String]
    public var scopes: [String]
    /// Whether its tokens are to be bound to keys (RFC 9449, section 5.2).
    public var dpopBoundAccessTokens: Bool

    public init(
        redirectURIs: [String],
        clientName: String? = nil,
        authenticationMethod: ClientAuthenticationMethod = .none,
        grantTypes: [String] = ["authorization_code", "refresh_token"],
        scopes: [String] = [],
        dpopBoundAccessTokens: Bool = false
    ) {
        self.redirectURIs = redirectURIs
        self.clientName = clientName
        self.authenticationMethod = authenticationMethod
        self.grantTypes = grantTypes
        self.scopes = scopes
        self.dpopBoundAccessTokens = dpopBoundAccessTokens
    }
}

extension ClientMetadata {
    /// The registration request (RFC 7591, section 3.1).
    ///
    /// - Parameter initialAccessToken: What a server wants that does not register everybody.
    /// - Throws: `OAuthError` at step `registration`.
    public func request(
        at provider: Provider, initialAccessToken: Secret? = nil
    ) throws(OAuthError) -> PreparedRequest {
        guard !redirectURIs.isEmpty else {
            throw OAuthError(.registration, .badRegistration, "there is no redirect URI to register")
        }
        for uri in redirectURIs { try RedirectURI.check(uri, against: provider) }
        var body = JSONObject()
        body["redirect_uris"] = .array(redirectURIs.map { .string($0) })
        body["token_endpoint_auth_method"] = .string(authenticationMethod.rawValue)
        body["grant_types"] = .array(grantTypes.map { .string($0) })
        if grantTypes.contains("authorization_code") { body["response_types"] = ["code"] }
        body["client_name"] = clientName.map { .string($0) }
        if !scopes.isEmpty { body["scope"] = .string(try provider.scopes.joined(scopes)) }
        if dpopBoundAccessTokens { body["dpop_bound_access_tokens"] = true }
        let text = JSONValue.object(body).jsonText()
        let url = try provider.endpoint(.registration, for: .registration)
        var fields: [(name: String, value: String)] = [
            ("Accept", "application/json"), ("User-Agent", "Carnet"), ("Content-Type", "application/json"),
        ]
        var shown = fields.map { Named($0.name, $0.value) }
        if let initialAccessToken {
            fields.append(("Authorization", "Bearer \(initialAccessToken.reveal())"))
            shown.append(Named("Authorization", "Bearer \(Secret(""))"))
        }
        return PreparedRequest(
            step: .registration,
            descriptorKey: "endpoints.registration",
            outgoing: OutgoingRequest(
                head: HTTPRequest(
                    method: .post,
                    scheme: url.scheme,
                    authority: url.authority,
                    path: url.target,
                    headerFields: try httpFields(fields, step: .registration)
                ),
                body: Array(text.utf8)
            ),
            redacted: RedactedRequest(method: "POST", url: url.text, headers: shown, body: text),
            secrets: [initialAccessToken].compactMap { $0 }
        )
    }
}
