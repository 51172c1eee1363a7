package import CarnetDescriptors

/// Validates the response to a revocation (RFC 7009, section 2.2): any 2xx is success, unless the descriptor
/// says otherwise.
package enum RevocationResponse {
    /// - Throws: `OAuthError` at step `revocation`.
    package static func validate(
        _ response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider
    ) throws(OAuthError) {
        let rules = provider.revocation.success
        let errors = provider.token.response.errors
        guard rules.accepts(status: response.status) else {
            throw OAuthError.status(
                response, .revocation, key: request.descriptorKey, fields: errors, hiding: request.secrets)
        }
        guard rules.readsBody else { return }
        let body = try response.json(.revocation, key: "revocation.success", isLenient: true)
        guard rules.isSuccess(body) == true else {
            throw OAuthError(
                .revocation, .serverError, "the server refused the request", descriptorKey: "revocation.success",
                status: response.status, server: response.serverError(errors, hiding: request.secrets))
        }
    }
}
