package import CarnetDescriptors
import CarnetFoundation

extension TokenRequest {
    /// Requests an access token for the client itself (RFC 6749, section 4.4.2).
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request; empty for the server's default.
    ///   - resources: The resource servers that the token is for (RFC 8707, section 2.2).
    /// - Throws: `OAuthError` at step `clientCredentials`; of kind `missingClientSecret` for a public client, which
    /// must not use this grant.
    package static func clientCredentials(
        scopes: [String] = [], resources: [String] = [], in context: RequestContext<FilledProvider>
    ) throws(OAuthError) -> PreparedRequest {
        let provider = context.provider
        guard try ClientAuthentication(context.registration, at: provider).method != .none else {
            throw OAuthError(
                .clientCredentials, .missingClientSecret,
                "the client credentials grant requires a confidential client (RFC 6749, section 4.4)",
                descriptorKey: "client.authentication", hint: "register a confidential client and configure its secret")
        }
        let grant = provider.clientCredentials
        var parameters = RequestParameters(.clientCredentials, .clientCredentials, grant.request)
        try parameters.addGrantType(grant.grantType)
        if !scopes.isEmpty { try parameters.add(.scope, try provider.scopes.joined(scopes)) }
        try parameters.add(.resource, each: try ResourceIndicator.checked(resources, at: .clientCredentials))
        return try send(parameters, in: context, rules: grant.request)
    }
}
