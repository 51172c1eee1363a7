import CarnetDescriptors
import CarnetFoundation

extension ClientMetadata.URI {
    package static let all: [Self] = [
        .home, .logo, .policy, .termsOfService, .keySet, .postLogoutRedirect, .backChannelLogout, .frontChannelLogout,
        .initiateLogin,
    ]

    /// The registered name.
    package var name: String {
        switch self {
        case .home: "client_uri"
        case .logo: "logo_uri"
        case .policy: "policy_uri"
        case .termsOfService: "tos_uri"
        case .keySet: "jwks_uri"
        case .postLogoutRedirect: "post_logout_redirect_uris"
        case .backChannelLogout: "backchannel_logout_uri"
        case .frontChannelLogout: "frontchannel_logout_uri"
        case .initiateLogin: "initiate_login_uri"
        }
    }
}

extension ClientMetadata.Signed {
    fileprivate static let all: [Self] = [.idToken, .userinfo, .requestObject]

    fileprivate var name: String {
        switch self {
        case .idToken: "id_token_signed_response_alg"
        case .userinfo: "userinfo_signed_response_alg"
        case .requestObject: "request_object_signing_alg"
        }
    }
}

extension ClientMetadata {
    private static let contactLimit = 254
    private static let softwareLimit = 255

    /// The metadata as they are sent (RFC 7591, section 2; OpenID Connect Dynamic Client Registration, section 2).
    func document(at provider: DiscoveredProvider) throws(OAuthError) -> JSONObject {
        for uri in redirectURIs { try RedirectURI.check(uri, against: provider) }
        var body = try plainDocument()
        if !scopes.isEmpty { body["scope"] = .string(try provider.scopes.joined(scopes)) }
        for (name, value) in try signatures(at: provider) + encryptions(at: provider) { body[name] = .string(value) }
        return body
    }

    /// What does not depend on the server.
    func plainDocument() throws(OAuthError) -> JSONObject {
        guard !authenticationMethod.usesKey || keys.contains(where: \.canSign) else {
            throw OAuthError(
                .registration, .missingClientKey,
                "\(authenticationMethod.rawValue) requires a signing key, and the metadata has none")
        }
        guard Set(keys.map(\.id)).count == keys.count else {
            throw Self.invalid("two of the keys have the same id", "give each key its own id (RFC 7517, section 4.5)")
        }
        var body = JSONObject()
        body["redirect_uris"] = Self.list(redirectURIs)
        body["token_endpoint_auth_method"] = .string(authenticationMethod.rawValue)
        body["grant_types"] = Self.list(grantTypes)
        if grantTypes.contains("authorization_code") { body["response_types"] = ["code"] }
        body["client_name"] = clientName.map { .string($0) }
        // A server that knows the member only as `web` by default may refuse another redirect URI without it.
        body["application_type"] = isNative ? "native" : "web"
        // RFC 7591, section 2: never both.
        if !keys.isEmpty, uris[.keySet] == nil { body["jwks"] = ClientKey.publicKeySet(keys) }
        if dpopBoundAccessTokens { body["dpop_bound_access_tokens"] = true }
        try addSoftware(to: &body)
        if !contacts.isEmpty { body["contacts"] = Self.list(try contacts.map(Self.checked)) }
        for name in URI.all {
            guard let uri = uris[name] else { continue }
            try check(uri, name)
            body[name.name] = name == .postLogoutRedirect ? Self.list([uri]) : .string(uri)
            // Without session and issuer in the request, Carnet does not believe a frame.
            if name == .frontChannelLogout { body["frontchannel_logout_session_required"] = true }
        }
        return body
    }

    private static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

    private static func invalid(_ message: String, _ hint: String? = nil) -> OAuthError {
        OAuthError(.registration, .badRegistration, message, hint: hint)
    }

    /// OpenID Connect Dynamic Client Registration, section 2: for `web`, the default, a server accepts only https.
    private var isNative: Bool {
        redirectURIs.allSatisfy { uri in (try? WebURL(uri)).map { $0.scheme == "http" } ?? true }
    }

    /// RFC 7591, section 2: a version is that of the software with the id.
    private func addSoftware(to body: inout JSONObject) throws(OAuthError) {
        for (name, value) in [("software_id", softwareID), ("software_version", softwareVersion)] {
            guard let value else { continue }
            guard value.hasOnly(0x20...0x7E), (1...Self.softwareLimit).contains(value.utf8.count) else {
                throw Self.invalid(
                    "\(name) is not a string of 1 to \(Self.softwareLimit) ASCII characters: \(value.quotable())")
            }
            body[name] = .string(value)
        }
        guard softwareVersion == nil || softwareID != nil else {
            throw Self.invalid("software_version says nothing without software_id", "name the software, too")
        }
    }

    private static func checked(_ contact: String) throws(OAuthError) -> String {
        guard contact.hasOnly(0x21...0x7E), (3...contactLimit).contains(contact.utf8.count),
            contact.utf8.dropFirst().dropLast().count(where: { $0 == UInt8(ascii: "@") }) == 1
        else { throw invalid("the contact \(contact.quotable()) is not an e-mail address") }
        return contact
    }

    private func check(_ uri: String, _ name: URI) throws(OAuthError) {
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL(uri)
        } catch {
            if name == .postLogoutRedirect, let reason = RedirectURI.refusal(of: uri) {
                throw Self.invalid("\(name.name) \(reason): \(uri.quotable())")
            }
            guard name == .postLogoutRedirect else {
                throw Self.invalid("\(name.name) is invalid: \(error.reason): \(uri.quotable())")
            }
            return
        }
        // OpenID Connect Front-Channel Logout, section 2.
        guard name != .frontChannelLogout || redirectURIs.contains(where: { (try? WebURL($0))?.origin == url.origin })
        else { throw Self.invalid("\(name.name) does not have the origin of a redirect URI") }
    }

    // MARK: - Algorithms

    /// The signature algorithms that the host names, and those that the descriptor requires and a server would not choose by
    /// itself.
    private func signatures(at provider: DiscoveredProvider) throws(OAuthError) -> [(String, String)] {
        var found: [(String, String)] = []
        for name in Signed.all {
            let algorithm =
                if let named = algorithms[name] {
                    try chosen(named, for: name, at: provider)
                } else {
                    try own(name, at: provider)
                }
            if let algorithm { found.append((name.name, algorithm)) }
        }
        if provider.authorization.responseMode?.isSigned ?? false {
            let algorithm = provider.algorithms(of: provider.callback.jwt).first
            found += algorithm.map { [("authorization_signed_response_alg", $0.rawValue)] } ?? []
        }
        if provider.introspection.jwt.isRequired {
            let algorithm = provider.algorithms(of: provider.introspection.jwt).first
            found += algorithm.map { [("introspection_signed_response_alg", $0.rawValue)] } ?? []
        }
        return found
    }

    /// An algorithm that the host names, if Carnet would accept it in the response or can sign with it.
    private func chosen(
        _ algorithm: String, for name: Signed, at provider: DiscoveredProvider
    ) throws(OAuthError) -> String {
        let accepted =
            switch name {
            case .idToken: provider.idToken.hs256 != nil ? ["HS256"] : provider.idToken.algorithms.map(\.rawValue)
            case .userinfo: provider.profile.jwt.algorithms.map(\.rawValue)
            case .requestObject: keys.flatMap(\.signatureAlgorithms).map(\.rawValue)
            }
        let isPossible =
            accepted.isEmpty && name != .requestObject
            ? SignatureAlgorithm(rawValue: algorithm) != nil : accepted.containsBytes(of: algorithm)
        guard isPossible else {
            throw Self.invalid(
                "\(name.name) cannot be \(algorithm.quotable(limit: 20))",
                accepted.isEmpty ? nil : "possible: " + accepted.joined(separator: ", "))
        }
        return algorithm
    }

    private func own(_ name: Signed, at provider: DiscoveredProvider) throws(OAuthError) -> String? {
        switch name {
        case .idToken:
            if provider.idToken.hs256 != nil { return authenticationMethod.usesSecret ? "HS256" : nil }
            let accepted = provider.idToken.algorithms
            // The server's default is RS256.
            return accepted.contains(.RS256) ? nil : accepted.first?.rawValue
        case .userinfo:
            let rules = provider.profile.jwt
            return rules.isRequired && !rules.isEncryptionEnough
                ? provider.algorithms(of: rules).first?.rawValue : nil
        case .requestObject:
            let rules = provider.authorization.requestObject
            guard rules.isDemanded, let key = keys.first(where: \.canSign) else { return nil }
            let wanted = rules.algorithm.map { [$0] } ?? rules.announcedAlgorithms
            return try key.algorithm(
                among: wanted.map(\.rawValue), at: provider, descriptorKey: "authorization.request_object.algorithm"
            ).rawValue
        }
    }

    /// The encryption of responses for the client, as the descriptor says.
    private func encryptions(at provider: DiscoveredProvider) throws(OAuthError) -> [(String, String)] {
        let all = [
            ("id_token", provider.idToken.encryption), ("userinfo", provider.profile.jwt.encryption),
            ("authorization", provider.callback.jwt.encryption),
            ("introspection", provider.introspection.jwt.encryption),
        ]
        var found: [(String, String)] = []
        for (name, encryption) in all {
            guard let encryption else { continue }
            guard keys.contains(where: { $0.canDecrypt(encryption.algorithm) }) else {
                throw OAuthError(
                    .registration, .missingClientKey,
                    "the descriptor requires \(encryption.algorithm.rawValue) for \(name), and the metadata has no key for it"
                )
            }
            found.append(("\(name)_encrypted_response_alg", encryption.algorithm.rawValue))
            found.append(("\(name)_encrypted_response_enc", encryption.content.rawValue))
        }
        return found
    }
}
