package import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// The management of a registration (RFC 7592).
extension RegisteredClient {
    /// Requests the registration as the server has it (RFC 7592, section 2.1).
    ///
    /// - Throws: `OAuthError` at step `registration` if the server returned no management URL.
    package func readRequest() throws(OAuthError) -> PreparedRequest { try request(.get) }

    /// Replaces the registered metadata (RFC 7592, section 2.2). Omitted values are deleted.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func updateRequest(
        _ metadata: ClientMetadata, at provider: DiscoveredProvider
    ) throws(OAuthError) -> PreparedRequest {
        var body = try metadata.document(at: provider)
        body["client_id"] = .string(clientID)
        body["client_secret"] = clientSecret.map { .string($0.reveal()) }
        return try request(.put, body)
    }

    /// Deletes the registration (RFC 7592, section 2.3). The server may revoke its tokens.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func deleteRequest() throws(OAuthError) -> PreparedRequest { try request(.delete) }

    private func request(
        _ method: HTTPRequest.Method, _ body: JSONObject? = nil
    ) throws(OAuthError) -> PreparedRequest {
        guard let managementURI, let managementToken else {
            throw OAuthError(
                .registration, .unsupported,
                "the server returned no token and no URL at the origin of its registration endpoint for managing this registration",
                descriptorKey: Self.key)
        }
        return try .registration(
            method, managementURI, key: Self.key, token: managementToken, body: body,
            hiding: [clientSecret].compactMap { $0 })
    }

    private static let key = "endpoints.registration"

    /// Validates the response to reading or updating. A new token or secret replaces the old one, which is then
    /// invalid (RFC 7592, section 3).
    ///
    /// - Throws: `OAuthError` at step `registration`; of kind `unauthorized` if the token is invalid.
    package func validate(
        _ response: IncomingResponse, to request: PreparedRequest, for metadata: ClientMetadata? = nil
    ) throws(OAuthError) -> RegisteredClient {
        guard response.status != 401 else { throw Self.void(response, request) }
        return try RegisteredClient(validating: response, to: request, for: metadata, instead: self)
    }

    /// Validates the response to deleting (RFC 7592, section 2.3).
    ///
    /// - Throws: As `validate(_:to:for:)`.
    package func validateDeletion(_ response: IncomingResponse, to request: PreparedRequest) throws(OAuthError) {
        guard response.status != 401 else { throw Self.void(response, request) }
        // RFC 7592, section 2.3 requires 204; some servers return 200.
        guard [200, 204].contains(response.status) else {
            throw OAuthError.status(response, .registration, key: Self.key, hiding: request.secrets)
        }
    }

    private static func void(_ response: IncomingResponse, _ request: PreparedRequest) -> OAuthError {
        OAuthError.status(response, .registration, key: key, hiding: request.secrets).meaning(
            .unauthorized, "the token for managing this registration is invalid")
    }
}
