import Foundation

/// An OpenID provider and authorization server that is written from the standards for the conformance suite.
///
/// It knows one client and one user, checks every request, and records each with the rules that it broke. Its deviation
/// is the only thing that it does wrong. It shares no code with the engine or the sandbox.
package final class OpenIDProvider: @unchecked Sendable {
    struct State {
        var setup: Setup
        var exchanges: [Exchange] = []
        var pushed: [String: Members] = [:]
        var codes: [String: Grant] = [:]
        var accessTokens: [String: Grant] = [:]
        var refreshTokens: [String: Grant] = [:]
        var idTokens: Set<String> = []
        var usedIDs: Set<String> = []
        var counter = 0
        var signIns = 0
        var usesSecondKey = false
        /// The current DPoP nonces of the authorization server and of the resource server.
        var nonces = (token: "nonce-token-0", resource: "nonce-resource-0")
    }

    /// What the user granted.
    struct Grant {
        var scopes: [String]
        var redirectURI: String?
        var nonce: String?
        var challenge: String?
        /// The thumbprint of the key or certificate that the tokens are bound to.
        var binding: String?
        var details: Any?
        var maxAge: Int?
        /// Empty for a token of the client itself.
        var session = ""
    }

    let deviation: Deviation
    let now: @Sendable () -> Int
    private let lock = NSRecursiveLock()
    /// Guarded by the lock.
    var state: State

    package init(_ setup: Setup, _ deviation: Deviation = Deviation(), now: @escaping @Sendable () -> Int) {
        state = State(setup: setup)
        self.deviation = deviation
        self.now = now
    }

    var setup: Setup { state.setup }

    func locked<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }

    // MARK: What it saw

    package var exchanges: [Exchange] { locked { state.exchanges } }

    /// The rules that requests broke.
    package var violations: [String] {
        exchanges.flatMap { exchange in exchange.violations.map { "\(exchange.endpoint.rawValue): \($0)" } }
    }

    package func count(_ endpoint: Exchange.Endpoint) -> Int { exchanges.count { $0.endpoint == endpoint } }

    // MARK: Serving

    /// - Returns: `nil` if the TLS handshake fails, because the client has no certificate.
    package func respond(to request: Request) -> Reply? {
        locked {
            var request = request
            if request.origin != setup.certificateOrigin { request.certificate = nil }
            let endpoint = endpoint(of: request)
            state.exchanges.append(Exchange(endpoint: endpoint, request: request))
            if request.origin == setup.certificateOrigin, request.certificate == nil {
                note("the request to the host of mutual TLS has no client certificate")
                return nil
            }
            do {
                return try serve(request, at: endpoint)
            } catch let rejection as Rejection {
                if let violation = rejection.violation { note(violation) }
                return rejection.reply
            } catch {
                note("\(error)")
                return .json(["error": "server_error"], status: 500)
            }
        }
    }

    /// A browser opens the authorization endpoint, and the user agrees.
    package func authorize(_ url: String) -> BrowserResponse {
        locked {
            let request = Request("GET", url)
            state.exchanges.append(Exchange(endpoint: endpoint(of: request), request: request))
            do {
                return try authorization(request)
            } catch let rejection as Rejection {
                if let violation = rejection.violation { note(violation) }
                return .page(rejection.violation ?? "")
            } catch {
                note("\(error)")
                return .page("\(error)")
            }
        }
    }

    private func note(_ violation: String) {
        state.exchanges[state.exchanges.count - 1].violations.append(violation)
    }

    private func endpoint(of request: Request) -> Exchange.Endpoint {
        guard [setup.issuer, setup.certificateOrigin].contains(request.origin) else { return .unknown }
        return switch request.path {
        case "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server": .metadata
        case "/keys-of-this-run": .keys
        case "/register": .registration
        case "/par": .pushedAuthorization
        case "/authorize": .authorization
        case "/token": .token
        case "/userinfo": .userinfo
        case "/accounts": .resource
        case "/logout": .logout
        default: .unknown
        }
    }

    private func serve(_ request: Request, at endpoint: Exchange.Endpoint) throws -> Reply {
        switch endpoint {
        case .metadata: return metadata(request)
        case .keys: return .json(["keys": publicKeys])
        case .registration: return try registration(request)
        case .pushedAuthorization: return try pushedAuthorization(request)
        case .token: return try token(request)
        case .userinfo: return try userinfo(request)
        case .resource: return try resource(request)
        case .authorization, .logout: throw Rejection("only browsers open this page")
        case .unknown: throw Rejection("\(request.target) is no endpoint of this provider", status: 404)
        }
    }

    func fresh(_ name: String) -> String {
        state.counter += 1
        return "\(name)-\(state.counter)-\(Hash.s256("\(name) \(state.counter)"))"
    }

    // MARK: Metadata and keys

    private func metadata(_ request: Request) -> Reply {
        let isOpenIDPath = request.path.hasSuffix("openid-configuration")
        guard isOpenIDPath == setup.isOpenID, request.method == "GET" else {
            return .json(["error": "not_found"], status: 404)
        }
        let at = setup.issuer
        var body: Members = [
            "issuer": at,
            "authorization_endpoint": at + "/authorize",
            "token_endpoint": at + "/token",
            "jwks_uri": at + "/keys-of-this-run",
            "response_types_supported": ["code"],
            "response_modes_supported": ["query", "form_post", "jwt"],
            "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": (setup.announced ?? [setup.authentication]).map(\.rawValue),
            "token_endpoint_auth_signing_alg_values_supported": signatureNames + (setup.isFAPI ? [] : ["HS256"]),
        ]
        if setup.isOpenID {
            body["userinfo_endpoint"] = at + "/userinfo"
            body["subject_types_supported"] = ["public"]
            body["scopes_supported"] = ["openid", "profile", "email", "phone", "address"]
            body["id_token_signing_alg_values_supported"] =
                setup.isFAPI || setup.signature != "RS256" ? [setup.signature] : ["RS256", "ES256"]
            body["end_session_endpoint"] = at + "/logout"
            body["backchannel_logout_supported"] = true
            body["backchannel_logout_session_supported"] = true
            body["frontchannel_logout_supported"] = true
            body["frontchannel_logout_session_supported"] = true
        }
        if setup.isDynamic { body["registration_endpoint"] = at + "/register" }
        if setup.request.isPushed {
            body["pushed_authorization_request_endpoint"] = at + "/par"
            body["require_pushed_authorization_requests"] = true
        }
        if setup.request.isSigned {
            body["request_object_signing_alg_values_supported"] = signatureNames
            body["require_signed_request_object"] = setup.request == .pushedRequestObject
        }
        if setup.responseMode == .jwt { body["authorization_signing_alg_values_supported"] = [setup.signature] }
        if setup.isFAPI { body["authorization_response_iss_parameter_supported"] = true }
        if setup.constraint == .dpop { body["dpop_signing_alg_values_supported"] = ["ES256", "PS256", "EdDSA"] }
        if setup.constraint == .mtls { body["tls_client_certificate_bound_access_tokens"] = true }
        if let type = setup.detailsType { body["authorization_details_types_supported"] = [type] }
        if setup.hasCertificateAliases {
            let host = setup.certificateOrigin
            var aliases = [
                "token_endpoint": host + "/token", "pushed_authorization_request_endpoint": host + "/par",
            ]
            if setup.isOpenID { aliases["userinfo_endpoint"] = host + "/userinfo" }
            body["mtls_endpoint_aliases"] = aliases
        }
        deviation.metadata(&body)
        return .json(body)
    }

    /// What the client may sign with.
    var signatureNames: [String] { setup.isFAPI ? ["PS256", "ES256", "EdDSA"] : ["RS256", "PS256", "ES256"] }

    private static let keys = (
        rsa: try? PrivateKey.rsa(id: "rsa"), otherRSA: try? PrivateKey.rsa(id: "other-rsa"),
        p256: PrivateKey.p256(id: "p256"), ed25519: PrivateKey.ed25519(id: "ed25519")
    )

    /// The key of an algorithm. With FAPI, keys of several algorithms have the same id.
    func signingKey(_ algorithm: String) throws -> PrivateKey {
        let usual = state.usesSecondKey ? Self.keys.otherRSA : Self.keys.rsa
        let found: PrivateKey? =
            switch algorithm {
            case "RS256", "PS256": usual
            case "ES256": Self.keys.p256
            case "HS256": setup.clientSecret.map { PrivateKey.secret($0) }
            default: nil
            }
        guard var key = found else { throw Rejection("there is no key for \(algorithm)") }
        if setup.isFAPI { key.id = "op" }
        if case .usual = deviation.keys {} else { key.id = nil }
        return key
    }

    private var publicKeys: [Members] {
        let rsa = state.usesSecondKey ? Self.keys.otherRSA : Self.keys.rsa
        if setup.isFAPI {
            return [(Self.keys.ed25519, "EdDSA"), (Self.keys.p256, "ES256"), (rsa, "PS256")].compactMap { key, name in
                key?.jwk(["kid": "op", "use": "sig", "alg": name])
            }
        }
        switch deviation.keys {
        case .usual: return [rsa, Self.keys.p256].compactMap { $0?.jwk(["use": "sig"]) }
        case .oneWithoutID, .severalWithoutID:
            var keys = [rsa]
            if case .severalWithoutID = deviation.keys { keys.insert(Self.keys.otherRSA, at: 0) }
            return keys.compactMap { $0?.jwk(["use": "sig"]) }.map { $0.filter { $0.key != "kid" } }
        }
    }

    /// A JWT of the provider, with the deviation of its signature.
    func signed(
        _ claims: Members, _ signature: Deviation.Signature, algorithm: String? = nil, type: String? = nil
    ) throws -> String {
        let header = type.map { ["typ": $0] } ?? [:]
        var algorithm = algorithm ?? setup.signature
        if case .with(let other) = signature { algorithm = other }
        if case .none = signature {
            return JWT.signed(claims, header: header, algorithm: "none", by: try signingKey(algorithm))
        }
        let token = JWT.signed(claims, header: header, algorithm: algorithm, by: try signingKey(algorithm))
        if case .spoiled = signature { return JWT.spoiled(token) }
        return token
    }
}
