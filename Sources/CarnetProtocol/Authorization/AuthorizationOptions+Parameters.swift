import CarnetDescriptors
import CarnetFoundation

extension AuthorizationOptions {
    /// Adds the parameters of OAuth and OpenID Connect that have an option of their own.
    func addTyped(
        to parameters: inout RequestParameters, besideThoseOf rules: ResolvedAuthorization
    ) throws(OAuthError) {
        try parameters.add(.resource, each: try ResourceIndicator.checked(access.resource, at: .authorization))
        if !access.authorizationDetails.isEmpty {
            try parameters.add(.authorizationDetails, try Self.checked(access.authorizationDetails).jsonText())
        }
        if let claims = access.claims { try parameters.add(.claims, try Self.checked(claims).jsonText()) }
        if let maxAge = authentication.maxAge {
            guard maxAge >= 0 else { throw Self.unusable("max_age", "a negative number") }
            try parameters.add(.maxAge, String(maxAge))
        }
        if !authentication.acrValues.isEmpty {
            try parameters.add(.acrValues, try Self.joined(authentication.acrValues, "acr_values"))
        }
        if let loginHint { try parameters.add(.loginHint, loginHint) }
        if let prompt = try promptValue(besideThoseOf: rules) { try parameters.add(.prompt, prompt) }
        if !uiLocales.isEmpty { try parameters.add(.uiLocales, try Self.joined(uiLocales, "ui_locales")) }
    }

    /// The descriptor's parameters without `prompt`, which is merged with the option of the same name.
    func beside(_ added: [Named<String>]) -> [Named<String>] {
        prompt.isEmpty ? added : added.filter { $0.name != "prompt" }
    }

    /// The response mode: the descriptor's, else the one in the options.
    ///
    /// - Throws: `OAuthError` if the two differ. A host cannot turn a signed response into an unsigned one.
    func responseMode(besideThatOf rules: ResolvedAuthorization) throws(OAuthError) -> ResponseMode? {
        guard let responseMode = delivery.responseMode, let own = rules.responseMode, own != responseMode else {
            return rules.responseMode ?? delivery.responseMode
        }
        throw OAuthError(
            .authorization, .badRegistration,
            "the descriptor sets the response mode \(own.rawValue), and the options ask for \(responseMode.rawValue)",
            descriptorKey: "authorization.response_mode")
    }

    /// Whether `offline_access` needs a prompt of its own: without consent a provider ignores the scope (OpenID Connect Core,
    /// section 11). A descriptor that has the scope in `scopes.offline`, or any prompt, says itself what the provider needs.
    func needsConsent(for scopes: [String], at provider: some ProviderStage) -> Bool {
        guard requestsRefreshToken, prompt.isEmpty, scopes.contains("offline_access"),
            !provider.scopes.offline.contains("offline_access")
        else { return false }
        let rules = provider.authorization
        let names =
            (rules.parameters + rules.offlineParameters + rules.reconsentParameters + parameters).map(\.name)
            + rules.lateParameters.map(\.name)
        return !names.contains("prompt")
    }

    private func promptValue(besideThoseOf rules: ResolvedAuthorization) throws(OAuthError) -> String? {
        guard !prompt.isEmpty else { return nil }
        // OpenID Connect Core, section 3.1.2.1.
        guard !prompt.contains(.none) || prompt.count == 1 else {
            throw Self.unusable("prompt", "none together with another value")
        }
        guard prompt != [.none] else { return Prompt.none.rawValue }
        var values = prompt.filter { $0 != .consent || rules.reconsentParameters.isEmpty }.map(\.rawValue)
        let added =
            rules.parameters + (requestsRefreshToken ? rules.offlineParameters : [])
            + (prompt.contains(.consent) ? rules.reconsentParameters : [])
        for value in added where value.name == "prompt" && !values.contains(value.value) { values.append(value.value) }
        return values.isEmpty ? nil : values.joined(separator: " ")
    }

    private static func joined(_ values: [String], _ name: String) throws(OAuthError) -> String {
        for value in values where value.isEmpty || value.contains(" ") {
            throw unusable(name, "\"\(value.quotable(limit: 60))\", which is empty or has a space")
        }
        return values.joined(separator: " ")
    }

    /// RFC 9396, section 2: objects, each with a type.
    private static func checked(_ details: [JSONValue]) throws(OAuthError) -> JSONValue {
        for detail in details where detail.object == nil || detail["type"]?.string?.isEmpty != false {
            throw unusable("authorization_details", "a value that is not an object with a type")
        }
        return .array(details)
    }

    private static func checked(_ claims: JSONObject) throws(OAuthError) -> JSONValue {
        for member in claims.members
        where !["userinfo", "id_token"].contains(member.name) || member.value.object == nil {
            throw unusable(
                "claims", "\"\(member.name.quotable(limit: 60))\"; its members are the objects userinfo and id_token")
        }
        return .object(claims)
    }

    private static func unusable(_ name: String, _ what: String) -> OAuthError {
        OAuthError(.authorization, .badRegistration, "\(name) cannot be \(what)", descriptorKey: "parameters.\(name)")
    }
}
