import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// A client that registered itself, and what manages it (RFC 7592).
struct ManagedClient: Sendable {
    var metadata: JSONValue
    var accessToken: String
}

extension AuthorizationServer {
    /// The client registration endpoint (RFC 7591, section 3), open to everybody; and with a client's id in its query
    /// the place where that client is managed (RFC 7592), for the holder of its token.
    mutating func registration(_ request: ServerRequest) -> Reply {
        do throws(OAuthError) {
            if let id = request.query?["managed_client"] { return try manage(id, request) }
            guard request.method == .post else { return .methodNotAllowed(request.method, allowed: "POST") }
            return .json(try register(request, as: "registered-" + seams.randomText()), status: .created)
        } catch {
            let body: JSONValue = ["error": .string(error.code), "error_description": .string(error.description)]
            return .json(body, status: .badRequest)
        }
    }

    /// Each change brings a new token, and a new secret where there is one.
    private mutating func manage(_ id: String, _ request: ServerRequest) throws(OAuthError) -> Reply {
        let sent = request.head.headerFields[.authorization] ?? ""
        guard let managed = ledger.managedClients[id], sent.isSameBytes(as: "Bearer \(managed.accessToken)") else {
            return .json(["error": "invalid_token"], status: .unauthorized, [.wwwAuthenticate: "Bearer"])
        }
        switch request.method {
        case .get:
            return .json(managed.metadata)
        case .put:
            let body = try? JSONValue(parsing: request.body)
            let secret = ledger.registeredClients[id]?.clientSecret
            guard body?["client_id"]?.string?.isSameBytes(as: id) == true,
                body?["client_secret"].map({ $0.string == secret }) ?? true,
                ["registration_access_token", "registration_client_uri", "client_id_issued_at"]
                    .allSatisfy({ body?[$0] == nil })
            else { throw .invalidRequest("the client is not named as it is registered (RFC 7592, section 2.2)") }
            return .json(try register(request, as: id))
        case .delete:
            ledger.managedClients[id] = nil
            ledger.registeredClients[id] = nil
            return Reply(.noContent)
        default:
            return .methodNotAllowed(request.method, allowed: "GET")
        }
    }

    private mutating func register(_ request: ServerRequest, as id: String) throws(OAuthError) -> JSONValue {
        guard request.mediaType == "application/json", let metadata = try? JSONValue(parsing: request.body),
            metadata.object != nil
        else { throw Self.unusable("the body is not a JSON object") }
        let redirects = metadata["redirect_uris"]?.array ?? []
        let uris = redirects.compactMap(\.string)
        guard !uris.isEmpty, uris.count == redirects.count,
            uris.allSatisfy({ $0.contains(":") && !$0.contains("#") })
        else { throw OAuthError("invalid_redirect_uri", "redirect_uris is not a list of URIs without a fragment") }
        let name = metadata["token_endpoint_auth_method"]?.string ?? "client_secret_basic"
        guard let method = provider.client.authentication.first(where: { $0.rawValue == name }) else {
            throw Self.unusable("the authentication method \(name) is not supported")
        }
        let grants = metadata["grant_types"]?.array?.compactMap(\.string) ?? ["authorization_code"]
        let known = ["authorization_code", "refresh_token"] + ExtensionGrant.allCases.map(\.rawValue)
        guard grants.allSatisfy(known.contains) else { throw Self.unusable("a grant type is not supported") }
        let secret = method.usesSecret ? Sandbox.secretMark + "/+&=%41 " + seams.randomText() : nil
        ledger.registeredClients[id] = SandboxClient(
            clientID: id, clientSecret: secret, keys: metadata["jwks"]?["keys"]?.array ?? [], redirectURIs: uris,
            postLogoutRedirectURIs: metadata["post_logout_redirect_uris"]?.array?.compactMap(\.string) ?? [],
            authenticationMethod: method)
        var registered = metadata
        func put(_ name: String, _ value: JSONValue) { registered.set(value, at: JSONPointer(tokens: [name])) }
        put("client_id", .string(id))
        put("client_id_issued_at", .number(String(seams.now().secondsSince1970)))
        put("token_endpoint_auth_method", .string(method.rawValue))
        if let secret {
            put("client_secret", .string(secret))
            put("client_secret_expires_at", 0)
        }
        if let endpoint = endpoints[.registration] {
            let token = Sandbox.secretMark + "/+&=%41" + seams.randomText()
            let place = endpoint.appendingQuery(PercentEncoding.encode([(name: "managed_client", value: id)]))
            put("registration_client_uri", .string(place))
            put("registration_access_token", .string(token))
            ledger.managedClients[id] = ManagedClient(metadata: registered, accessToken: token)
        }
        return registered
    }

    private static func unusable(_ text: String) -> OAuthError { OAuthError("invalid_client_metadata", text) }
}
