import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

extension AuthorizationServer {
    /// Whether the provider issues ID tokens: a scope may be called openid elsewhere, too.
    var issuesIDTokens: Bool {
        guard provider.issuer == nil, provider.samples.token != nil else { return true }
        return provider.sampleToken(\.idToken) != nil
    }

    /// An access token: opaque, or a JWT (RFC 9068) if the descriptor reads claims of it, or the sample is one, recognized by
    /// its beginning `eyJ` and two dots. It then has the claims of the sample.
    mutating func makeAccessToken(
        _ grant: Grant, scopes: [String], lifetime: Int, at now: Date, like sample: String
    ) throws(OAuthError) -> String {
        let isJWT = sample.hasPrefix("eyJ") && sample.count(where: { $0 == "." }) == 2
        let read = provider.shared.sections.claimsRead(of: "access_token")
        guard isJWT || !read.isEmpty || provider.refresh.expiryFrom == .jwt else {
            return seams.randomText(like: sample)
        }
        let seconds = now.secondsSince1970
        let stated = JSONWebToken.claims(of: sample)?.object
        let own: JSONValue = [
            "iss": .string(tokenIssuer), "sub": Identity.subject(of: grant.user, at: provider, in: stated),
            "aud": .string(grant.audience ?? tokenIssuer), "client_id": .string(grant.clientID),
            "scope": .string(scopes.joined(separator: " ")), "iat": .number(String(seconds)),
            "exp": .number(String(seconds + lifetime)), "jti": .string(seams.randomText()),
        ]
        var claims = JSONValue.object((stated ?? JSONObject()).replacing(own))
        if let thumbprint = grant.certificateThumbprint {
            claims.set(.string(thumbprint), at: JSONPointer(tokens: ["cnf", "x5t#S256"]))
        }
        for mark in accessTokenMarks { claims.set(mark.value, at: JSONPointer(tokens: [mark.name])) }
        provider.add(read, of: "access_token", to: &claims, about: grant.user)
        return try sign(claims, type: "at+jwt", with: keys().signer)
    }

    /// The client, and beside it the further audiences that the descriptor knows.
    private func audience(of clientID: String) -> JSONValue {
        let others = provider.idToken.otherAudiences
        return others.isEmpty ? .string(clientID) : .array(([clientID] + others).map { .string($0) })
    }

    /// An ID token (OpenID Connect Core, sections 2 and 3.1.3.6; for a refresh section 12.2: without the nonce).
    ///
    /// - Parameter isAccessToken: Whether it is what opens the API, too, so that templates read its claims as those of
    ///   the access token.
    mutating func makeIDToken(
        _ grant: Grant, accessToken: String, isRefresh: Bool, isAccessToken: Bool = false, at now: Date
    ) throws(OAuthError) -> String {
        let key = has(.rotatedKey) ? try rotateKeys().signer : try keys().signer
        let identity = Identity(grant.user, at: provider)
        let issued = now.secondsSince1970 - (has(.expiredIDToken) ? 7200 : 0)
        let bytes = Array(accessToken.utf8)
        // The hash is that of the ID token's own algorithm (OpenID Connect Core, section 3.1.3.6).
        let hash = provider.idToken.hs256 == nil ? key.hash(bytes) : Array(SHA256.hash(data: bytes))
        let own: JSONValue = [
            "iss": .string(has(.wrongIDTokenIssuer) ? "https://attacker.example" : tokenIssuer),
            "sub": provider.idToken.coerce.contains(.subject)
                ? .number(identity.subjectOfIDToken) : .string(identity.subjectOfIDToken),
            "aud": audience(of: has(.wrongAudience) ? "another-client" : grant.clientID),
            "iat": .number(String(issued)),
            "exp": .number(String(issued + 3600)),
            "auth_time": .number(String(grant.authTime.secondsSince1970)),
            "at_hash": .string(Base64URL.encode(hash.prefix(hash.count / 2))),
        ]
        // Besides what belongs to one sign-in, the token has the claims of the sample.
        var stated = provider.sampleClaims(of: \.idToken) ?? JSONObject()
        for name in Self.claimsOfOneSignIn { stated[name] = nil }
        var claims = JSONValue.object(stated.replacing(own))
        for claim in tenantClaims { claims.set(.string(claim.value), at: JSONPointer(tokens: [claim.name])) }
        if let session = grant.sessionID { claims.set(.string(session), at: JSONPointer(tokens: ["sid"])) }
        if let acr = grant.acr { claims.set(.string(acr), at: JSONPointer(tokens: ["acr"])) }
        if let nonce = grant.nonce, !isRefresh, provider.authorization.nonce.isRequired {
            claims.set(.string(has(.wrongNonce) ? seams.randomText() : nonce), at: JSONPointer(tokens: ["nonce"]))
        }
        if has(.missingAccessTokenHash) { claims.remove(at: JSONPointer(tokens: ["at_hash"])) }
        for claim in provider.idToken.coerce where [.expires, .issued].contains(claim) {
            let place = JSONPointer(tokens: [claim.rawValue])
            if let seconds = claims[place]?.scalarText { claims.set(.string(seconds), at: place) }
        }
        identity.addClaims(to: &claims, for: effectiveScopes(grant.scopes))
        let missing = provider.shared.sections.claimsRead(of: "id_token").filter { claims[$0] == nil }
        provider.add(missing, of: "id_token", to: &claims, about: grant.user)
        if isAccessToken {
            let read = provider.shared.sections.claimsRead(of: "access_token")
            provider.add(read, of: "access_token", to: &claims, about: grant.user)
        }
        let token = try signedIDToken(claims, grant, with: key)
        return try encrypt(
            has(.badSignature) ? JSONWebToken.withBrokenSignature(token) : token, as: provider.idToken.encryption,
            for: grant.clientID)
    }

    /// The claims of an ID token that another sign-in, client or signature would have otherwise.
    private static let claimsOfOneSignIn = [
        "iss", "sub", "aud", "azp", "exp", "iat", "nbf", "auth_time", "nonce", "acr", "sid", "at_hash", "c_hash",
        "s_hash",
    ]

    /// A response that is a JWT, signed with the first key of an accepted algorithm, and encrypted as the descriptor
    /// says.
    mutating func makeSignedResponse(
        _ claims: JSONValue, type: String, _ rules: ResolvedSignedResponse, for clientID: String
    ) throws(OAuthError) -> String {
        let accepted = provider.algorithms(of: rules)
        guard let key = try keys().keys.first(where: { accepted.contains($0.algorithm) }) else {
            throw .serverError("there is no key for \(accepted.map(\.rawValue).joined(separator: ", "))")
        }
        return try encrypt(try sign(claims, type: type, with: key), as: rules.encryption, for: clientID)
    }

    /// As the descriptor says, for the first key of the client that will do.
    func encrypt(
        _ token: String, as encryption: TokenEncryption?, for clientID: String
    ) throws(OAuthError) -> String {
        guard let encryption else { return token }
        let maker = EncryptedToken(algorithm: encryption.algorithm, content: encryption.content, seams: seams)
        for key in (client(clientID)?.keys ?? []).compactMap(RegisteredKey.init) where key.isForEncryption {
            if let encrypted = try? maker.make(token, for: key) { return encrypted }
        }
        throw .serverError("the client has registered no key for \(encryption.algorithm.rawValue)")
    }

    /// The token with the signature that the descriptor says: the key's, or that of the client's secret.
    func signedIDToken(
        _ claims: JSONValue, _ grant: Grant, type: String = "JWT", with key: SigningKey
    ) throws(OAuthError) -> String {
        guard (provider.idToken.hs256 != nil) else { return try sign(claims, type: type, with: key) }
        guard let secret = client(grant.clientID)?.clientSecret else {
            throw .serverError("the client has no secret to sign with")
        }
        return JSONWebToken.sign(claims, withSecret: secret)
    }

    func sign(_ claims: JSONValue, type: String, with key: SigningKey) throws(OAuthError) -> String {
        guard let token = try? JSONWebToken.sign(claims, type: type, with: key) else {
            throw .serverError("the token could not be signed")
        }
        return token
    }
}

extension Provider {
    /// Adds the claims that templates read. Those that name the user differ between users.
    fileprivate func add(
        _ read: [JSONPointer], of token: String, to claims: inout JSONValue, about user: SandboxUser
    ) {
        let subject = self.shared.sections.claimsOfSubject(in: token)
        // The sample of the profile is that of the ID token's claims.
        let stated = token == "id_token" && self.profile.source == .idToken ? self.samples.userinfo : nil
        for pointer in read {
            let isOfOther = subject.contains(pointer) && user.claims["subject"] != nil
            if !isOfOther, claims[pointer] == nil, let value = stated?[pointer], value.isStated,
                !Identity.isRedacted(value)
            {
                claims.set(value, at: pointer)
            } else if subject.contains(pointer), claims[pointer] == nil || user.claims["subject"] != nil {
                claims.set(.string(Identity(user, at: self).subject), at: pointer)
            } else if claims[pointer] == nil {
                claims.set("example", at: pointer)
            }
        }
    }

    /// What templates read of a token before one is issued: the claims that it will have, without a signature. `nil` if they
    /// read none.
    func claimsOnly(
        of token: String, _ field: KeyPath<ResponseFields, PointerList>, about user: SandboxUser
    ) -> String? {
        let read = self.shared.sections.claimsRead(of: token)
        guard !read.isEmpty else { return nil }
        let stated = self.sampleClaims(of: field)
        var claims = JSONValue.object(stated ?? JSONObject())
        let subject =
            field == \.idToken
            ? .string(Identity(user, at: self).subjectOfIDToken) : Identity.subject(of: user, at: self, in: stated)
        claims.set(subject, at: JSONPointer(tokens: ["sub"]))
        add(read, of: token, to: &claims, about: user)
        return JSONWebToken.withoutSignature("." + Base64URL.encode(claims.jsonText().utf8) + ".")
    }
}

extension JSONObject {
    /// The object with the members of another one over its own.
    fileprivate func replacing(_ other: JSONValue) -> JSONObject {
        var object = self
        for member in other.object?.members ?? [] { object[member.name] = member.value }
        return object
    }
}
