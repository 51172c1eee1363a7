public import CarnetDescriptors
public import CarnetFoundation

extension Sandbox {
    /// A signed access token of a provider (RFC 9068), as if a client had it: for the test of a resource server.
    ///
    /// - Parameters:
    ///   - audience: The name of the resource server.
    ///   - provider: The issuer; by default the first provider of the sandbox.
    ///   - claims: An object with further claims, or other values of those that the token has anyway. `null` removes a
    ///     claim.
    ///   - type: The `typ` of the header; default: `at+jwt`.
    /// - Throws: An error if the sandbox has no such provider, or its key cannot be made.
    public func accessToken(
        for audience: String, scopes: [String] = [], from provider: ProviderID? = nil, claims: JSONValue = [:],
        type: String = "at+jwt"
    ) throws -> String {
        let index = servers.firstIndex { provider == nil || $0.provider.id == provider }
        guard let index else { throw SandboxRefusal(status: 404, text: "the sandbox has no such provider") }
        return try servers[index].accessToken(for: audience, scopes: scopes, changing: claims, type: type)
    }
}

extension AuthorizationServer {
    fileprivate mutating func accessToken(
        for audience: String, scopes: [String], changing changes: JSONValue, type: String
    ) throws -> String {
        let now = seams.now().secondsSince1970
        var claims = JSONObject()
        claims["iss"] = .string(tokenIssuer)
        claims["sub"] = "user-1"
        claims["client_id"] = "client"
        claims["scope"] = .string(scopes.joined(separator: " "))
        claims["iat"] = .number(String(now))
        claims["exp"] = .number(String(now + 3600))
        claims["jti"] = .string(seams.randomText())
        for claim in tenantClaims { claims[claim.name] = .string(claim.value) }
        for (name, value) in accessTokenMarks { claims[name] = value }
        claims[provider.accessToken.audience] = .string(audience)
        for change in changes.object?.members ?? [] { claims[change.name] = change.value.isNull ? nil : change.value }
        return try sign(.object(claims), type: type, with: keys().signer)
    }

    /// The claims by which the descriptor recognizes the provider's access tokens.
    var accessTokenMarks: [(name: String, value: JSONValue)] {
        provider.accessToken.markedBy.map { mark in
            let parts = mark.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), .string(parts.count == 2 ? String(parts[1]) : "example"))
        }
    }
}
