import CarnetDescriptors
import HTTPTypes

extension AuthorizationServer {
    /// The revocation endpoint (RFC 7009). Either token takes the whole family with it.
    mutating func revocation(_ request: ServerRequest) -> Reply {
        do throws(OAuthError) {
            let (token, client) = try tokenInQuestion(request, at: .revocation, provider.revocation)
            if let id = grantID(of: token), let grant = ledger.grants[id] {
                guard grant.clientID.hasSameBytes(as: client.clientID) else {
                    throw .invalidGrant("the token was issued to another client")
                }
                ledger.revoke(grant: id)
            }
            return Reply(.ok, [.cacheControl: "no-store"])
        } catch {
            return errorReply(error, to: request)
        }
    }

    /// The introspection endpoint (RFC 7662).
    mutating func introspection(_ request: ServerRequest) -> Reply {
        do throws(OAuthError) {
            let rules = ResolvedRequest(method: .post)
            let (token, _) = try tokenInQuestion(request, at: .introspection, rules)
            if let (access, grant) = ledger.activeAccess(token, at: seams.now()) {
                return .json([
                    "active": true,
                    "client_id": .string(grant.clientID),
                    "sub": .string(Identity(grant.user, at: provider).subject),
                    "scope": .string(access.scopes.joined(separator: " ")),
                    "token_type": .string(provider.apiScheme),
                    "iat": .number(String(access.issued.secondsSince1970)),
                    "exp": .number(String(access.end.secondsSince1970)),
                ])
            }
            if let refresh = ledger.refreshTokens[token], !refresh.isUsed, let grant = ledger.grants[refresh.grantID],
                !grant.isRevoked
            {
                return .json(["active": true, "client_id": .string(grant.clientID)])
            }
            return .json(["active": false])
        } catch {
            return errorReply(error, to: request)
        }
    }

    private mutating func tokenInQuestion(
        _ request: ServerRequest, at endpoint: EndpointName, _ rules: ResolvedRequest
    ) throws(OAuthError) -> (token: String, client: SandboxClient) {
        guard let url = endpoints[endpoint] else { throw .serverError("there is no such endpoint") }
        var received = try TokenRequestBody(request, endpoint: url)
        try received.check(request, against: rules)
        let names = ParameterNames(rules)
        let client = try authenticateClient(request, received.parameters, names)
        return (try received.parameters.require("token", names), client)
    }

    private func grantID(of token: String) -> String? {
        ledger.accessTokens[token]?.grantID ?? ledger.refreshTokens[token]?.grantID
    }
}
