import CarnetFoundation

extension TemplateReference {
    /// Not there if `id_token.none` drops the token.
    package static let idToken = TemplateReference(.token, "id_token")
}

extension ProviderDescriptor {
    /// The values of an origin that some key keeps, besides those that are always there.
    private func keptNames(of origin: TemplateOrigin) -> [String] {
        switch origin {
        case .callback: self.callback.capture.names
        case .token: self.token.response.capture.names + (self.refresh.response?.capture.names ?? [])
        case .step: self.exchange.items.flatMap(\.value.capture.names)
        case .connection:
            self.connection.derive.names + self.connection.lookups.items.flatMap { $0.references.map(\.name) }
        case .claim:
            self.profile.effectiveClaims.map(\.name) + self.profile.requests.flatMap(\.claims.names)
        case .input, .client, .request: []
        }
    }

    /// Every value that some key keeps, and those that are always there.
    package var keptValues: Set<TemplateReference> {
        let kept = TemplateOrigin.allCases.flatMap { origin in
            (origin.builtInNames + keptNames(of: origin)).map { TemplateReference(origin, $0) }
        }
        return Set(kept).subtracting(self.idToken.none == nil ? [] : [.idToken])
    }
}

extension InputResolver {
    /// Without a reason, no key may remove what protects a sign-in: `authorization.pkce` and `authorization.nonce` take
    /// one. An omitted nonce only makes ID tokens fail.
    ///
    /// - Throws: `ResolutionError`, `unprotected`.
    func refuseUnprotected(_ descriptor: ProviderDescriptor) throws(ResolutionError) {
        for (kind, omitted) in [
            (RequestKind.authorization, descriptor.authorization.omit), (.token, descriptor.token.request.omit),
        ] {
            for name in omitted
            where name != StandardParameter.nonce.rawValue && kind.parameter(name)?.rule == .protected {
                throw error(
                    .unprotected, "\(kind.section).omit", "\"\(name)\" protects the sign-in and cannot be left out")
            }
        }
        let rules = descriptor.authorization
        for list in [rules.parameters, rules.offlineParameters, rules.reconsentParameters] {
            for item in list.items
            where StandardParameter(rawValue: item.name)?.isCarrier(with: item.value.source) == true {
                throw error(
                    .unprotected, "authorization.parameters.\(item.name)",
                    "\"\(item.name)\" would replace all other parameters; use authorization.request_object or pushed")
            }
        }
    }
}

extension StandardParameter {
    /// Whether a parameter with a value contains all others.
    fileprivate func isCarrier(with value: String) -> Bool {
        [.request, .requestURI].contains(self) && !isPlain(value)
    }

    /// Whether a value makes the parameter a provider's own of the same name: a JWT has dots (RFC 7515, section 3.1), so
    /// that `request=authorize` is no signed request.
    package func isPlain(_ value: some StringProtocol) -> Bool {
        self == .request && !value.utf8.contains { ".{".utf8.contains($0) }
    }
}
