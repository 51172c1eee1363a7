public import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// The metadata that a client sends when it registers (RFC 7591, section 2).
public struct ClientMetadata: Sendable {
    /// A URI of the client besides its redirect URIs: https, or http on this machine.
    public enum URI: Hashable, Sendable {
        /// The client's home page.
        case home
        case logo, policy, termsOfService
        /// The client publishes its public keys here, and the registration does not contain them.
        case keySet
        /// An app may have a scheme of its own here.
        case postLogoutRedirect
        case backChannelLogout
        /// It has the origin of a redirect URI.
        case frontChannelLogout
        case initiateLogin
    }

    /// What an algorithm signs.
    public enum Signed: Hashable, Sendable {
        case idToken, userinfo, requestObject
    }

    package var redirectURIs: [String]
    /// The name that users see.
    package var clientName: String?
    package var authenticationMethod: ClientAuthenticationMethod
    /// Whether the method is one that the server announces, as far as is known.
    package var isAnnounced: Bool?
    package var grantTypes: [String]
    package var scopes: [String]
    /// Whether its tokens must be bound to keys (RFC 9449, section 5.2).
    package var dpopBoundAccessTokens: Bool
    /// The keys that sign its assertions and requests, or that responses are encrypted for. Only their public parts
    /// are sent.
    package var keys: [ClientKey]
    /// E-mail addresses of the people who are responsible for the client.
    package var contacts: [String]
    package var uris: [URI: String]
    package var algorithms: [Signed: String]
    package var softwareID: String?
    package var softwareVersion: String?

    /// - Parameters:
    ///   - keys: The keys that sign the client's assertions and requests, or that responses are encrypted for. Only their
    ///     public parts are sent.
    ///   - contacts: E-mail addresses of the people who are responsible for the client.
    ///   - uris: The client's other URIs.
    ///   - algorithms: Signature algorithms, such as `ES256`, instead of those that follow from the descriptor. Encryption
    ///     always follows from the descriptor.
    ///   - softwareID: The id of the program, such as a UUID: the same in each registration and for all of its versions (RFC
    ///     7591, section 2). At most 255 bytes.
    ///   - softwareVersion: The version of the program with this id. At most 255 bytes.
    public init(
        redirectURIs: [String],
        clientName: String? = nil,
        authenticationMethod: ClientAuthenticationMethod = .none,
        grantTypes: [String] = ["authorization_code", "refresh_token"],
        scopes: [String] = [],
        dpopBoundAccessTokens: Bool = false,
        keys: [ClientKey] = [],
        contacts: [String] = [],
        uris: [URI: String] = [:],
        algorithms: [Signed: String] = [:],
        softwareID: String? = nil,
        softwareVersion: String? = nil
    ) {
        self.redirectURIs = redirectURIs
        self.clientName = clientName
        self.authenticationMethod = authenticationMethod
        self.grantTypes = grantTypes
        self.scopes = scopes
        self.dpopBoundAccessTokens = dpopBoundAccessTokens
        self.keys = keys
        self.contacts = contacts
        self.uris = uris
        self.algorithms = algorithms
        self.softwareID = softwareID
        self.softwareVersion = softwareVersion
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
        let url: WebURL
        do throws(OAuthError) {
            url = try provider.endpoint(.registration, for: .registration)
        } catch {
            guard error.kind == .missingEndpoint, provider.resource != nil else { throw error }
            throw error.meaning(
                .missingEndpoint, "the authorization server \(provider.issuer ?? "") registers no clients by itself",
                hint: Advice.registeringByHand(redirectURIs[0]))
        }
        return try .registration(
            .post, url, key: "endpoints.registration", token: initialAccessToken, body: try document(at: provider))
    }
}

extension PreparedRequest {
    /// A request to the registration endpoint or to a client configuration endpoint (RFC 7591, section 3.1; RFC 7592,
    /// section 2).
    static func registration(
        _ method: HTTPRequest.Method, _ url: WebURL, key: String, token: Secret?, body: JSONObject? = nil,
        hiding secrets: [Secret] = []
    ) throws(OAuthError) -> PreparedRequest {
        let text = body.map { JSONValue.object($0).jsonText() } ?? ""
        var headers: [Field] = [("Accept", "application/json", nil), ("User-Agent", "Carnet", nil)]
        if body != nil { headers.append(("Content-Type", "application/json", nil)) }
        if let token { headers.append(("Authorization", "Bearer \(token.reveal())", "Bearer \(Secret(""))")) }
        return try make(
            .registration, key: key, method, url, path: url.target, headers: headers, body: Array(text.utf8),
            shownURL: url.text, shownBody: Redactor(hiding: secrets).redact(text, limit: .max),
            secrets: secrets + [token].compactMap { $0 })
    }
}
