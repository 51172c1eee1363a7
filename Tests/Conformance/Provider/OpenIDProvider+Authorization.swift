import Foundation

extension OpenIDProvider {
    // MARK: Pushed requests (RFC 9126)

    func pushedAuthorization(_ request: Request) throws -> Reply {
        try require(setup.request.isPushed, "the request is pushed, and nobody announced an endpoint")
        try require(request.method == "POST", "a pushed request is a POST")
        let form = try checkedForm(of: request)
        try authenticate(form, of: request)
        try require(form["request_uri"] == nil, "a pushed request has a request_uri (RFC 9126, section 2.1)")
        var parameters = try effective(form)
        for name in ["client_assertion", "client_assertion_type", "client_secret"] { parameters[name] = nil }
        if let proof = request.header("DPoP") {
            parameters["dpop_jkt"] = try provedKey(proof, for: request, token: nil)
        }
        try check(parameters)
        let uri = "urn:ietf:params:oauth:request_uri:" + fresh("request")
        state.pushed[uri] = parameters
        return .json(["request_uri": uri, "expires_in": 60], status: 201)
    }

    // MARK: The authorization endpoint

    func authorization(_ request: Request) throws -> BrowserResponse {
        let query = request.query
        try require(query.repeatedName == nil, "the parameter \(query.repeatedName ?? "") is repeated")
        try require(query["client_id"] == setup.clientID, "client_id is missing or wrong")
        var parameters: Members
        if setup.request.isPushed {
            let names = Set(query.pairs.map(\.name))
            try require(
                names == ["client_id", "request_uri"],
                "with a pushed request, the browser carries \(names.sorted().joined(separator: ", "))")
            let uri = query["request_uri"] ?? ""
            parameters = try require(state.pushed.removeValue(forKey: uri), "the request_uri is unknown or used")
        } else {
            parameters = try effective(query)
            try check(parameters)
        }
        let redirectURI = parameters["redirect_uri"] as? String ?? setup.redirectURI
        var response: Members = [:]
        response["state"] = parameters["state"]
        if setup.isFAPI { response["iss"] = setup.issuer }
        if let error = deviation.authorizationError {
            try require(
                parameters["prompt"] as? String == "none" && "\(parameters["max_age"] ?? "")" == "0",
                "the module needs prompt=none and max_age=0")
            response["error"] = error
        } else {
            response["code"] = issueCode(for: parameters)
        }
        deviation.response(&response)
        return try send(response, to: redirectURI)
    }

    private func issueCode(for parameters: Members) -> String {
        state.signIns += 1
        let scopes = (parameters["scope"] as? String ?? "").split(separator: " ").map { String($0) }
        let code = fresh("code")
        state.codes[code] = Grant(
            scopes: scopes, redirectURI: parameters["redirect_uri"] as? String,
            nonce: parameters["nonce"] as? String, challenge: parameters["code_challenge"] as? String,
            binding: parameters["dpop_jkt"] as? String, details: details(in: parameters),
            maxAge: Int("\(parameters["max_age"] ?? "")"), session: "session-\(state.signIns)")
        if case .afterFirstSignIn = deviation.rotation { state.usesSecondKey = state.signIns > 1 }
        return code
    }

    private func send(_ response: Members, to redirectURI: String) throws -> BrowserResponse {
        var pairs = response.sorted { $0.key < $1.key }.map { (name: $0.key, value: "\($0.value)") }
        if setup.responseMode == .jwt {
            var claims = response
            claims["iss"] = setup.issuer
            claims["aud"] = setup.clientID
            claims["exp"] = now() + 300
            deviation.signedResponse(&claims)
            pairs = [(name: "response", value: try signed(claims, deviation.responseSignature))]
        }
        let encoded = Parameters(pairs).encoded
        guard setup.responseMode == .formPost else {
            return .redirect(redirectURI + (redirectURI.contains("?") ? "&" : "?") + encoded)
        }
        return .post(redirectURI, form: encoded)
    }

    // MARK: What a request must contain

    /// The parameters of a request, those of its request object included (RFC 9101; OpenID Connect Core, section 6.1).
    private func effective(_ sent: Parameters) throws -> Members {
        var parameters = Dictionary(sent.pairs.map { ($0.name, $0.value as Any) }) { first, _ in first }
        guard setup.request.isSigned else {
            try require(sent["request"] == nil, "the request is signed, and nobody asked for it")
            return parameters
        }
        let text = try require(sent["request"], "the request is not signed", "invalid_request_object")
        let object = try requestObject(text)
        if setup.request == .requestObject {
            for name in ["response_type", "client_id", "scope"] {
                try require(
                    sent[name] != nil && sent[name] == object[name] as? String,
                    "\(name) is not outside of the request object, too (OpenID Connect Core, section 6.1)")
            }
        } else {
            let names = Set(sent.pairs.map(\.name))
            let allowed: Set = ["request", "client_id", "client_assertion", "client_assertion_type", "client_secret"]
            try require(names.isSubset(of: allowed), "parameters stand outside of the request object")
        }
        parameters["request"] = nil
        return parameters.merging(object) { $1 }
    }

    private func requestObject(_ text: String) throws -> Members {
        let error = "invalid_request_object"
        let jwt = try require(JWT(text), "the request object is no signed JWT", error)
        try require(signatureNames.contains(jwt.algorithm), "\(jwt.algorithm) may not sign a request object", error)
        try require(isSignedByClient(jwt), "the signature of the request object is invalid", error)
        let type = jwt.header["typ"] as? String
        try require(
            !setup.isFAPI || type == "oauth-authz-req+jwt", "the request object has no type (RFC 9101)", error)
        try require(jwt.string("iss") == setup.clientID, "iss of the request object is not the client", error)
        try require(audiences(of: jwt).contains(setup.issuer), "aud of the request object is not the issuer", error)
        try require(jwt.string("client_id") == setup.clientID, "client_id of the request object is wrong", error)
        try require(jwt.claims["sub"] == nil, "the request object has a sub (RFC 9101, section 10.8)", error)
        for name in ["request", "request_uri"] {
            try require(jwt.claims[name] == nil, "the request object contains \(name)", error)
        }
        if setup.isFAPI {
            let begin = try require(jwt.time("nbf"), "the request object has no nbf", error)
            let end = try require(jwt.time("exp"), "the request object has no exp", error)
            try require(begin <= now() + 60 && now() - begin <= 3600, "nbf is more than 60 minutes ago", error)
            try require(end > now() - 60 && end - begin <= 3600, "exp is more than 60 minutes after nbf", error)
        }
        let protocolClaims: Set = ["iss", "aud", "iat", "nbf", "exp", "jti"]
        return jwt.claims.filter { !protocolClaims.contains($0.key) }
    }

    /// RFC 6749, 7636; OpenID Connect Core, section 3.1.2.1; FAPI 2.0 Security Profile, section 5.3.3.
    private func check(_ parameters: Members) throws {
        func string(_ name: String) -> String? { parameters[name] as? String }
        try require(string("response_type") == "code", "response_type is not code", "unsupported_response_type")
        try require(string("client_id") == setup.clientID, "client_id is missing or wrong", "invalid_client")
        try require(string("redirect_uri") == setup.redirectURI, "redirect_uri is not registered")
        try require((string("state") ?? "").utf8.count >= 16, "state is missing or short")
        let challenge = string("code_challenge") ?? ""
        try require(
            challenge.utf8.count == 43 && string("code_challenge_method") == "S256", "PKCE with S256 is missing")
        let scopes = (string("scope") ?? "").split(separator: " ")
        try require(scopes.contains("openid") == setup.isOpenID, "scope is \(string("scope") ?? "missing")")
        if setup.isOpenID {
            try require((string("nonce") ?? "").utf8.count >= 16, "nonce is missing or short")
        } else {
            try require(string("nonce") == nil && string("claims") == nil, "an OAuth request has claims or a nonce")
        }
        let modes: [String?] =
            switch setup.responseMode {
            case .query: [nil, "query"]
            case .formPost: ["form_post"]
            case .jwt: ["jwt", "query.jwt"]
            }
        try require(modes.contains(string("response_mode")), "response_mode is \(string("response_mode") ?? "missing")")
        if let type = setup.detailsType {
            let requested = details(in: parameters) as? [Members] ?? []
            try require(
                requested.contains { $0["type"] as? String == type }, "authorization_details are missing",
                "invalid_authorization_details")
        }
        if setup.constraint == .dpop, setup.request.isPushed {
            try require(string("dpop_jkt") != nil, "the code is bound to no DPoP key (RFC 9449, section 10)")
        }
    }

    private func details(in parameters: Members) -> Any? {
        guard let text = parameters["authorization_details"] as? String else {
            return parameters["authorization_details"]
        }
        return try? JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    func audiences(of jwt: JWT) -> [String] {
        jwt.claims["aud"] as? [String] ?? jwt.string("aud").map { [$0] } ?? []
    }

    func isSignedByClient(_ jwt: JWT) -> Bool {
        let keys = setup.clientKeys.compactMap { JSON.object($0.utf8) }
        let id = jwt.header["kid"] as? String
        return keys.contains { key in
            (id == nil || key["kid"] as? String == id) && PublicKey(jwk: key).map { jwt.isSigned(by: $0) } ?? false
        }
    }
}
