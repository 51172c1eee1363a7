import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// An exchange step at a URL.
    func exchangeStep(at url: WebURL) -> Named<ExchangeStep>? {
        let values = provider.sampleValues(seams)
        return provider.exchange.first { step in
            (try? values.url(step.value.url, trusting: provider.trustedHosts))?.receives(url) ?? false
        }
    }

    /// Handles an exchange step: the parameters must be those of the descriptor, with a valid access
    /// token.
    mutating func exchange(_ step: Named<ExchangeStep>, _ request: ServerRequest) -> Reply {
        do throws(OAuthError) {
            let target = try? provider.sampleValues(seams).url(step.value.url, trusting: provider.trustedHosts)
            var received = try TokenRequestBody(request, endpoint: target ?? request.url)
            let sent = received.parameters.pairs.map(\.value) + request.possibleCredentials
            // A step that sends no token is for the latest sign-in.
            let token =
                sent.first { ledger.accessTokens[$0] != nil }
                ?? ledger.accessTokens.keys.first { token in sent.contains { $0.contains(token) } }
                ?? (step.value.sendsToken ? nil : ledger.accessTokens.latestKey)
            guard let token, let (access, grant) = ledger.activeAccess(token, at: seams.now()) else {
                throw .invalidGrant("no parameter is a valid access token")
            }
            var values = values(of: request, for: client(grant.clientID), grant)
            values.set(.token, "access_token", token)
            try received.check(request, against: step.value.resolved.filled(values))
            var body = step.value.sample ?? .object(JSONObject())
            if step.value.result == .tokens {
                let sample = step.value.sample?[step.value.response.root]?
                    .first(of: step.value.response.fields.accessToken.pointers)?.string
                let newer = try makeAccessToken(
                    grant, scopes: grant.scopes, lifetime: 5_184_000, at: seams.now(), like: sample ?? "")
                ledger.accessTokens[newer] = AccessToken(
                    text: newer,
                    grantID: access.grantID, scopes: grant.scopes, issued: seams.now(),
                    end: seams.now().addingTimeInterval(5_184_000))
                let shape = TokenResponseShape(
                    base: body, isSample: step.value.sample != nil, rules: step.value.response)
                body = TokenResponse(accessToken: newer, scopes: grant.scopes, namesScopes: false).body(
                    shape, separator: provider.scopes.separator, at: seams.now())
                if grant.keyThumbprint != nil, !shape.isSample, let place = shape.place(of: \.tokenType) {
                    body.set("DPoP", at: place)
                }
            }
            body.add(step.value.capture, .step, of: Person(of: grant, at: provider))
            return .json(body)
        } catch {
            return errorReply(error, to: request)
        }
    }

    /// Whether a request of the section `connection` goes to a URL.
    func isConnectionURL(_ url: WebURL) -> Bool {
        let rules = provider.connection
        let values = provider.sampleValues(seams)
        return (rules.lookups.items.map(\.value.call) + rules.onConnect + rules.onDisconnect).contains { call in
            (try? values.url(call.url, trusting: provider.trustedHosts))?.receives(url) ?? false
        }
    }

    /// A request of the section `connection` at a URL, with its response.
    func connectionCall(for request: ServerRequest) -> (rules: CallRules, response: JSONValue)? {
        let rules = provider.connection
        let values = provider.sampleValues(seams)
        let calls =
            rules.lookups.items.map { lookup in
                (lookup.value.call, lookup.value.response(meeting: values.named(lookup.value.conditions.items)))
            } + (rules.onConnect + rules.onDisconnect).map { ($0, .object(JSONObject())) }
        return calls.first { call, _ in
            (try? values.url(call.url, trusting: provider.trustedHosts))?.receives(request.url) ?? false
                && (call.method ?? .get).rawValue == request.method.rawValue
        }
    }

    /// Demands just the headers and parameters of a request of the section `connection`.
    func check(_ call: CallRules, _ request: ServerRequest, _ grant: Grant, token: String) throws(OAuthError) {
        var values = values(of: request, for: client(grant.clientID), grant)
        values.set(.token, "access_token", token)
        try request.checkHeaders(values.named(call.headers.items) { request.header($0) })
        let target = try? values.url(call.url, trusting: provider.trustedHosts)
        let received =
            request.body.isEmpty
            ? try request.query(beyond: target ?? request.url)
            : try TokenRequestBody(request, endpoint: target ?? request.url).parameters
        let rules = ResolvedRequest(method: .post, json: call.parameters.jsonNames)
        try received.check(ParameterNames(rules), added: values.named(call.parameters.items) { received[$0] })
    }

    /// The callback's parameters with those that are kept, and signed where the provider signs.
    ///
    /// - Parameter isFirst: Whether it is the first time that the person allows the client anything.
    func completed(
        _ fields: [(name: String, value: String)], for client: SandboxClient?, isFirst: Bool, of user: SandboxUser?
    ) -> [(name: String, value: String)] {
        var fields = fields
        for capture in provider.callback.capture.items
        where isFirst || capture.name != provider.profile.callback?.capture {
            let name = capture.value.parameter ?? capture.name
            if !fields.contains(where: { $0.name == name }) {
                fields.append((name, Person(user, at: provider).value(of: capture)))
            }
        }
        if let rule = provider.callback.verification {
            var values = provider.sampleValues(seams)
            values.set(.client, "secret", client?.clientSecret ?? "")
            let signed = TemplateExpression.hmacSHA256(
                key: .value(TemplateReference(.client, "secret")), message: .literal(rule.message(fields)))
            let written: TemplateExpression =
                switch rule.encoding {
                case .hexadecimal: signed
                case .base64: .base64(signed)
                case .base64url: .base64url(signed)
                }
            fields.append((rule.parameter, values.text(of: written) ?? ""))
        }
        return fields
    }
}

extension ExchangeStep {
    /// Whether the request has one of the account's tokens.
    fileprivate var sendsToken: Bool {
        (request.parameters.items + request.headers.items).contains { item in
            item.value.references.contains { $0.origin == .token && $0.isAlwaysSecret }
        }
    }
}

extension JSONValue {
    /// Puts the example of each kept member where a sample has none. Null says that this user has none.
    mutating func add(
        _ captures: NamedList<ResponseCapture>, _ origin: TemplateOrigin = .connection, of person: Person? = nil
    ) {
        for capture in captures.items {
            let pointers = capture.value.pointers.pointers
            guard let place = pointers.first(where: { self[$0] != nil }) ?? pointers.first else { continue }
            if let own = person?.value(of: capture, origin) {
                set(.string(own), at: place)
            } else if let example = capture.value.example, !hasMember(at: pointers) {
                set(.string(example), at: place)
            }
        }
    }
}
