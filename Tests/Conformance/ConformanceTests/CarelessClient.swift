import CarnetProtocol
import ConformanceProvider
import Foundation

/// A client that sends what the standards ask for and validates nothing that it receives.
///
/// Each module whose provider deviates must fail with it; otherwise the module proves nothing.
struct CarelessClient {
    typealias Request = ConformanceProvider.Request

    /// A rule that the client breaks, for the tests of the provider.
    enum Fault: String, CaseIterable, Sendable {
        case noChallenge, wrongVerifier, wrongRedirectURI, noState, noNonce, wrongSecret, repeatedParameter
        case unsignedRequest, parametersBesidePushed, notPushed
        case tokenEndpointAsAudience, assertionTwice, rs256Assertion
        case noProof, wrongProofTarget, proofTwice, proofWithoutTokenHash, otherProofKey
        case noCertificate, otherCertificate, tokenInQuery, codeTwice
    }

    let module: Module
    let provider: OpenIDProvider
    var fault: Fault?
    private var key = PrivateKey.p256(id: nil)
    private var metadata: Members = [:]
    private var nonces: [String: String] = [:]
    private var counter = 0
    private var accounts = 0

    init(_ module: Module, fault: Fault? = nil) {
        self.module = module
        self.fault = fault
        provider = OpenIDProvider(module.setup, module.deviation) { Driver.now }
    }

    static func run(_ module: Module, fault: Fault? = nil) -> Run {
        var client = CarelessClient(module, fault: fault)
        var run = Run()
        do {
            try client.drive()
        } catch {
            run.problems.append("\(error)")
        }
        run.accounts = client.accounts
        run.exchanges = client.provider.exchanges
        return run
    }

    private var setup: Setup { module.setup }

    private mutating func drive() throws {
        let path = setup.isOpenID ? "/.well-known/openid-configuration" : "/.well-known/oauth-authorization-server"
        metadata = try Self.object(send(Request("GET", setup.issuer + path)))
        if setup.isOpenID, let url = metadata["jwks_uri"] as? String { _ = try send(Request("GET", url)) }
        if setup.isDynamic { try register() }
        switch module.flow {
        case .signIn, .registration, .site: try use(try signIn())
        case .twoSignIns:
            try use(try signIn())
            try use(try signIn())
            accounts = 1
        case .refresh:
            let old = try signIn()
            try use(
                try requestToken([
                    "grant_type": "refresh_token", "refresh_token": old["refresh_token"] as? String ?? "",
                ]))
        case .clientCredentials:
            try use(try requestToken(["grant_type": "client_credentials", "scope": "accounts"]))
        }
    }

    // MARK: Steps

    private var clientID: String { provider.clientID }
    private var secret: String?

    private mutating func register() throws {
        let body: Members = [
            "redirect_uris": [setup.redirectURI], "token_endpoint_auth_method": "client_secret_basic",
        ]
        let url = metadata["registration_endpoint"] as? String ?? ""
        let reply = try Self.object(
            send(Request("POST", url, headers: [("Content-Type", "application/json")], body: JSON.bytes(body))))
        secret = reply["client_secret"] as? String
    }

    private mutating func signIn() throws -> Members {
        let verifier = String(repeating: "careless-client-", count: 3)
        var parameters: [String: String] = [
            "response_type": "code", "client_id": clientID, "redirect_uri": setup.redirectURI,
            "scope": module.scopes.joined(separator: " "), "state": "state-of-the-careless-client",
        ]
        if fault != .noChallenge {
            parameters["code_challenge"] = Self.challenge(verifier)
            parameters["code_challenge_method"] = "S256"
        }
        if setup.isOpenID { parameters["nonce"] = "nonce-of-the-careless-client" }
        if setup.responseMode != .query {
            parameters["response_mode"] = setup.responseMode == .jwt ? "jwt" : "form_post"
        }
        if setup.constraint == .dpop { parameters["dpop_jkt"] = key.thumbprint }
        if module.details { parameters["authorization_details"] = #"[{"type":"account_information"}]"# }
        if module.isSilent { parameters.merge(["prompt": "none", "max_age": "0"]) { $1 } }
        if fault == .noState { parameters["state"] = nil }
        if fault == .noNonce { parameters["nonce"] = nil }
        if fault == .wrongRedirectURI { parameters["redirect_uri"] = setup.redirectURI + "/other" }
        let response = try callback(provider.authorize(try authorizationURL(parameters)))
        guard let code = response["code"] else { throw Stuck(page: response["error"] ?? "there is no code") }
        var form = ["grant_type": "authorization_code", "code": code, "redirect_uri": setup.redirectURI]
        form["code_verifier"] = fault == .wrongVerifier ? String(verifier.reversed()) : verifier
        if fault == .otherProofKey { key = .p256(id: nil) }
        let tokens = try requestToken(form)
        if fault == .codeTwice { _ = try requestToken(form) }
        accounts = 1
        return tokens
    }

    private mutating func authorizationURL(_ parameters: [String: String]) throws -> String {
        var parameters = parameters
        if setup.request.isSigned, fault != .unsignedRequest {
            var claims: Members = parameters
            claims["iss"] = clientID
            claims["aud"] = setup.issuer
            claims["nbf"] = Driver.now
            claims["exp"] = Driver.now + 60
            let object = JWT.signed(
                claims, header: ["typ": "oauth-authz-req+jwt"], algorithm: "ES256", by: ClientKeys.signing)
            let outside = setup.request == .requestObject ? ["client_id", "response_type", "scope"] : ["client_id"]
            parameters = parameters.filter { outside.contains($0.key) }.merging(["request": object]) { $1 }
        }
        if setup.request.isPushed, fault != .notPushed {
            let pushed = try Self.object(post("pushed_authorization_request_endpoint", parameters))
            parameters = ["client_id": clientID, "request_uri": pushed["request_uri"] as? String ?? ""]
            if fault == .parametersBesidePushed { parameters["scope"] = "openid" }
        }
        var pairs = parameters.map { (name: $0.key, value: $0.value) }
        if fault == .repeatedParameter { pairs.append(pairs[0]) }
        return setup.issuer + "/authorize?" + Parameters(pairs).encoded
    }

    private func callback(_ response: BrowserResponse) throws -> [String: String] {
        let text: Substring
        switch response {
        case .redirect(let url): text = url.drop { $0 != "?" }.dropFirst()
        case .post(_, let form): text = form[...]
        case .page(let page): throw Stuck(page: page)
        }
        let sent = Parameters(encoded: text)
        if let jwt = sent["response"].flatMap({ JWT($0) }) { return jwt.claims.compactMapValues { $0 as? String } }
        return Dictionary(sent.pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private mutating func requestToken(_ form: [String: String]) throws -> Members {
        try Self.object(post("token_endpoint", form))
    }

    private mutating func use(_ tokens: Members) throws {
        let token = tokens["access_token"] as? String ?? ""
        if setup.isOpenID, let url = endpoint("userinfo_endpoint") { try call(url, token) }
        let host = setup.constraint == .mtls ? setup.certificateOrigin : setup.issuer
        if setup.isFAPI { try call(host + "/accounts", token) }
    }

    private mutating func call(_ url: String, _ token: String) throws {
        if fault == .tokenInQuery { _ = try send(Request("GET", url + "?access_token=" + token)) }
        let scheme = setup.constraint == .dpop ? "DPoP" : "Bearer"
        let reply = try sendProved(Request("GET", url, headers: [("Authorization", "\(scheme) \(token)")]), token)
        if reply.status != 200 { throw Stuck(page: String(decoding: reply.body, as: UTF8.self)) }
    }
}

// MARK: Requests

extension CarelessClient {
    private func endpoint(_ name: String) -> String? {
        let aliases = metadata["mtls_endpoint_aliases"] as? Members
        let usual = metadata[name] as? String
        return setup.certificate == nil ? usual : aliases?[name] as? String ?? usual
    }

    private mutating func post(_ name: String, _ form: [String: String]) throws -> Reply {
        var form = form
        var headers = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
        let secret = (secret ?? setup.clientSecret).map { fault == .wrongSecret ? $0 + "!" : $0 }
        switch setup.authentication {
        case .clientSecretBasic:
            let pair = Parameters([(clientID, secret ?? "")]).encoded.replacingOccurrences(of: "=", with: ":")
            headers.append(("Authorization", "Basic " + Data(pair.utf8).base64EncodedString()))
        case .clientSecretPost: form.merge(["client_id": clientID, "client_secret": secret ?? ""]) { $1 }
        case .clientSecretJWT: addAssertion(&form, "HS256", by: .secret(secret ?? ""))
        case .privateKeyJWT: addAssertion(&form, "ES256", by: ClientKeys.signing)
        case .none, .tlsClientAuth, .selfSignedTLSClientAuth: form["client_id"] = clientID
        }
        let body = Parameters(form.map { ($0.key, $0.value) }).encoded
        return try sendProved(
            Request("POST", endpoint(name) ?? "", headers: headers, body: Array(body.utf8)), nil,
            isProved: name == "token_endpoint", form: form)
    }

    private mutating func addAssertion(_ form: inout [String: String], _ algorithm: String, by key: PrivateKey) {
        counter += 1
        let claims: Members = [
            "iss": clientID, "sub": clientID, "exp": Driver.now + 60, "iat": Driver.now,
            "jti": fault == .assertionTwice ? "assertion" : "assertion \(counter)",
            "aud": fault == .tokenEndpointAsAudience ? setup.issuer + "/token" : setup.issuer,
        ]
        let algorithm = fault == .rs256Assertion ? "RS256" : algorithm
        form["client_id"] = clientID
        form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        form["client_assertion"] = JWT.signed(claims, algorithm: algorithm, by: key)
    }

    /// Sends a request with a DPoP proof, and once more if the server wants a nonce.
    private mutating func sendProved(
        _ request: Request, _ token: String?, isProved: Bool = true, form: [String: String] = [:]
    ) throws -> Reply {
        guard setup.constraint == .dpop, isProved, fault != .noProof else { return try send(request) }
        let role = token == nil ? "token" : "resource"
        for _ in 0..<2 {
            var request = request
            request.headers.append(("DPoP", proof(for: request, token, nonces[role])))
            if setup.authentication == .privateKeyJWT, !form.isEmpty {
                var form = form
                addAssertion(&form, "ES256", by: ClientKeys.signing)
                request.body = Array(Parameters(form.map { ($0.key, $0.value) }).encoded.utf8)
            }
            let reply = try send(request)
            let nonce = reply.headers.first { $0.name == "DPoP-Nonce" }?.value
            let isMissing = reply.status >= 400 && nonce != nil && nonce != nonces[role]
            nonces[role] = nonce ?? nonces[role]
            if !isMissing { return reply }
        }
        throw Stuck(page: "the server wants another nonce")
    }

    private mutating func proof(for request: Request, _ token: String?, _ nonce: String?) -> String {
        counter += 1
        let target = request.url.prefix { $0 != "?" }
        var claims: Members = [
            "htm": request.method, "htu": fault == .wrongProofTarget ? "\(target)/other" : String(target),
            "iat": Driver.now, "jti": fault == .proofTwice ? "proof" : "proof \(counter)",
        ]
        claims["nonce"] = nonce
        if let token, fault != .proofWithoutTokenHash { claims["ath"] = Self.challenge(token) }
        let header: Members = ["typ": "dpop+jwt", "jwk": key.jwk() ?? [:]]
        return JWT.signed(claims, header: header, algorithm: "ES256", by: key)
    }

    private func send(_ request: Request) throws -> Reply {
        var request = request
        if setup.certificate != nil, fault != .noCertificate {
            request.certificate = fault == .otherCertificate ? [0] : setup.certificate
        }
        guard let reply = provider.respond(to: request) else { throw Stuck(page: "TLS failed") }
        return reply
    }

    private static func object(_ reply: Reply) throws -> Members {
        guard reply.status < 300, let members = JSON.object(reply.body) else {
            throw Stuck(page: String(decoding: reply.body, as: UTF8.self))
        }
        return members
    }

    /// BASE64URL(SHA256(text)), by the provider's means.
    private static func challenge(_ text: String) -> String { ConformanceProvider.Hash.s256(text) }
}
