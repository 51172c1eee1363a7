import CarnetDescriptors
import HTTPTypes

extension AuthorizationServer {
    /// The client registration endpoint (RFC 7591, section 3), open to everybody.
    mutating func registration(_ request: ServerRequest) -> Reply {
        guard request.method == .post else { return .methodNotAllowed(request.method, allowed: "POST") }
        do throws(OAuthError) {
            guard request.mediaType == "application/json", let metadata = try? JSONValue(parsing: request.body),
                metadata.object != nil
            else { throw Self.unusable("the body is not a JSON object") }
            let redirects = metadata["redirect_uris"]?.array ?? []
            let uris = redirects.compactMap(\.string)
            guard !uris.isEmpty, uris.count == redirects.count,
                uris.allSatisfy({ $0.contains(":") && !$0.contains("#") })
            else { throw OAuthError("invalid_redirect_uri", "redirect_uris is no list of URIs without a fragment") }
            let name = metadata["token_endpoint_auth_method"]?.string ?? "client_secret_basic"
            guard let method = provider.client.authentication.first(where: { $0.rawValue == name }) else {
                throw Self.unusable("the authentication method \(name) is not supported")
            }
            let grants = metadata["grant_types"]?.array?.compactMap(\.string) ?? ["authorization_code"]
            let known = ["authorization_code", "refresh_token"] + ExtensionGrant.allCases.map(\.rawValue)
            guard grants.allSatisfy(known.contains) else { throw Self.unusable("a grant type is not supported") }
            let id = "registered-" + seams.randomText()
            let secret = method.usesSecret ? "s/+&=%41 " + seams.randomText() : nil
            ledger.registeredClients[id] = SandboxClient(
                clientID: id, clientSecret: secret, redirectURIs: uris, authenticationMethod: method)
            var answer = metadata
            func put(_ name: String, _ value: JSONValue) { answer.set(value, at: JSONPointer(tokens: [name])) }
            put("client_id", .string(id))
            put("client_id_issued_at", .number(String(seams.now().secondsSince1970)))
            put("token_endpoint_auth_method", .string(method.rawValue))
            if let secret {
                put("client_secret", .string(secret))
                put("client_secret_expires_at", 0)
            }
            return .json(answer, status: .created)
        } catch {
            return .json(
                ["error": .string(error.code), "error_description": .string(error.description)], status: .badRequest)
        }
    }

    private static func unusable(_ text: String) -> OAuthError { OAuthError("invalid_client_metadata", text) }
}
