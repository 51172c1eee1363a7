import CarnetDescriptors
import CarnetFoundation

struct ReservedParameter: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C003", name: "reserved-parameter",
        summary: "The descriptor adds a parameter that Carnet sends itself, or a parameter that replaces all others.",
        rationale: """
            Carnet creates the protocol parameters for each request and validates the response against them. RFC 6749 \
            forbids a second value. To send another value, list the parameter in 'omit' and add it in 'parameters'. \
            The parameters 'scope', 'response_type', 'response_mode' and 'grant_type' have keys of their own. \
            Parameters that protect the sign-in cannot be replaced. 'request' and 'request_uri' would replace all other parameters.
            """,
        references: ["RFC 6749, section 3.1", "RFC 6749, section 3.2", "RFC 9700, section 2.1"],
        bad: [
            "authorization: { parameters: { ⟦response_type⟧: token, prompt: login } }",
            "authorization: { offline_parameters: { ⟦scope⟧: offline_access } }",
            "token: { parameters: { ⟦grant_type⟧: authorization_code } }",
            "refresh: { parameters: { ⟦refresh_token⟧: none } }",
            "authorization: { parameters: { ⟦response_mode⟧: form_post } }",
            "authorization: { parameters: { ⟦request⟧: eyJhbGciOiJub25lIn0.e30. } }",
            "scopes: { extra: { ⟦scope⟧: [read] } }",
            """
            scopes: { default: [openid] }
            authorization: { parameters: { ⟦nonce⟧: '{random()}' } }
            """,
            """
            client: { authentication: [client_secret_basic] }
            token: { parameters: { ⟦client_id⟧: '{client.secret}' } }

            client: { authentication: [client_secret_post] }
            token: { omit: [client_secret], parameters: { ⟦client_secret⟧: '{client.id}' } }
            """,
        ],
        good: """
            authorization:
              parameters: { audience: https://api.acme.example, prompt: select_account }
            token:
              parameters: { audience: https://api.acme.example }

            token: { omit: [grant_type], parameters: { grant_type: authorized_code } }
            refresh: { parameters: { grant_type: refresh, scope: photos } }

            authorization: { parameters: { request: authorize } }

            client: { authentication: [client_secret_basic] }
            token: { parameters: { client_id: '{client.id}' } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.flatMap { request -> [Diagnostic] in
            guard let kind = request.kind, !request.added.isEmpty else { return [] }
            var omitted = request.omittedNames
            if omitted.isEmpty, kind.inheritsToken { omitted = Set(context.descriptor.token.request.omit) }
            return request.added.compactMap { entry in
                if kind.authenticatesClient, entry.isOtherCredential,
                    !request.rename.contains(where: { $0.key == entry.key })
                {
                    let isID = entry.key == "client_id"
                    return finding(
                        isID ? "the client id is the client's secret" : "the client's secret is the client id",
                        in: context, at: entry.keySpan, help: "write {client.\(isID ? "id" : "secret")}, or remove it")
                }
                guard let parameter = kind.parameter(entry.key), !isRefusedElsewhere(entry, parameter.name),
                    context.descriptor.sends(parameter.name, in: kind)
                else { return nil }
                switch parameter.rule {
                case .settable: return nil
                case .replaceable where omitted.contains(entry.key): return nil
                case .keyed where parameter.name == .grantType && omitted.contains(entry.key): return nil
                case .carrier where entry.value.scalar.map({ parameter.name.isPlain($0.text) }) == true: return nil
                case .carrier:
                    let message = "\"\(entry.key)\" would replace the request's other parameters"
                    return finding(message, in: context, at: entry.keySpan, help: "remove it")
                case .replaceable, .protected, .keyed:
                    let message = "Carnet sends \"\(entry.key)\" itself"
                    return finding(message, in: context, at: entry.keySpan, help: help(for: parameter))
                }
            }
        }
    }

    /// Whether another rule refuses the parameter for a better reason.
    private func isRefusedElsewhere(_ entry: YAMLEntry, _ parameter: StandardParameter) -> Bool {
        parameter.isPerAttempt && ConstantPerAttemptValue.isConstant(entry)
            || parameter == .grantType && entry.value.scalar?.text == PasswordGrant.grantType
    }

    private func help(for parameter: RequestParameter) -> String {
        switch parameter.rule {
        case .keyed("scopes"): "list scopes under 'scopes'"
        case .keyed(let key): "use '\(key)'"
        case .replaceable: "remove it, or list it in 'omit' to send this value instead"
        default: "remove it"
        }
    }
}

extension ProviderDescriptor {
    /// Whether the engine sends a parameter that it sends to most providers.
    func sends(_ parameter: StandardParameter, in kind: RequestKind) -> Bool {
        switch parameter {
        case .clientID, .clientSecret:
            kind.client != .authenticated || !self.client.methods.allSatisfy { $0 == .clientSecretBasic }
        case .nonce: self.authorization.nonce.isSent && self.scopes.requestsOpenID && self.idToken.none == nil
        case .state: kind != .authorization || self.authorization.state.isParameter
        case .codeChallenge, .codeChallengeMethod, .codeVerifier: self.authorization.pkce.isRequired
        default: true
        }
    }
}

extension ScopeRules {
    /// Whether each sign-in asks for an ID token.
    var requestsOpenID: Bool { (defaults + required).contains("openid") }
}
