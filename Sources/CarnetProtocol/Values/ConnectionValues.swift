import CarnetCrypto
package import CarnetDescriptors
package import CarnetFoundation

private struct CryptoDigests: TemplateDigests {
    func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(bytes)) }

    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

/// The known values of an account or a sign-in, for the provider's templates.
package struct ConnectionValues: Sendable {
    package var tokens: TokenSet?
    /// By reference, e.g. `token.instance_url`.
    package var values: [String: ConnectionValue]
    package var callback: ValidatedCallback?

    package init(tokens: TokenSet? = nil, values: [String: ConnectionValue] = [:], callback: ValidatedCallback? = nil) {
        self.tokens = tokens
        self.values = callback.map { values.merging($0.values) { _, new in new } } ?? values
        self.callback = callback
    }
}

extension DiscoveredProvider {
    /// The provider with its templates filled as far as the values are known.
    package func filled(
        with collected: @autoclosure () -> ConnectionValues, as registration: ClientRegistration, now: Date,
        random: any RandomSource
    ) -> FilledProvider {
        filled(values(registration, collected(), now: now, random: random))
    }
}

extension ProviderStage {
    package func values(
        _ registration: ClientRegistration, _ collected: ConnectionValues = ConnectionValues(), now: Date,
        random: any RandomSource
    ) -> TemplateValues {
        var values = TemplateValues(
            tables: self.tables, now: now, random: { random.bytes(count: $0) }, digests: CryptoDigests())
        func add(_ origin: TemplateOrigin, _ name: String, _ text: String?, isSecret: Bool) {
            guard let text else { return }
            values.known[TemplateReference(origin, name)] = TemplateValues.Value(text, isSecret: isSecret)
        }
        add(.client, "id", registration.clientID, isSecret: false)
        add(.client, "secret", registration.clientSecret?.reveal(), isSecret: true)
        add(.client, "redirect_uri", registration.redirectURI, isSecret: false)
        let requested = requestedScopes(registration.scopes, isOffline: true)
        if !requested.isEmpty || self.scopes.whenEmpty == .send {
            add(.client, "scope", requested.joined(separator: self.scopes.separator), isSecret: false)
        }
        add(.callback, "code", collected.callback?.code.reveal(), isSecret: true)
        add(.callback, "state", collected.callback?.pending.state.reveal(), isSecret: true)
        add(.token, "access_token", collected.tokens?.accessToken.reveal(), isSecret: true)
        add(.token, "refresh_token", collected.tokens?.refreshToken?.reveal(), isSecret: true)
        add(.token, "id_token", collected.tokens?.idToken?.reveal(), isSecret: true)
        add(.token, "scope", collected.tokens?.scopes.joined(separator: self.scopes.separator), isSecret: false)
        for (name, text) in self.secretInputs { add(.input, name, text, isSecret: true) }
        for (name, value) in collected.values {
            let parts = name.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, let origin = TemplateOrigin(rawValue: String(parts[0])) else { continue }
            add(origin, String(parts[1]), value.text, isSecret: value.isSecret)
        }
        return values
    }
}

extension ResolvedRequest {
    /// Whether the descriptor sets the Authorization header.
    var setsAuthorization: Bool {
        (headers.map(\.name) + late.headers.map(\.name)).contains { $0.lowercased() == "authorization" }
    }

    /// The headers that sign the body, or have a parameter in them.
    func signedHeaders(body: String, _ parameters: RequestParameters) -> [Named<String>] {
        guard !late.headers.isEmpty, var values = late.values else { return [] }
        for parameter in parameters.all.reversed() {
            let name = TemplateReference(.request, parameter.standardName)
            values.known[name] = TemplateValues.Value(parameter.value, isSecret: true)
        }
        values.known[TemplateReference(.request, "body")] = TemplateValues.Value(body, isSecret: true)
        return values.named(late.headers)
    }
}
