package import CarnetDescriptors
package import CarnetFoundation

/// A callback that belongs to a pending authorization and passed all checks. A token request can be built from
/// nothing else.
package final class ValidatedCallback: Sendable {
    package let pending: PendingAuthorization
    let code: Secret
    /// The scopes that the callback says were granted, where a descriptor reads them there.
    package let scopes: [String]?
    /// The values that the descriptor keeps of the callback, by reference, e.g. `callback.shop`.
    package let values: [String: ConnectionValue]

    fileprivate init(
        pending: PendingAuthorization, code: Secret, scopes: [String]?, values: [String: ConnectionValue]
    ) {
        (self.pending, self.code, self.scopes, self.values) = (pending, code, scopes, values)
    }

    /// What no message of the sign-in may show.
    package var secrets: [Secret] {
        [code, pending.state, pending.nonce, pending.codeVerifier].compactMap { $0 } + values.secrets
    }
}

extension PendingAuthorization {
    /// Whether a callback contains this attempt's state. Nothing else is checked.
    ///
    /// - Parameters:
    ///   - provider: Describes how an encrypted response is encrypted.
    ///   - registration: Has the keys to decrypt it.
    package func matches(
        _ callback: AuthorizationCallback, at provider: (any ProviderStage)? = nil,
        for registration: ClientRegistration? = nil
    ) -> Bool {
        if let mode = responseMode, mode.isSigned {
            let claims = callback.claims(mode, at: provider, for: registration)
            return claims?[stateParameter ?? "state"]?.string.map { Secret($0) } == state
        }
        guard let parameters = callback.pairs else { return false }
        let states = parameters.filter { $0.name == stateParameter ?? "state" }
        return states.count == 1 && Secret(states[0].value) == state
    }

    /// Validates a callback: first the state, then the address, the issuer, the error and the code.
    ///
    /// - Parameters:
    ///   - clientSecret: The secret that the provider signs callbacks with, if it does.
    ///   - verification: The provider's keys, if `hasSignedResponse(at:)`.
    /// - Throws: `OAuthError` at step `callback`.
    package func validate(
        _ callback: AuthorizationCallback, from provider: DiscoveredProvider, now: Date, clientSecret: Secret? = nil,
        verifyingBy verification: ResponseVerification? = nil
    ) throws(OAuthError) -> ValidatedCallback {
        let mode = responseMode(at: provider)
        let pairs: [(name: String, value: String)]
        if mode.isSigned {
            pairs = try parameters(inSigned: callback, mode, from: provider, by: verification)
        } else if let plain = callback.pairs {
            pairs = plain
        } else {
            throw OAuthError(.callback, .malformedCallback, "the callback's parameters are not valid form encoding")
        }
        let parameters = CallbackParameters(pairs: pairs, rename: provider.callback.rename)
        try checkState(parameters)
        let namesScopes = provider.scopes.grantedFrom == .callback
        try parameters.refuseDuplicates(besides: namesScopes ? ["scope"] : [])
        guard !callback.isPosted || mode.isPosted else {
            throw OAuthError(
                .callback, .malformedCallback, "the callback is a POST, which this sign-in did not request",
                descriptorKey: "authorization.response_mode")
        }
        guard provider.id == self.provider, provider.inputs.isSameBytes(as: inputs),
            provider.environment.isSameBytes(as: environment)
        else {
            throw OAuthError(
                .callback, .providerMismatch,
                provider.id == self.provider
                    ? "the sign-in began at \(provider.id) with other inputs or in another environment"
                    : "the sign-in began at \(self.provider), not at \(provider.id)")
        }
        guard issuer == nil || issuer.isSameBytes(as: provider.issuer) else {
            throw OAuthError(
                .callback, .providerMismatch,
                "the resource has another authorization server than when the sign-in began", descriptorKey: "resource")
        }
        guard now < expiresAt else {
            throw OAuthError(.callback, .expiredAttempt, "the sign-in took too long", hint: Advice.again.next)
        }
        guard Self.isSameAddress(callback.location, redirectURI) else {
            let place = shown(String(callback.location.prefix { $0 != "?" && $0 != "#" }))
            var error = OAuthError(
                .callback, .redirectMismatch, "the callback arrived at \(place) instead of the redirect URI")
            error.redirectURI = redirectURI
            throw error
        }
        try checkIssuer(parameters, provider)
        try provider.callback.verification?.check(pairs, secret: clientSecret)
        if let own = parameters["error"], AuthorizationCallback.isError(own, besides: parameters["code"]) {
            let code = provider.callback.errors.codes[own] ?? own
            var error = OAuthError(
                .callback, .serverError,
                code == "access_denied"
                    ? "the user or the provider denied access" : "the provider rejected the sign-in",
                server: ServerError(
                    code: code.isEmpty ? "error" : code, message: parameters["error_description"],
                    uri: parameters["error_uri"], hiding: secrets))
            error.redirectURI = redirectURI
            throw error
        }
        for token in ["access_token", "id_token", "refresh_token"] where parameters[token] != nil {
            throw OAuthError(.callback, .unexpectedToken, "the callback contains a token that was not requested")
        }
        guard let code = parameters["code"], !code.isEmpty else {
            let what = parameters["code"] == nil ? "neither a code nor an error" : "an empty code, and no error"
            throw OAuthError(.callback, .missingCode, "the callback has \(what)" + told(pairs))
        }
        guard code.utf8.count <= ReceivedLimit.code else {
            throw OAuthError(
                .callback, .malformedCallback,
                "the code has \(code.utf8.count) bytes; at most \(ReceivedLimit.code) are accepted")
        }
        guard code.hasOnly(0x20...0x7E) else {
            throw OAuthError(.callback, .malformedCallback, "the code has characters that are not allowed in a code")
        }
        let values = try provider.callback.capture.values(in: pairs)
        // Everybody can change a callback's address, so it adds no scope.
        let granted = namesScopes ? parameters["scope"] : nil
        let separator = provider.token.response.scopeSeparator ?? provider.scopes.separator
        let named = granted.map { ScopeRules.split($0, separator: separator) }
        return ValidatedCallback(
            pending: self, code: Secret(code), scopes: named.map { named in scopes.filter(named.contains) },
            values: values)
    }

    private func checkState(_ parameters: CallbackParameters) throws(OAuthError) {
        let states = parameters.values(named: stateParameter ?? "state")
        guard let first = states.first, !first.isEmpty else {
            throw OAuthError(
                .callback, .missingState, "the callback has no state, so it does not belong to this sign-in")
        }
        guard states.count == 1 else {
            throw OAuthError(.callback, .duplicateParameter, "the callback has the parameter \"state\" more than once")
        }
        guard Secret(first) == state else { throw .stateMismatch }
    }

    /// RFC 9207, section 2.4.
    private func checkIssuer(_ parameters: CallbackParameters, _ provider: DiscoveredProvider) throws(OAuthError) {
        if let issuer = parameters["iss"] {
            guard provider.shared.acceptsIssuer(inCallback: issuer) || provider.isAtAuthorizationEndpoint(issuer) else {
                throw OAuthError(
                    .callback, .issuerMismatch,
                    provider.issuer.map { "the callback names the issuer \"\(shown(issuer))\" instead of \($0)" }
                        ?? "the callback names the issuer \"\(shown(issuer))\", and the descriptor has no issuer",
                    descriptorKey: "issuer",
                    hint: provider.issuer == nil
                        ? "if it is the provider's issuer, add \"issuer: ...\" to the descriptor, and \"discovery: none\" if it publishes no metadata"
                        : nil)
            }
        } else if provider.callback.requiresIssuer, parameters["error"] == nil {
            // Real servers leave it out of error responses; believing an error gives an attacker nothing but a failure.
            let isOwn = provider.callback.issuer == .required
            throw OAuthError(
                .callback, .missingIssuer,
                "the callback has no iss parameter, but the \(isOwn ? "descriptor" : "server's metadata") requires one",
                descriptorKey: "callback.iss", hint: isOwn ? "if the provider sends no iss, remove callback.iss" : nil)
        }
    }

    /// Only the normalizations that a browser makes (RFC 3986, sections 6.2.2.1 and 6.2.3): the case of the scheme
    /// and, for web addresses, the case of the host, the default port and the empty path.
    private static func isSameAddress(_ location: String, _ redirectURI: String) -> Bool {
        Work.count(location.utf8.count)
        if location.isSameBytes(as: redirectURI) { return true }
        func address(_ uri: String) -> Substring { Substring(uri.utf8.prefix { $0 != 0x3F && $0 != 0x23 }) }
        let (place, expected) = (address(location), address(redirectURI))
        return normalized(String(place)).isSameBytes(as: normalized(String(expected)))
    }

    /// An address without query and fragment, in one normalized spelling.
    private static func normalized(_ address: String) -> String {
        if let url = try? WebURL(address) { return url.origin + (url.path.isEmpty ? "/" : url.path) }
        let bytes = Array(address.utf8)
        let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }
        let rest = bytes[scheme.endIndex...]
        let isBareHost =
            rest.starts(with: "://".utf8)
            && rest.dropFirst(3).firstIndex(of: UInt8(ascii: "/")) == rest.indices.last
        return String(decoding: scheme, as: UTF8.self).lowercased()
            + String(decoding: isBareHost ? rest.dropLast() : rest, as: UTF8.self)
    }

    /// What nobody but this sign-in knows.
    private var secrets: [Secret] { [state] + [nonce, codeVerifier].compactMap { $0 } }

    /// A part of the callback as a message may quote it.
    private func shown(_ text: String, limit: Int = 200) -> String {
        Redactor(hiding: secrets).redact(text, limit: limit).quotable(limit: limit)
    }

    /// What a callback without a code says: the reason in a usual parameter, else the names of its parameters.
    private func told(_ pairs: [(name: String, value: String)]) -> String {
        let reasons = ["message", "description", "reason", "msg", "error"]
        let found = reasons.lazy.compactMap { word in
            pairs.first { $0.name.lowercased().contains(word) && !$0.value.isEmpty }
        }
        let reason = found.first
        let names = pairs.prefix(10).map { shown($0.name, limit: 40) }.joined(separator: ", ")
        return (reason.map { "; \(shown($0.name, limit: 40)) is \"\(shown($0.value, limit: 300))\"" } ?? "")
            + "; its parameters are \(names)"
    }
}

extension DiscoveredProvider {
    /// Whether an issuer has the origin of the authorization endpoint, by which alone a provider without an issuer is
    /// known. A mix-up attack (RFC 9207, section 1) uses the issuer of another server.
    fileprivate func isAtAuthorizationEndpoint(_ other: String) -> Bool {
        guard self.issuer == nil, [.exact, .off].contains(self.issuerMatch),
            let endpoint = self.endpoints[.authorization]
        else { return false }
        return (try? WebURL(other))?.origin.isSameBytes(as: endpoint.origin) == true
    }
}

/// The parameters of a callback. A repeated name is rejected (RFC 6749, section 3.1).
private struct CallbackParameters {
    let pairs: [(name: String, value: String)]
    let rename: NamedList<String>

    /// The values of a parameter by its name at the provider.
    func values(named name: String) -> [String] {
        Work.count(pairs.count)
        return pairs.compactMap { $0.name.isSameBytes(as: name) ? $0.value : nil }
    }

    subscript(name: String) -> String? {
        Work.count(pairs.count)
        let own = rename[name] ?? name
        if let value = pairs.first(where: { $0.name.isSameBytes(as: own) })?.value { return value }
        // Some servers have the standard's error besides their own. Without a code, the sign-in fails in any case.
        guard name != own, name.hasPrefix("error"), values(named: rename["code"] ?? "code").isEmpty else { return nil }
        return values(named: name).first
    }

    /// The protocol's parameters, each of which a callback has at most once.
    private static let single = [
        "code", "error", "error_description", "error_uri", "iss", "access_token", "id_token", "refresh_token",
        "response",
    ]

    func refuseDuplicates(besides further: [String]) throws(OAuthError) {
        guard let name = Self.single.first(where: isRepeated) ?? further.first(where: isRepeated) else { return }
        throw OAuthError(.callback, .duplicateParameter, "the callback has the parameter \"\(name)\" more than once")
    }

    private func isRepeated(_ name: String) -> Bool {
        Work.count(pairs.count)
        let name = rename[name] ?? name
        return pairs.count { $0.name.isSameBytes(as: name) } > 1
    }
}
