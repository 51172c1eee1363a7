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
        let type = received[names["client_assertion_type"]]
        guard type == Self.assertionType || type == nil && names.omits("client_assertion_type") else {
            throw .invalidClient("client_assertion_type is not \(Self.assertionType)")
        }
        return token
    }

    /// Verifies an assertion, and takes it once (RFC 7523, section 3; OpenID Connect Core, section 9).
    mutating func verify(
        _ text: String, of client: SandboxClient, _ method: ClientAuthenticationMethod
    ) throws(OAuthError) {
        let rules = provider.client.assertion
        guard let token = JSONWebToken(text), let claims = token.claims.object,
            let algorithm = token.header["alg"]?.string.flatMap(AssertionAlgorithm.init)
        else { throw .invalidClient("the assertion is not a JWT of a known algorithm") }
        guard algorithm.isSymmetric == (method == .clientSecretJWT) else {
            throw .invalidClient("the algorithm \(algorithm.rawValue) is not allowed with \(method.rawValue)")
        }
        if let wanted = rules.algorithm, wanted != algorithm {
            throw .invalidClient("the algorithm is \(algorithm.rawValue); it must be \(wanted.rawValue)")
        }
        guard isSigned(token, algorithm, by: client) else {
            throw .invalidClient("the assertion is not signed as registered")
        }
        let redirect = client.redirectURIs.first ?? ""
        try take(
            claims, rules, of: client, about: rules.subject(clientID: client.clientID, redirectURI: redirect),
            refusal: OAuthError.invalidClient)
    }

    private func isSigned(
        _ token: JSONWebToken, _ algorithm: AssertionAlgorithm, by client: SandboxClient
    ) -> Bool {
        func isMadeWithSecret<Hash: HashFunction>(_ hash: Hash.Type) -> Bool {
            let key = SymmetricKey(data: Array((client.clientSecret ?? "").utf8))
            return HMAC<Hash>.isValidAuthenticationCode(token.signature, authenticating: token.signed, using: key)
        }
        return switch algorithm {
        case .HS256: isMadeWithSecret(SHA256.self)
        case .HS384: isMadeWithSecret(SHA384.self)
        case .HS512: isMadeWithSecret(SHA512.self)
        default: client.hasSigned(token, algorithm, keyID: provider.client.assertion.keyID)
        }
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
        let others = isFound ? [metadataIssuer, tokenIssuer, nil] : []
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
