import CarnetDescriptors
import CarnetFoundation

extension AuthorizationServer {
    func check(_ sent: ReceivedParameters) throws(AuthorizationRefusal) -> AuthorizationRequest {
        var received = sent
        let names = ParameterNames(provider.authorization)
        let (client, redirectURI) = try checkClient(received, names)
        let state = provider.authorization.state.isParameter ? received[names["state"]] : nil
        let asked = received[names["response_mode"]].flatMap(ResponseMode.init)
        let target = CallbackTarget(
            redirectURI: redirectURI, state: state, clientID: client.clientID,
            mode: asked.flatMap { responseModes.contains($0) ? $0 : nil } ?? responseModes[0])
        do throws(OAuthError) {
            try received.decode(names)
            try received.check(
                names, added: addedParameters(to: received) + lateParameters(in: received, of: client),
                mayRepeat: ["resource"])
            try checkResponseType(received, names)
            if provider.authorization.state.isParameter, !names.omits("state") {
                _ = try received.require("state", names)
            }
            let scopes = try checkScopes(received, names)
            var request = AuthorizationRequest(
                client: client, target: target, scopes: scopes, isOffline: asksForOffline(received, scopes: scopes),
                nonce: try checkNonce(received, names, scopes: scopes),
                challenge: try checkChallenge(received, names), audience: received[names["audience"]],
                prompt: received["prompt"])
            try checkResponseMode(received, names)
            try checkWishes(received, names, &request)
            return request
        } catch {
            throw .returned(error, to: target)
        }
    }

    private func checkClient(
        _ received: ReceivedParameters, _ names: ParameterNames
    ) throws(AuthorizationRefusal) -> (SandboxClient, redirectURI: String) {
        for name in [names["client_id"], names["redirect_uri"]]
        where received.pairs.count(where: { $0.name == name }) > 1 {
            throw .shown("The parameter \(name) is sent more than once.")
        }
        // Where a descriptor leaves the parameter out, another one may have the id.
        let other = received.pairs.map(\.value).first { client($0) != nil } ?? onlyClient?.clientID
        guard let clientID = names.omits("client_id") ? other : received[names["client_id"]] else {
            throw .shown("The parameter \(names["client_id"]) is missing.")
        }
        guard let client = client(clientID) else {
            let known = clients.map(\.clientID).joined(separator: ", ")
            throw .shown("\(provider.name) has no client \"\(clientID)\". Registered here: \(known).")
        }
        // Another value of the descriptor's own is the provider's name for the URI.
        guard !names.omits("redirect_uri"), let redirectURI = received[names["redirect_uri"]] else {
            guard names.omits("redirect_uri"), let only = client.redirectURIs.first else {
                throw .shown("The parameter \(names["redirect_uri"]) is missing.")
            }
            return (client, only)
        }
        let registered = try registered(redirectURI)
        guard client.allows(redirectURI: registered), !redirectURI.contains("#") else {
            let known = client.redirectURIs.joined(separator: ", ")
            throw .shown(
                "The redirect URI \"\(redirectURI)\" is not registered for the client \(clientID). "
                    + "Registered: \(known)."
            )
        }
        return (client, redirectURI)
    }

    /// The redirect URI as it is registered: one that carries the state may differ in that alone.
    private func registered(_ redirectURI: String) throws(AuthorizationRefusal) -> String {
        guard !provider.authorization.state.isParameter else { return redirectURI }
        let parts = redirectURI.split(separator: "?", maxSplits: 1)
        var pairs = (parts.count == 2 ? parts[1] : "").split(separator: "&")
        guard let last = pairs.popLast(), last.hasPrefix("\(provider.stateParameter)="), last.utf8.count > 16 else {
            throw .shown("The redirect URI has no state in its query; \(provider.name) drops the parameter state.")
        }
        return ([String(parts[0])] + (pairs.isEmpty ? [] : [pairs.joined(separator: "&")])).joined(separator: "?")
    }

    private func checkResponseType(_ received: ReceivedParameters, _ names: ParameterNames) throws(OAuthError) {
        let isFixed = provider.authorization.parameters.contains { $0.name == names["response_type"] }
        if !names.omits("response_type"), !isFixed {
            let type = try received.require("response_type", names)
            let only = provider.authorization.responseType
            guard type == only else {
                throw OAuthError(
                    "unsupported_response_type", "the response type is \"\(type)\"; only \(only) is supported")
            }
        }
    }

    func checkScopes(_ received: ReceivedParameters, _ names: ParameterNames) throws(OAuthError) -> [String] {
        let rules = scopeRules(of: received[names["client_id"]])
        let name = names["scope"]
        if rules.whenEmpty == .send, !names.omits("scope"), !received.contains(name) {
            throw .invalidRequest("the parameter \(name) is missing; it must be sent even if it is empty")
        }
        let scopes = try knownScopes(received[name] ?? "", rules)
        for scope in rules.required where !scopes.contains(scope) {
            throw .invalidScope("the required scope \(scope) is missing")
        }
        return scopes
    }

    /// The scopes of a string, each well formed and known.
    func knownScopes(_ text: String, _ rules: ScopeRules) throws(OAuthError) -> [String] {
        guard !text.isEmpty else { return [] }
        let scopes = text.split(separator: rules.separator, omittingEmptySubsequences: false).map { String($0) }
        let known = Set(
            rules.catalog.map(\.id) + rules.catalog.flatMap(\.implies) + rules.defaults + rules.required + rules.offline
        )
        for scope in scopes {
            guard !scope.isEmpty, scope.utf8.allSatisfy(Self.isScopeCharacter) else {
                throw .invalidScope(
                    "\"\(text)\" is not a list of scopes separated by \"\(rules.separator)\" "
                        + "(RFC 6749, section 3.3)"
                )
            }
            guard rules.catalog.isEmpty || known.contains(scope) else {
                throw .invalidScope("\(provider.name) has no scope \"\(scope)\"")
            }
        }
        return scopes
    }

    static func isScopeCharacter(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private func checkNonce(
        _ received: ReceivedParameters, _ names: ParameterNames, scopes: [String]
    ) throws(OAuthError) -> String? {
        // A client that drops the ID token has no use for a nonce.
        guard scopes.contains("openid"), issuesIDTokens, provider.idToken.none == nil,
            provider.authorization.nonce.isSent, !names.omits("nonce")
        else {
            return received[names["nonce"]]
        }
        return try received.require("nonce", names)
    }

    /// The code verifier's challenge; a provider without proof keys ignores the absence, not a wrong form.
    private func checkChallenge(
        _ received: ReceivedParameters, _ names: ParameterNames
    ) throws(OAuthError) -> String? {
        guard provider.authorization.pkce.isRequired || received.contains(names["code_challenge"]) else { return nil }
        let challenge = try received.require("code_challenge", names)
        let method = try received.require("code_challenge_method", names)
        guard method == "S256" else {
            throw .invalidRequest("the code challenge method is \"\(method)\"; it must be S256 (RFC 7636, section 4.2)")
        }
        let isHash =
            switch provider.authorization.pkce.encoding ?? .base64url {
            case .base64url: Base64URL.decode(challenge)?.count == 32
            case .hexadecimal: challenge.utf8.count == 64 && challenge.allSatisfy(\.isHexDigit)
            }
        guard isHash else { throw .invalidRequest("the code challenge is not an encoded SHA-256 hash") }
        return challenge
    }

    /// Whether a refresh token is asked for; always, where the descriptor says nothing of it.
    func asksForOffline(_ received: ReceivedParameters, scopes: [String]) -> Bool {
        let parameters = provider.authorization.offlineParameters
        let offlineScopes = scopeRules(of: received["client_id"]).offline
        if parameters.isEmpty, offlineScopes.isEmpty { return true }
        return parameters.allSatisfy { received[$0.name]?.isSameBytes(as: $0.value) ?? false }
            && offlineScopes.allSatisfy(scopes.contains)
    }
}
