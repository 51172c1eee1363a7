package import CarnetDescriptors
import HTTPTypes

/// The management of a registration (RFC 7592).
extension RegisteredClient {
    /// Asks what the server has registered (RFC 7592, section 2.1).
    ///
    /// - Throws: `OAuthError` at step `registration` if the server gave no address for it.
    package func readRequest() throws(OAuthError) -> PreparedRequest { try request(.get) }

    /// Registers other metadata in the place of the old (RFC 7592, section 2.2): what is not said is forgotten.
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func updateRequest(
        _ metadata: ClientMetadata, at provider: Provider
    ) throws(OAuthError) -> PreparedRequest {
        var body = try metadata.document(at: provider)
        body["client_id"] = .string(clientID)
        body["client_secret"] = clientSecret.map { .string($0.reveal()) }
        return try request(.put, body)
    }

    /// Takes the registration back, with all that was issued to it (RFC 7592, section 2.3).
    ///
    /// - Throws: `OAuthError` at step `registration`.
    package func deleteRequest() throws(OAuthError) -> PreparedRequest { try request(.delete) }

    private func request(
        _ method: HTTPRequest.Method, _ body: JSONObject? = nil
    ) throws(OAuthError) -> PreparedRequest {
        guard let managementURI, let managementToken else {
            throw OAuthError(
                .registration,
                .unsupported,
                "the server gave no address and token to manage this registration with",
                descriptorKey: Self.key,
                hint: "register anew, or change the registration at the provider's own pages"
            )
        }
        return try .registration(
            method, managementURI, key: Self.key, token: managementToken, body: body,
            hiding: [clientSecret].compactMap { $0 })
    }

    private static let key = "endpoints.registration"

    /// Judges the answer to reading or updating: the registration as it is now, with a new token or secret in the place of
    /// the old one, which are void (RFC 7592, section 3).
    ///
    /// - Throws: `OAuthError` at step `registration`; of kind `unauthorized` if the token is void.
    package func judge(
        _ response: IncomingResponse, to request: PreparedRequest, for metadata: ClientMetadata? = nil
    ) throws(OAuthError) -> RegisteredClient {
        guard response.status != 401 else { throw Self.void(response, request) }
        return try RegisteredClient(judging: response, to: request, for: metadata, instead: self)
    }

    /// Judges the answer to deleting (RFC 7592, section 2.3).
    ///
    /// - Throws: as `judge(_:to:for:)`.
    package func judgeDeletion(_ response: IncomingResponse, to request: PreparedRequest) throws(OAuthError) {
        guard response.status != 401 else { throw Self.void(response, request) }
        // RFC 7592, section 2.3 has 204; one that answers 200 did it too.
        guard [200, 204].contains(response.status) else {
            throw OAuthError.status(response, .registration, key: Self.key, hiding: request.secrets)
        }
    }

    private static func void(_ response: IncomingResponse, _ request: PreparedRequest) -> OAuthError {
        OAuthError.status(response, .registration, key: key, hiding: request.secrets).meaning(
            .unauthorized, "the token for managing this registration is void",
            hint: "the registration was taken back, or its token was replaced elsewhere; register anew")
    }
}
