import Foundation

extension OpenIDProvider {
    func token(_ request: Request) throws -> Reply {
        try require(request.method == "POST", "a token request is a POST")
        let form = try checkedForm(of: request)
        try authenticate(form, of: request)
        switch form["grant_type"] {
        case "authorization_code": return try codeGrant(form, request)
        case "refresh_token": return try refreshGrant(form, request)
        case "client_credentials":
            let scopes = (form["scope"] ?? "").split(separator: " ").map { String($0) }
            let grant = Grant(scopes: scopes, binding: try binding(of: request))
            var body = tokens(for: grant)
            deviation.token(&body)
            return .json(body, headers: nextNonce(isResource: false))
        default: throw Rejection("grant_type is \(form["grant_type"] ?? "missing")", "unsupported_grant_type")
        }
    }

    private func codeGrant(_ form: Parameters, _ request: Request) throws -> Reply {
        let error = "invalid_grant"
        let key = try binding(of: request)
        var grant = try require(
            form["code"].flatMap { state.codes.removeValue(forKey: $0) }, "the code is unknown or used", error)
        try require(form["redirect_uri"] == grant.redirectURI, "redirect_uri is not that of the request", error)
        let verifier = form["code_verifier"] ?? ""
        try require(
            (43...128).contains(verifier.utf8.count) && Hash.s256(verifier) == grant.challenge,
            "the code verifier is wrong", error)
        if let requested = grant.binding {
            try require(requested == key, "the DPoP key is not that of the request", "invalid_dpop_proof")
        }
        grant.binding = key
        var body = tokens(for: grant)
        if setup.isOpenID {
            if case .whileSigningSecond = deviation.rotation { state.usesSecondKey = state.signIns > 1 }
            body["id_token"] = try idToken(for: grant, with: body["access_token"] as? String, deviation.idToken)
        }
        deviation.token(&body)
        return .json(body, headers: nextNonce(isResource: false))
    }

    private func refreshGrant(_ form: Parameters, _ request: Request) throws -> Reply {
        let key = try binding(of: request)
        let grant = try require(
            form["refresh_token"].flatMap { state.refreshTokens.removeValue(forKey: $0) },
            "the refresh token is unknown or used", "invalid_grant")
        try require(grant.binding == key, "the tokens are bound to another key", "invalid_grant")
        var body = tokens(for: grant)
        if setup.refreshesIDToken {
            body["id_token"] = try idToken(
                for: grant, with: body["access_token"] as? String, deviation.refreshedIDToken)
        }
        return .json(body, headers: nextNonce(isResource: false))
    }

    private func tokens(for grant: Grant) -> Members {
        let token = fresh("access-token")
        state.accessTokens[token] = grant
        var body: Members = [
            "access_token": token, "token_type": setup.constraint == .dpop ? "DPoP" : "Bearer", "expires_in": 300,
            "scope": grant.scopes.joined(separator: " "),
        ]
        if setup.returnsRefreshToken, !grant.session.isEmpty {
            let refresh = fresh("refresh-token")
            state.refreshTokens[refresh] = grant
            body["refresh_token"] = refresh
        }
        body["authorization_details"] = grant.details
        return body
    }

    /// OpenID Connect Core, section 2.
    private func idToken(for grant: Grant, with accessToken: String?, _ change: Deviation.Change) throws -> String {
        var claims: Members = [
            "iss": setup.issuer, "sub": Self.subject, "aud": setup.clientID, "iat": now(), "exp": now() + 300,
            "sid": grant.session,
        ]
        claims["nonce"] = grant.nonce
        claims["at_hash"] = accessToken.map { Hash.left($0) }
        if grant.maxAge != nil { claims["auth_time"] = now() }
        change(&claims)
        let token = try signed(claims, deviation.idTokenSignature)
        state.idTokens.insert(token)
        return token
    }

    /// What the tokens are bound to, as the request proves it.
    private func binding(of request: Request) throws -> String? {
        switch setup.constraint {
        case .none: return nil
        case .dpop:
            let proof = try require(request.header("DPoP"), "the token request has no DPoP proof", "invalid_dpop_proof")
            return try provedKey(proof, for: request, token: nil)
        case .mtls:
            let certificate = try require(request.certificate, "the token request presents no certificate")
            try require(certificate == setup.certificate, "another certificate is presented")
            return Hash.s256(certificate)
        }
    }

    // MARK: Resources (RFC 6750, RFC 8705, RFC 9449)

    private func grant(of request: Request) throws -> Grant {
        let error = "invalid_token"
        let names = (request.query.pairs + request.form.pairs).map(\.name)
        try require(!names.contains("access_token"), "the access token is not in the header")
        let header = try require(request.header("Authorization"), "the request has no access token", status: 401)
        let scheme = setup.constraint == .dpop ? "DPoP " : "Bearer "
        try require(header.hasPrefix(scheme), "the access token has another scheme", error, status: 401)
        let token = String(header.dropFirst(scheme.count))
        let grant = try require(state.accessTokens[token], "the access token is unknown", error, status: 401)
        var key: String?
        switch setup.constraint {
        case .none: break
        case .dpop:
            let proof = try require(request.header("DPoP"), "there is no DPoP proof", error, status: 401)
            key = try provedKey(proof, for: request, token: token)
        case .mtls: key = request.certificate.map { Hash.s256($0) }
        }
        try require(key == grant.binding, "the access token is bound to another key", error, status: 401)
        return grant
    }

    func resource(_ request: Request) throws -> Reply {
        _ = try grant(of: request)
        return .json(["accounts": ["main"]], headers: nextNonce(isResource: true))
    }

    static let subject = "user-1"

    /// OpenID Connect Core, sections 5.3 and 5.4.
    func userinfo(_ request: Request) throws -> Reply {
        let grant = try grant(of: request)
        try require(["GET", "POST"].contains(request.method), "\(request.method) is no method of userinfo")
        try require(grant.scopes.contains("openid"), "the token has no scope openid", "insufficient_scope", status: 403)
        var claims: Members = ["sub": Self.subject]
        let released: [String: Members] = [
            "profile": ["name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace"],
            "email": ["email": "ada@op.example", "email_verified": true],
            "phone": ["phone_number": "+44 20 7946 0000"],
            "address": ["address": ["country": "GB"]],
        ]
        for scope in grant.scopes { claims.merge(released[scope] ?? [:]) { $1 } }
        if !deviation.aggregates.isEmpty {
            let source = deviation.aggregates.merging(["iss": setup.issuer, "sub": Self.subject]) { $1 }
            claims["_claim_names"] = deviation.aggregates.mapValues { _ in "source" }
            claims["_claim_sources"] = ["source": ["JWT": try signed(source, .valid)]]
        }
        deviation.userinfo(&claims)
        var body = JSON.bytes(claims)
        var type = "application/json"
        if let algorithm = setup.userinfoSignature {
            claims["iss"] = setup.issuer
            claims["aud"] = setup.clientID
            body = Array(try signed(claims, .valid, algorithm: algorithm).utf8)
            type = "application/jwt"
        }
        if setup.encryptsUserinfo {
            let keys = setup.clientKeys.compactMap { JSON.object($0.utf8) }
            let key = try require(keys.first { $0["kty"] as? String == "RSA" }, "the client has no RSA key")
            let content = setup.userinfoSignature == nil ? nil : "JWT"
            body = Array(try require(JWT.encrypted(body, type: content, for: key), "nothing is encrypted").utf8)
            type = "application/jwt"
        }
        return Reply(status: 200, headers: [("Content-Type", type)] + nextNonce(isResource: true), body: body)
    }

    // MARK: Logout

    /// A browser opens the logout page (OpenID Connect RP-Initiated Logout, section 2).
    package func logout(_ url: String) -> BrowserResponse {
        locked {
            let request = Request("GET", url)
            state.exchanges.append(Exchange(endpoint: .logout, request: request))
            do {
                let query = request.query
                try require(request.target == setup.issuer + "/logout", "the logout page is elsewhere")
                try require(
                    query["id_token_hint"].map { state.idTokens.contains($0) } ?? false, "id_token_hint is wrong")
                let back = query["post_logout_redirect_uri"]
                try require(back == setup.postLogoutRedirectURI, "post_logout_redirect_uri is not registered")
                try require((query["state"] ?? "").utf8.count >= 16, "state is missing or short")
                var response: Members = [:]
                response["state"] = query["state"]
                deviation.logoutReturn(&response)
                let pairs = response.map { (name: $0.key, value: "\($0.value)") }
                return .redirect((back ?? "") + (pairs.isEmpty ? "" : "?" + Parameters(pairs).encoded))
            } catch {
                let violation = (error as? Rejection)?.violation ?? "\(error)"
                state.exchanges[state.exchanges.count - 1].violations.append(violation)
                return .page(violation)
            }
        }
    }

    /// The body of a back-channel logout of the latest session (OpenID Connect Back-Channel Logout, section 2.4).
    package func logoutForm() throws -> String {
        try locked {
            var claims: Members = [
                "iss": setup.issuer, "sub": Self.subject, "aud": setup.clientID, "iat": now(), "exp": now() + 120,
                "jti": fresh("logout"), "sid": "session-\(state.signIns)",
                "events": ["http://schemas.openid.net/event/backchannel-logout": Members()],
            ]
            deviation.logoutToken(&claims)
            let token = try signed(claims, deviation.logoutSignature, type: "logout+jwt")
            return Parameters([("logout_token", token)]).encoded
        }
    }

    /// The query of the frame that ends the latest session (OpenID Connect Front-Channel Logout, section 3).
    package func frameQuery() -> String {
        locked { Parameters([("iss", setup.issuer), ("sid", "session-\(state.signIns)")]).encoded }
    }
}
