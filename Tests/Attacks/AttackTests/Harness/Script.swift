import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport

/// All that the hostile server says. As it stands it is a good server; a row changes one or two fields of it.
///
/// Texts may hold places that are filled when a response is made: `{nonce}`, `{at_hash}`, `{id_token}`, `{code}`,
/// `{state}`, `{now}`, `{secret}`, which differs each time, and `{n}`, which counts the responses.
struct Script: Sendable {
    var metadata = ServerResponse(metadataMembers)
    /// What the authorization server of RFC 8414 serves; nothing.
    var serverMetadata = ServerResponse.text("nothing here", status: 404, type: "text/plain")
    var keys = ServerResponse(["keys": .array(goodKeys)])
    /// The parameters of the callback, in their order.
    var callback: [(name: String, value: String)] = [
        ("code", "{code}"), ("state", "{state}"), ("iss", Scenario.issuer),
    ]
    /// The whole query of the callback as it is on the wire, in place of `callback`.
    var rawCallback: String?
    /// The redirect URI that the callback comes to, in place of the right one.
    var callbackLocation: String?
    var idToken = Token()
    var token = ServerResponse(tokenMembers)
    var refresh = ServerResponse(tokenMembers)
    var userinfo = ServerResponse(["sub": "user-1", "name": "Ada", "email": "ada@acme.example"])
    var revocation = ServerResponse([:])
    var pushed = ServerResponse(["request_uri": "urn:example:reference-{n}", "expires_in": 60], status: 201)
    var device = ServerResponse([
        "device_code": "{secret}", "user_code": "WDJB-MJHT", "verification_uri": "https://id.acme.example/device",
        "expires_in": 600, "interval": 5,
    ])
    var registration = ServerResponse(
        ["client_id": "registered-{n}", "redirect_uris": [.string(Scenario.redirectURI)]], status: 201)
    var resource = ServerResponse(["ok": true])
    var introspection = ServerResponse(["active": true, "client_id": "client", "sub": "user-1"])
    /// The signed response that the callback is, in place of its parameters, and what stands behind it.
    var response: Token?
    var afterResponse = ""
    /// Responses at other URLs, by URL without its query.
    var elsewhere: [String: ServerResponse] = [:]

    private static let metadataMembers: JSONValue = [
        "issuer": "https://id.acme.example",
        "authorization_endpoint": "https://id.acme.example/authorize",
        "token_endpoint": "https://id.acme.example/token",
        "jwks_uri": "https://id.acme.example/jwks",
        "userinfo_endpoint": "https://id.acme.example/userinfo",
        "revocation_endpoint": "https://id.acme.example/revoke",
        "end_session_endpoint": "https://id.acme.example/logout",
        "pushed_authorization_request_endpoint": "https://id.acme.example/par",
        "device_authorization_endpoint": "https://id.acme.example/device_authorization",
        "registration_endpoint": "https://id.acme.example/register",
        "introspection_endpoint": "https://id.acme.example/introspect",
        "id_token_signing_alg_values_supported": ["RS256"],
        "authorization_response_iss_parameter_supported": true,
        "code_challenge_methods_supported": ["S256"],
    ]

    private static let tokenMembers: JSONValue = [
        "access_token": "{secret}", "refresh_token": "{secret}", "id_token": "{id_token}",
        "token_type": "Bearer", "expires_in": 3600, "scope": "openid profile email",
    ]

    static let goodKeys: [JSONValue] = [(try? SigningKey.rsa.jwk(["kid": "1"])) ?? .null]
}

/// One response of the hostile server.
struct ServerResponse: Sendable {
    var status = 200
    var headers: [(name: String, value: String)] = [("Content-Type", "application/json")]
    /// The body, as JSON.
    var json: JSONValue
    /// The body as bytes, in place of the JSON.
    var bytes: [UInt8]?
    /// The body as a signed token, in place of the JSON.
    var signed: Token?
    /// No response: the transport fails so.
    var failure: TransportFailure?
    /// The responses from the second time on, if that is something else.
    var later: [ServerResponse] = []

    /// `closed`: the connection closed, and no byte of a response arrived.
    enum TransportFailure: Sendable { case connection, timeout, interrupted, closed, tls, responseTooLarge }

    init(_ json: JSONValue, status: Int = 200) {
        self.json = json
        self.status = status
    }

    static func text(_ text: String, status: Int = 200, type: String = "application/json") -> ServerResponse {
        var reply = ServerResponse(.null, status: status)
        reply.headers = [("Content-Type", type)]
        reply.bytes = Array(text.utf8)
        return reply
    }

    static func error(_ code: String, status: Int = 400) -> ServerResponse {
        ServerResponse(["error": .string(code)], status: status)
    }

    static func fails(_ failure: TransportFailure) -> ServerResponse {
        var reply = ServerResponse(.null)
        reply.failure = failure
        return reply
    }

    /// A member of the JSON body; setting it to `nil` removes it.
    subscript(name: String) -> JSONValue? {
        get { json[name] }
        set {
            var object = json.object ?? JSONObject()
            object[name] = newValue
            json = .object(object)
        }
    }

    /// The response to the request of a number, from 0.
    func reply(to number: Int) -> ServerResponse {
        guard number > 0, !later.isEmpty else { return self }
        return later[min(number, later.count) - 1]
    }
}

/// The ID token that the hostile server issues.
struct Token: Sendable {
    var header: JSONObject = {
        var header = JSONObject()
        header["alg"] = "RS256"
        header["kid"] = "1"
        return header
    }()
    var claims: JSONObject = {
        var claims = JSONObject()
        claims["iss"] = .string(Scenario.issuer)
        claims["sub"] = "user-1"
        claims["aud"] = .string(Scenario.clientID)
        claims["exp"] = "{now+3600}"
        claims["iat"] = "{now}"
        claims["nonce"] = "{nonce}"
        claims["at_hash"] = "{at_hash}"
        claims["email"] = "ada@acme.example"
        return claims
    }()
    var key = SigningKey.rsa
    /// What it is signed with, whatever the header says; nothing if `nil`.
    var algorithm: String? = "RS256"
    /// The claims as text, in place of `claims`.
    var rawClaims: String?
    /// What is done to the compact token in the end.
    var forge: @Sendable (String) throws -> String = { $0 }
}

extension Script {
    /// Makes the server one of OAuth 2.0 alone: no ID tokens, and nothing that names an issuer.
    mutating func becomePlain() {
        token["id_token"] = nil
        refresh["id_token"] = nil
        callback.removeAll { $0.name == "iss" }
    }
}
