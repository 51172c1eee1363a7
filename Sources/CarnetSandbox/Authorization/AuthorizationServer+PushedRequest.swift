import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    private static let pushedLifetime = 60

    /// Whether sign-ins must be pushed (RFC 9126, section 5).
    var demandsPushedRequests: Bool { provider.authorization.pushed.use == .always }

    /// The pushed authorization request endpoint (RFC 9126, section 2).
    mutating func pushedAuthorizationRequest(_ request: ServerRequest) throws(OAuthError) -> Reply {
        guard request.method == .post else { return .methodNotAllowed(request.method, allowed: "POST") }
        let body = try TokenRequestBody(request, endpoint: endpoints[.pushedAuthorizationRequest] ?? request.url)
        guard body.encoding == .form else { throw .invalidRequest("the parameters are not sent as a form") }
        let received = body.parameters
        guard !received.contains("request_uri") else {
            throw .invalidRequest("request_uri cannot be pushed (RFC 9126, section 2.1)")
        }
        let client = try authenticateClient(request, received, ParameterNames(provider.authorization))
        let parameters = try unsigned(received)
        let checked = try translating({ (refusal: AuthorizationRefusal) in refusal.error }, try check(parameters))
        guard checked.client.clientID.isSameBytes(as: client.clientID) else {
            throw .invalidRequest("the request belongs to another client")
        }
        let reference = "urn:ietf:params:oauth:request_uri:" + seams.randomText()
        let now = seams.now().secondsSince1970
        ledger.pushedRequests[reference] = PendingRequest(request: checked, endsAfter: now + Self.pushedLifetime)
        return .json(
            ["request_uri": .string(reference), "expires_in": .number(String(Self.pushedLifetime))], status: .created)
    }

    /// The request that a reference stands for; it is good for one use and beside nothing but the client's id.
    mutating func pushedRequest(_ received: ReceivedParameters) throws(AuthorizationRefusal) -> AuthorizationRequest? {
        guard let reference = received["request_uri"] else {
            guard !demandsPushedRequests else {
                throw .shown("\(provider.name) accepts pushed requests only (RFC 9126).")
            }
            return nil
        }
        let rules = provider.authorization
        let names = ParameterNames(rules)
        let allowed = [names["client_id"], "request_uri"] + rules.pushed.repeated.map { names[$0] }
        if let other = received.pairs.first(where: { !allowed.contains($0.name) }) {
            throw .shown(
                "The parameter \(other.name) is not allowed with request_uri; it belongs in the pushed request.")
        }
        let sent = RequestKind.authorization.parameterNames
        for name in rules.pushed.repeated where sent.contains(name) && !received.contains(names[name]) {
            throw .shown("The parameter \(names[name]) is missing; request_uri requires it.")
        }
        guard let pushed = ledger.pushedRequests[reference] else {
            throw .shown("There is no such pushed request, or it was used already.")
        }
        ledger.pushedRequests[reference] = nil
        guard seams.now().secondsSince1970 <= pushed.endsAfter else { throw .shown("The pushed request has expired.") }
        guard received[names["client_id"]]?.isSameBytes(as: pushed.request.client.clientID) == true else {
            throw .shown("The pushed request belongs to another client.")
        }
        return pushed.request
    }
}
