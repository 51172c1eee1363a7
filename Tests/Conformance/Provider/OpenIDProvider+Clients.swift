import Foundation

extension OpenIDProvider {
    /// A form that has each parameter once (RFC 6749, section 3.2).
    func checkedForm(of request: Request) throws -> Parameters {
        let type = request.header("Content-Type") ?? ""
        try require(type.hasPrefix("application/x-www-form-urlencoded"), "the body has the type \(type)")
        let form = request.form
        try require(form.repeatedName == nil, "the parameter \(form.repeatedName ?? "") is repeated")
        try require(request.query.pairs.isEmpty, "parameters are in the URL")
        return form
    }

    /// RFC 6749, section 2.3; RFC 7523; RFC 8705; OpenID Connect Core, section 9.
    func authenticate(_ form: Parameters, of request: Request) throws {
        func check(_ isKept: Bool, _ violation: @autoclosure () -> String) throws {
            guard isKept else { throw Rejection(violation(), "invalid_client", status: 401) }
        }
        let basic = request.header("Authorization")
        let assertion = form["client_assertion"].flatMap { JWT($0) }
        let ways = [basic != nil, form["client_secret"] != nil, form["client_assertion"] != nil]
        try check(ways.count { $0 } <= 1, "the client authenticates in several ways")
        try check(form["client_id"] == nil || form["client_id"] == setup.clientID, "client_id is wrong")
        let method: Setup.Authentication
        if let basic {
            method = .clientSecretBasic
            let sent = basic.hasPrefix("Basic ") ? Data(base64Encoded: String(basic.dropFirst(6))) : nil
            let pair = String(decoding: sent ?? Data(), as: UTF8.self).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            try check(
                pair.map { Parameters.decoded($0) } == [setup.clientID, setup.clientSecret ?? ""], "the secret is wrong"
            )
        } else if let secret = form["client_secret"] {
            method = .clientSecretPost
            try check(secret == setup.clientSecret && form["client_id"] != nil, "the secret is wrong")
        } else if let assertion {
            method = assertion.algorithm.hasPrefix("HS") ? .clientSecretJWT : .privateKeyJWT
            try checkAssertion(assertion, form, check)
        } else if request.certificate != nil, setup.authentication.isMutualTLS {
            method = setup.authentication
            try check(request.certificate == setup.certificate, "another certificate is presented")
            try check(form["client_id"] != nil, "client_id is missing (RFC 8705, section 2)")
        } else {
            method = .none
            try check(form["client_id"] != nil, "the client does not identify itself")
        }
        try check(
            method == setup.authentication,
            "the client authenticates by \(method.rawValue) instead of \(setup.authentication.rawValue)")
    }

    private func checkAssertion(
        _ assertion: JWT, _ form: Parameters, _ check: (Bool, @autoclosure () -> String) throws -> Void
    ) throws {
        let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        try check(form["client_assertion_type"] == type, "client_assertion_type is wrong")
        if assertion.algorithm == "HS256" {
            let key = PublicKey.secret(Array((setup.clientSecret ?? "").utf8))
            try check(assertion.isSigned(by: key), "the signature of the assertion is invalid")
        } else {
            try check(signatureNames.contains(assertion.algorithm), "\(assertion.algorithm) may not sign an assertion")
            try check(isSignedByClient(assertion), "the signature of the assertion is invalid")
        }
        try check(
            assertion.string("iss") == setup.clientID && assertion.string("sub") == setup.clientID,
            "iss and sub of the assertion are not the client")
        if setup.isFAPI {
            try check(assertion.string("aud") == setup.issuer, "aud of the assertion is not the issuer as a string")
        } else {
            let accepted = [setup.issuer, setup.issuer + "/token"]
            try check(
                !audiences(of: assertion).filter { accepted.contains($0) }.isEmpty, "aud of the assertion is wrong")
        }
        let end = assertion.time("exp") ?? 0
        try check(end > now() - 10 && end <= now() + 600, "exp of the assertion is missing, past or far away")
        try check((assertion.time("iat") ?? 0) <= now() + 10, "iat of the assertion is in the future")
        try checkFresh(assertion, check)
    }

    private func checkFresh(_ jwt: JWT, _ check: (Bool, @autoclosure () -> String) throws -> Void) throws {
        let id = jwt.string("jti") ?? ""
        try check(!id.isEmpty && state.usedIDs.insert(id).inserted, "jti is missing or used")
    }

    // MARK: DPoP (RFC 9449, section 4.3)

    /// - Returns: The thumbprint of the key that the proof proves.
    func provedKey(_ proof: String, for request: Request, token: String?) throws -> String {
        let error = "invalid_dpop_proof"
        let jwt = try require(JWT(proof), "the DPoP proof is no signed JWT", error)
        try require(jwt.header["typ"] as? String == "dpop+jwt", "typ of the DPoP proof is wrong", error)
        try require(
            ["ES256", "PS256", "EdDSA"].contains(jwt.algorithm), "\(jwt.algorithm) may not sign a proof", error)
        let jwk = try require(jwt.header["jwk"] as? Members, "the DPoP proof has no key", error)
        try require(jwk["d"] == nil && jwk["k"] == nil, "the DPoP proof contains a private key", error)
        let key = try require(PublicKey(jwk: jwk), "the key of the DPoP proof is unusable", error)
        try require(jwt.isSigned(by: key), "the signature of the DPoP proof is invalid", error)
        try require(jwt.string("htm") == request.method, "htm of the DPoP proof is wrong", error)
        try require(jwt.string("htu") == request.target, "htu of the DPoP proof is \(jwt.string("htu") ?? "-")", error)
        let issued = try require(jwt.time("iat"), "the DPoP proof has no iat", error)
        try require(abs(issued - now()) <= 60, "iat of the DPoP proof is not now", error)
        try require(
            jwt.string("ath") == token.map { Hash.s256($0) }, "ath of the DPoP proof is missing or wrong", error)
        try checkFresh(jwt) { try require($0, "\($1()) in the DPoP proof", error) }
        if setup.requiresDPoPNonce { try checkNonce(of: jwt, isResource: token != nil) }
        return PublicKey.thumbprint(of: jwk)
    }

    private func checkNonce(of proof: JWT, isResource: Bool) throws {
        let current = isResource ? state.nonces.resource : state.nonces.token
        guard proof.string("nonce") != current else { return }
        var reply = Reply.json(
            ["error": "use_dpop_nonce"], status: isResource ? 401 : 400, headers: [("DPoP-Nonce", current)])
        if isResource {
            reply.headers.append(("WWW-Authenticate", "\(deviation.dpopScheme) error=\"use_dpop_nonce\""))
        }
        throw Rejection(reply: reply)
    }

    /// A server may require another nonce for the next request (RFC 9449, section 8.2).
    func nextNonce(isResource: Bool) -> [(name: String, value: String)] {
        guard setup.constraint == .dpop, setup.requiresDPoPNonce else { return [] }
        let next = fresh("nonce")
        if isResource { state.nonces.resource = next } else { state.nonces.token = next }
        return [("DPoP-Nonce", next)]
    }

    // MARK: Registration (RFC 7591; OpenID Connect Dynamic Client Registration, section 3.1)

    func registration(_ request: Request) throws -> Reply {
        let error = "invalid_client_metadata"
        try require(setup.isDynamic, "nobody announced a registration endpoint")
        try require(request.method == "POST", "a registration is a POST")
        try require(
            (request.header("Content-Type") ?? "").hasPrefix("application/json"), "the registration is not JSON")
        var client = try require(JSON.object(request.body), "the registration is not a JSON object", error)
        let redirectURIs = client["redirect_uris"] as? [String] ?? []
        try require(!redirectURIs.isEmpty, "redirect_uris are missing", "invalid_redirect_uri")
        if client["application_type"] as? String ?? "web" == "web" {
            try require(
                redirectURIs.allSatisfy { $0.hasPrefix("https://") && !$0.hasPrefix("https://localhost") },
                "a web client has a redirect URI that is not https", "invalid_redirect_uri")
        }
        let types = client["response_types"] as? [String] ?? ["code"]
        let grants = client["grant_types"] as? [String] ?? ["authorization_code"]
        try require(types == ["code"], "response_types are not code", error)
        try require(grants.contains("authorization_code"), "grant_types do not fit the response types", error)
        let name = client["token_endpoint_auth_method"] as? String ?? "client_secret_basic"
        let method = try require(Setup.Authentication(rawValue: name), "\(name) is no method", error)
        let announced = setup.announced ?? [setup.authentication]
        try require(announced.contains(method), "\(name) is not announced", error)
        try require(client["jwks"] == nil || client["jwks_uri"] == nil, "there are jwks and a jwks_uri", error)
        state.setup.clientID = fresh("client")
        state.setup.redirectURI = redirectURIs[0]
        state.setup.authentication = method
        if let keys = (client["jwks"] as? Members)?["keys"] as? [Members] {
            try require(keys.allSatisfy { $0["d"] == nil }, "the registration contains a private key", error)
            state.setup.clientKeys = keys.map { String(decoding: JSON.bytes($0), as: UTF8.self) }
        }
        if let name = client["userinfo_signed_response_alg"] as? String { state.setup.userinfoSignature = name }
        client["client_id"] = state.setup.clientID
        client["client_id_issued_at"] = now()
        if ["client_secret_basic", "client_secret_post", "client_secret_jwt"].contains(name) {
            let secret = fresh("secret")
            state.setup.clientSecret = secret
            client["client_secret"] = secret
            client["client_secret_expires_at"] = 0
        }
        return .json(client, status: 201)
    }

    /// The client id, which a registration changes.
    package var clientID: String { locked { setup.clientID } }
}
