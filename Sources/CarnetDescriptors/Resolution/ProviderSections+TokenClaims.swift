package import CarnetFoundation

extension ProviderSections {
    /// The claims of a token that templates read.
    package func claimsRead(of token: String) -> [JSONPointer] {
        let requests = [self.token.request, refresh.request, profile.request, revocation.request].map(\.late)
        let calls = connection.lookups.items.map(\.value.call) + connection.onConnect + connection.onDisconnect
        let named =
            requests.flatMap { $0.parameters + $0.headers } + api.lateHeaders + api.lateParameters
            + calls.flatMap { $0.headers.items + $0.parameters.items }
            + exchange.flatMap { $0.value.request.headers.items + $0.value.request.parameters.items }
        var templates: [Template] =
            named.map(\.value) + connection.derive.items.map(\.value.template) + calls.map(\.url)
            + exchange.map(\.value.url) + endpoints.late.values + lateResources.map(\.resource.url)
        templates += profile.derive.map(\.value) + profile.requests.map(\.lateURL)
        return templates.flatMap { $0.claimsRead(of: token) }
    }

    /// Those that name the user.
    package func claimsOfSubject(in token: String) -> [JSONPointer] {
        profile.subjectTemplate?.claimsRead(of: token) ?? []
    }
}

extension ProviderSections {
    /// The values that a sign-in may lack. A resource that needs a missing one is left out.
    package var optionalValues: [TemplateReference] {
        token.response.capture.items.filter(\.value.isOptional).map { TemplateReference(.token, $0.name) }
            + connection.lookups.items.filter(\.value.call.isOptional).flatMap(\.references)
            + connection.derive.items.filter(\.value.isOptional).map { TemplateReference(.connection, $0.name) }
    }
}

extension Template {
    /// The claims that the template reads of any token.
    package var claimsOfTokens: [JSONPointer] {
        func pointers(_ expression: TemplateExpression) -> [JSONPointer] {
            let inner = expression.operands.flatMap(pointers)
            guard case .claim(_, let pointer) = expression else { return inner }
            return inner + [pointer]
        }
        return expressions.flatMap(pointers)
    }

    fileprivate func claimsRead(of token: String) -> [JSONPointer] {
        func pointers(_ expression: TemplateExpression) -> [JSONPointer] {
            let inner = expression.operands.flatMap(pointers)
            guard case .claim(.value(TemplateReference(.token, token)), let pointer) = expression else { return inner }
            return inner + [pointer]
        }
        return expressions.flatMap(pointers)
    }
}
