import CarnetDescriptors

extension AuthorizationOptions {
    /// Adds the parameters that have a meaning of their own.
    func addTyped(
        to parameters: inout RequestParameters,
        besideThoseOf rules: AuthorizationRequestRules
    ) throws(OAuthError) {
        try parameters.add(.resource, each: try ResourceIndicator.checked(resource, at: .authorization))
        if !authorizationDetails.isEmpty {
            try parameters.add(.authorizationDetails, try Self.checked(authorizationDetails).jsonText())
        }
        if let claims { try parameters.add(.claims, try Self.checked(claims).jsonText()) }
        if let maxAge {
            guard maxAge >= 0 else { throw Self.unusable("max_age", "a number of seconds") }
            guard maxAge > 0 || !prompt.contains(.none) else {
                throw Self.unusable("max_age", "0 where nothing may be shown")
            }
            try parameters.add(.maxAge, String(maxAge))
        }
        if !acrValues.isEmpty { try parameters.add(.acrValues, try Self.joined(acrValues, "acr_values")) }
        if let loginHint { try parameters.add(.loginHint, loginHint) }
        if let prompt = try promptValue(besideThoseOf: rules) { try parameters.add(.prompt, prompt) }
        if !uiLocales.isEmpty { try parameters.add(.uiLocales, try Self.joined(uiLocales, "ui_locales")) }
    }

    /// What a descriptor adds, without its prompt where this has one: the two go in one parameter.
    func beside(_ added: [Named<String>]) -> [Named<String>] {
        prompt.isEmpty ? added : added.filter { $0.name != "prompt" }
    }

    /// How the answer comes: as the descriptor says, or else as the host wants it.
    ///
    /// - Throws: `OAuthError` if the two differ: a signed answer must not become another by a word of the host.
    func responseMode(
        besideThatOf rules: AuthorizationRequestRules
    ) throws(OAuthError) -> ResponseMode? {
        guard let responseMode, let own = rules.responseMode, own != responseMode else {
            return rules.responseMode ?? responseMode
        }
        throw OAuthError(
            .authorization,
            .badRegistration,
            "the response mode is \(own.rawValue) at this provider, and cannot be \(responseMode.rawValue)",
            descriptorKey: "authorization.response_mode"
        )
    }

    private func promptValue(besideThoseOf rules: AuthorizationRequestRules) throws(OAuthError) -> String? {
        guard !prompt.isEmpty else { return nil }
        // OpenID Connect Core, section 3.1.2.1.
        guard !prompt.contains(.none) || prompt.count == 1 else {
            throw Self.unusable("prompt", "none beside another value")
        }
        guard prompt != [.none] else { return Prompt.none.rawValue }
        var values = prompt.map(\.rawValue)
        let added =
            rules.parameters + (isOffline ? rules.offlineParameters : [])
            + (asksForConsent ? rules.reconsentParameters : [])
        for value in added where value.name == "prompt" && !values.contains(value.value) { values.append(value.value) }
        return values.joined(separator: " ")
    }

    private static func joined(_ values: [String], _ name: String) throws(OAuthError) -> String {
        for value in values where value.isEmpty || value.contains(" ") {
            throw unusable(name, "\"\(value.quotable(limit: 60))\", which is no single value")
        }
        return values.joined(separator: " ")
    }

    /// RFC 9396, section 2: objects, each with a type.
    private static func checked(_ details: [JSONValue]) throws(OAuthError) -> JSONValue {
        for detail in details where detail.object == nil || detail["type"]?.string?.isEmpty != false {
            throw unusable("authorization_details", "what is not an object with a type")
        }
        return .array(details)
    }

    private static func checked(_ claims: JSONObject) throws(OAuthError) -> JSONValue {
        for member in claims.members
        where !["userinfo", "id_token"].contains(member.name) || member.value.object == nil {
            throw unusable("claims", "\"\(member.name.quotable(limit: 60))\"; it has the objects userinfo and id_token")
        }
        return .object(claims)
    }

    private static func unusable(_ name: String, _ what: String) -> OAuthError {
        OAuthError(.authorization, .badRegistration, "\(name) cannot be \(what)", descriptorKey: "parameters.\(name)")
    }
}
