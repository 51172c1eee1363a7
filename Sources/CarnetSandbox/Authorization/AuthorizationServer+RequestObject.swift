import CarnetDescriptors
import CarnetFoundation

extension AuthorizationServer {
    /// The parameters of a request: those of its signed request object (RFC 9101, section 6), or its own.
    mutating func unsigned(_ received: ReceivedParameters) throws(OAuthError) -> ReceivedParameters {
        let rules = provider.authorization.requestObject
        guard let token = received["request"], !isOwnParameter(token) else {
            guard rules.use != .always else { throw Self.unusable("signed requests are required (RFC 9101)") }
            return received
        }
        guard rules.use != .never else {
            throw OAuthError("request_not_supported", "signed requests are not supported")
        }
        let names = ParameterNames(provider.authorization)
        guard let id = received[names["client_id"]], let client = client(id) else {
            throw Self.unusable("client_id is missing next to the signed request, or unknown")
        }
        let object = try translating(
            { (error: OAuthError) in Self.unusable(error.description) },
            try ReceivedToken(token, signedBy: client, algorithm: rules.algorithm?.rawValue))
        try check(object, of: client)
        let parameters = try parameters(of: object)
        // The endpoint's own query stays (RFC 6749, section 3.1).
        let own = try ReceivedParameters(form: endpoints[.authorization]?.query ?? "")
        for item in received.pairs where item.name != "request" {
            let isRepeated = item.name == names["client_id"] || rules.repeated.contains { names[$0] == item.name }
            guard isRepeated || own.contains(item.name) || Self.authenticating.contains(item.name) else {
                throw Self.unusable("the parameter \(item.name) is not allowed next to the signed request")
            }
            guard !isRepeated || parameters[item.name]?.isSameBytes(as: item.value) == true else {
                throw Self.unusable("the parameter \(item.name) differs from the signed request's")
            }
        }
        for name in rules.repeated where parameters.contains(names[name]) && !received.contains(names[name]) {
            throw Self.unusable("the parameter \(names[name]) is missing next to the signed request")
        }
        return parameters
    }

    /// Whether `request` is a parameter of the provider's own, which has nothing to do with RFC 9101.
    private func isOwnParameter(_ value: String) -> Bool {
        provider.authorization.parameters.contains { $0.name == "request" && $0.value.isSameBytes(as: value) }
    }

    private static func unusable(_ text: String) -> OAuthError { OAuthError("invalid_request_object", text) }

    /// The parameters that authenticate the client of a pushed request.
    private static let authenticating: Set = ["client_secret", "client_assertion", "client_assertion_type"]

    private static let ownClaims: Set = ["iss", "aud", "iat", "nbf", "exp", "jti"]

    private mutating func check(_ object: ReceivedToken, of client: SandboxClient) throws(OAuthError) {
        let claims = object.claims
        guard object.type == "oauth-authz-req+jwt" else { throw Self.unusable("the type is not oauth-authz-req+jwt") }
        guard claims["iss"]?.string?.isSameBytes(as: client.clientID) == true else {
            throw Self.unusable("iss is not the client's id")
        }
        let audience = provider.authorization.requestObject.audience ?? provider.issuer ?? ""
        guard claims["aud"]?.string.map({ isAudience($0, or: audience) }) == true else {
            throw Self.unusable("aud is not \(audience)")
        }
        for name in ["sub", "request", "request_uri"] where claims[name] != nil {
            throw Self.unusable("a signed request has no \(name)")
        }
        let now = seams.now().secondsSince1970
        guard let start = claims["nbf"]?.integer, let issued = claims["iat"]?.integer,
            let end = claims["exp"]?.integer, start <= now + 5, issued <= now + 5, end > now, end - start <= 3600
        else { throw Self.unusable("the signed request is not valid now, or is valid for longer than an hour") }
        guard let id = claims["jti"]?.string, id.utf8.count >= 16, ledger.requestObjects[id] == nil else {
            throw Self.unusable("jti is missing, too short, or was used before")
        }
        ledger.requestObjects[id] = end
    }

    private func parameters(of object: ReceivedToken) throws(OAuthError) -> ReceivedParameters {
        var pairs: [(name: String, value: String)] = []
        for claim in object.claims.members where !Self.ownClaims.contains(claim.name) {
            switch claim.value {
            case .string(let text):
                guard !["max_age", "claims", "authorization_details"].contains(claim.name) else {
                    throw Self.unusable("\(claim.name) is a string")
                }
                pairs.append((claim.name, text))
            case .number(let digits): pairs.append((claim.name, digits))
            case .array(let elements) where claim.name != "authorization_details":
                pairs += elements.compactMap { element in element.string.map { (claim.name, $0) } }
            case .array, .object: pairs.append((claim.name, claim.value.jsonText()))
            default: throw Self.unusable("\(claim.name) is neither a string nor a number")
            }
        }
        return ReceivedParameters(pairs)
    }
}
