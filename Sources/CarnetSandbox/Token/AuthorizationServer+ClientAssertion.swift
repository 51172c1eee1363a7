import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

extension AuthorizationServer {
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// The assertion of a request, for a client that is registered for one (RFC 7521, section 4.2).
    func receivedAssertion(
        _ received: ReceivedParameters, _ names: ParameterNames
    ) throws(OAuthError) -> String? {
        guard provider.client.assertion.sendAs == .clientAssertion else { return received[names["client_secret"]] }
        guard let token = received[names["client_assertion"]] else { return nil }
        guard received[names["client_assertion_type"]] == Self.assertionType else {
            throw .invalidClient("client_assertion_type is not \(Self.assertionType)")
        }
        return token
    }

    /// Verifies an assertion, and takes it once (RFC 7523, section 3; OpenID Connect Core, section 9).
    mutating func verify(
        _ token: String, of client: SandboxClient, _ method: ClientAuthenticationMethod
    ) throws(OAuthError) {
        let rules = provider.client.assertion
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]).flatMap({ try? JSONValue(parsing: $0) }),
            let claims = JSONWebToken.claims(of: token)?.object, let signature = Base64URL.decode(parts[2]),
            let algorithm = header["alg"]?.string.flatMap(AssertionAlgorithm.init)
        else { throw .invalidClient("the assertion is not a JWT of a known algorithm") }
        guard algorithm.isSymmetric == (method == .clientSecretJWT) else {
            throw .invalidClient("the algorithm \(algorithm.rawValue) is not allowed with \(method.rawValue)")
        }
        if let wanted = rules.algorithm, wanted != algorithm {
            throw .invalidClient("the algorithm is \(algorithm.rawValue); it must be \(wanted.rawValue)")
        }
        let signed = Array(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        guard isSigned(signed, signature, algorithm, keyID: header["kid"]?.string, client) else {
            throw .invalidClient("the assertion is not signed as registered")
        }
        let redirect = client.redirectURIs.first ?? ""
        try take(
            claims, rules, of: client, about: rules.subject(clientID: client.clientID, redirectURI: redirect),
            refusal: OAuthError.invalidClient)
    }

    private func isSigned(
        _ message: [UInt8], _ signature: [UInt8], _ algorithm: AssertionAlgorithm, keyID: String?,
        _ client: SandboxClient
    ) -> Bool {
        if algorithm.isSymmetric {
            let key = SymmetricKey(data: Array((client.clientSecret ?? "").utf8))
            return switch algorithm {
            case .HS256: HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: message, using: key)
            case .HS384: HMAC<SHA384>.isValidAuthenticationCode(signature, authenticating: message, using: key)
            default: HMAC<SHA512>.isValidAuthenticationCode(signature, authenticating: message, using: key)
            }
        }
        let keys = client.keys.compactMap(RegisteredKey.init)
        let candidates: [RegisteredKey]
        switch provider.client.assertion.keyID {
        case .ofKey: candidates = keys.filter { $0.id == keyID }
        case .absent: candidates = keyID == nil ? keys : []
        case .text(let id): candidates = keyID == id ? keys : []
        }
        return candidates.contains { $0.isValid(signature, over: message, algorithm) }
    }

    /// Whether an audience is a sandbox, or the server that it stands for.
    func isAudience(_ audience: String, or server: String) -> Bool {
        audience.isSameBytes(as: Sandbox.audience) || audience.isSameBytes(as: server)
    }

    /// Validates from whom and for whom an assertion is, and takes it once.
    ///
    /// - Parameters:
    ///   - subject: Whom it must be about; anybody if `nil`.
    ///   - refusal: Says what is wrong with it.
    mutating func take(
        _ claims: JSONObject, _ rules: ResolvedAssertion, of client: SandboxClient, about subject: String?,
        refusal: (String) -> OAuthError
    ) throws(OAuthError) {
        let redirect = client.redirectURIs.first ?? ""
        let audience = rules.audience(issuer: provider.issuer, tokenEndpoint: endpoints[.token]) ?? ""
        // A client that knows no issuer but from the metadata, or none, is right in what it knows (RFC 7523, section 3).
        let isFound = provider.issuer == nil || provider.resource != nil
        let others = isFound ? [tokenIssuer, nil] : []
        let audiences = [audience] + others.compactMap { rules.audience(issuer: $0, tokenEndpoint: endpoints[.token]) }
        guard claims["aud"]?.string.map({ sent in audiences.contains { isAudience(sent, or: $0) } }) == true else {
            throw refusal("the assertion's claim aud is not \"\(audience)\"")
        }
        let wanted =
            [Named("iss", rules.issuer(clientID: client.clientID, redirectURI: redirect))]
            + (subject.map { [Named("sub", $0)] } ?? []) + rules.claims
        for claim in wanted where claims[claim.name]?.string?.isSameBytes(as: claim.value) != true {
            throw refusal("the assertion's claim \(claim.name) is not \"\(claim.value)\"")
        }
        let now = seams.now().secondsSince1970
        guard let issued = claims["iat"]?.integer, let end = claims["exp"]?.integer, issued <= now + 5, end > now,
            end - issued <= rules.lifetime
        else { throw refusal("the assertion is not valid now, or is valid for longer than \(rules.lifetime) s") }
        guard let id = claims["jti"]?.string, id.utf8.count >= 16 else {
            throw refusal("the assertion has no jti, or one that is too short")
        }
        guard ledger.assertions[id] == nil else { throw refusal("the assertion was used before") }
        ledger.assertions[id] = end
    }
}
