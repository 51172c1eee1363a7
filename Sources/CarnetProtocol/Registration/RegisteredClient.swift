package import CarnetDescriptors
package import CarnetFoundation

/// A registration as the server returned it (RFC 7591, section 3.2.1). It may differ from the request.
///
/// Its encoded form contains secrets: keep it in a store that encrypts its records.
public struct RegisteredClient: Codable, Hashable, Sendable {
    package let clientID: String
    package let clientSecret: Secret?
    /// The expiry of the secret; `nil` if it never expires.
    package var secretExpiresAt: Date?
    package let authenticationMethod: ClientAuthenticationMethod
    package let redirectURIs: [String]
    /// The URL and the token for managing the registration (RFC 7592, section 3). A URL at another origin than that of the
    /// registration endpoint is left out.
    package let managementURI: WebURL?
    package let managementToken: Secret?
    /// The origins that may receive the client's credentials, as the provider was when it registered; `nil` if
    /// they are unknown.
    package var origins: [String]?

    /// A client that registered earlier, from a store.
    package init(
        clientID: String, clientSecret: Secret? = nil, secretExpiresAt: Date? = nil,
        authenticationMethod: ClientAuthenticationMethod = .none, redirectURIs: [String] = [], managementURI: WebURL?,
        managementToken: Secret?, origins: [String]? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.secretExpiresAt = secretExpiresAt
        self.authenticationMethod = authenticationMethod
        self.redirectURIs = redirectURIs
        self.managementURI = managementURI
        self.managementToken = managementToken
        self.origins = origins
    }
}

extension RegisteredClient {
    /// Validates the response to a registration.
    ///
    /// - Throws: `OAuthError` at step `registration`, also if the server changed the client authentication to a
    /// weaker method.
    ///
    /// - Parameters:
    ///   - metadata: The requested metadata; `nil` if the registration was only read.
    ///   - old: The previous registration. Values that the response omits are kept.
    package init(
        validating response: IncomingResponse, to request: PreparedRequest, for metadata: ClientMetadata?,
        instead old: RegisteredClient? = nil
    ) throws(OAuthError) {
        let key = request.descriptorKey
        try response.requireSuccess(.registration, key: key, hiding: request.secrets)
        let body = try response.json(.registration, key: key)
        func refused(_ kind: OAuthError.Kind, _ message: String) -> OAuthError {
            OAuthError(.registration, kind, message, descriptorKey: key, status: response.status)
        }
        func wrong(_ name: String, _ expected: String) -> OAuthError {
            .wrongType(.registration, name, expected, key: key, status: response.status)
        }
        func text(_ name: String) throws(OAuthError) -> String? {
            guard let value = body[stated: name] else { return nil }
            guard let text = value.string, (1...ReceivedLimit.registrationMember).contains(text.utf8.count) else {
                throw wrong(name, "a string")
            }
            return text
        }
        guard let clientID = try text("client_id") else {
            throw refused(.missingField, "the response has no client_id" + response.told(instead: body, to: request))
        }
        // RFC 7592, section 3: the client id never changes. Otherwise tokens would be another client's.
        guard old.map({ $0.clientID.isSameBytes(as: clientID) }) ?? true else {
            throw refused(.badRegistration, "the response is for another client")
        }
        // RFC 6749, appendix A.1 and A.2.
        let secret = try text("client_secret")
        for (name, value) in [("client_id", clientID), ("client_secret", secret ?? "")]
        where !value.hasOnly(0x20...0x7E) {
            throw wrong(name, "a string of visible ASCII characters and spaces")
        }
        self.clientID = clientID
        let wanted = metadata?.authenticationMethod
        let known = wanted ?? old?.authenticationMethod ?? .clientSecretBasic
        // Some servers return a list when the registration is read.
        let list = body["token_endpoint_auth_method"]?.array ?? []
        let single = list.count == 1 ? list[0].string : nil
        let stated = single == nil ? try text("token_endpoint_auth_method") : single
        // A secret without a method is for the standard's (RFC 7591, section 2), unless the server knows public clients.
        let isSecretKept = wanted == ClientAuthenticationMethod.none && secret != nil && metadata?.isAnnounced == false
        let method = stated ?? (isSecretKept ? .clientSecretBasic : known).rawValue
        guard let registered = ClientAuthenticationMethod(rawValue: method) else {
            throw wrong("token_endpoint_auth_method", "a known method: \"\(request.quotable(method, limit: 40))\"")
        }
        // Some servers return their default method, and issue no secret for it: the client stays public.
        let isPublic = registered.usesSecret && secret == nil && wanted == ClientAuthenticationMethod.none
        let authenticationMethod = isPublic ? .none : registered
        // A public client with a method of its own needs no secret, although some servers issue one.
        clientSecret = authenticationMethod == .none ? nil : secret.map { Secret($0) } ?? old?.clientSecret
        let hasSecret = !authenticationMethod.usesSecret || clientSecret != nil
        guard hasSecret, wanted.map({ authenticationMethod.proves(asMuchAs: $0) }) ?? true else {
            let reason = hasSecret ? " instead of \(known.rawValue)" : ", and issued no secret"
            throw refused(.badRegistration, "the server registered the method \(method)\(reason)")
        }
        self.authenticationMethod = authenticationMethod
        // Some servers return numbers as strings.
        let end = body["client_secret_expires_at"].flatMap { $0.double ?? $0.string.flatMap(Double.init) } ?? 0
        guard (0...1e15).contains(end) else { throw wrong("client_secret_expires_at", "a time") }
        // A time in milliseconds says nothing: the server decides when the secret has expired.
        secretExpiresAt = (1...253_402_300_799).contains(end) ? Date(timeIntervalSince1970: end) : nil
        let asked = metadata?.redirectURIs ?? []
        let uris = body["redirect_uris"]?.array?.compactMap(\.string)
        redirectURIs = uris ?? (asked.isEmpty ? old?.redirectURIs ?? [] : asked)
        for uri in asked where !redirectURIs.containsBytes(of: uri) {
            let shown = redirectURIs.prefix(5).map { request.quotable($0, limit: 100) }.joined(separator: ", ")
            throw refused(
                .redirectNotAccepted,
                "the server registered the redirect URI \(shown.isEmpty ? "none" : shown) instead of \(uri)")
        }
        // Responses with another algorithm would be rejected at each sign-in.
        let sent = (try? JSONValue(parsing: request.outgoing.body))?.object ?? JSONObject()
        for member in sent.members where member.name.hasSuffix("_alg") || member.name.hasSuffix("_enc") {
            guard let stated = body[member.name], !stated.isNull, stated != member.value else { continue }
            let registered = stated.string.map { request.quotable($0, limit: 20) } ?? "no algorithm"
            throw refused(
                .badRegistration,
                "the server registered \(registered) as \(member.name) instead of \(member.value.string ?? "")")
        }
        // RFC 7592, section 3: a new token invalidates the old one.
        managementToken = try text("registration_access_token").map { Secret($0) } ?? old?.managementToken
        origins = old?.origins
        // A relative URL can manage nothing. Only this response names it, so the token goes no further than the request did.
        let place = try text("registration_client_uri").flatMap { try? WebURL($0) }
        let isOwn = try place?.isAt(anyOf: [request.destination().origin]) ?? false
        managementURI = isOwn ? place : old?.managementURI
    }
}

extension ClientAuthenticationMethod {
    /// Whether it uses the same type of credential as another method, or a secret instead of none.
    fileprivate func proves(asMuchAs other: ClientAuthenticationMethod) -> Bool {
        other == .none && usesSecret
            || (usesSecret, usesKey, usesCertificate) == (other.usesSecret, other.usesKey, other.usesCertificate)
    }
}
