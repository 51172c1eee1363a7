/// Judges the answer to a revocation (RFC 7009, section 2.2): 200 is success, whatever the body says.
public enum RevocationResponse {
    /// - Throws: `OAuthError` at step `revocation`.
    public static func judge(_ response: IncomingResponse, to request: PreparedRequest) throws(OAuthError) {
        guard response.status == 200 else {
            throw OAuthError.status(response, .revocation, key: request.descriptorKey, hiding: request.secrets)
        }
    }
}
