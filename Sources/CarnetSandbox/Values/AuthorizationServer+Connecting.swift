import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The step that a request is for. Several may have one URL: their requests say which it is.
    func exchangeStep(for request: ServerRequest) -> Named<ExchangeStep>? {
        let steps = exchangeSteps(at: request.url)
        return steps.dropLast().first { isMade(request, for: $0) } ?? steps.last
    }

    /// Whether a request to the URL of an endpoint is an exchange step, which has parameters of its own.
    func isExchangeStep(_ request: ServerRequest) -> Bool {
        exchangeSteps(at: request.url).contains { !$0.value.request.parameters.isEmpty && isMade(request, for: $0) }
    }

    private func exchangeSteps(at url: WebURL) -> [Named<ExchangeStep>] {
        guard !provider.exchange.isEmpty else { return [] }
        let values = valuesOfURLs
        return provider.exchange.filter { self.url($0.value.url, receiving: url, values) != nil }
    }

    private func isMade(_ request: ServerRequest, for step: Named<ExchangeStep>) -> Bool {
        let target = url(step.value.url, receiving: request.url, valuesOfURLs) ?? request.url
        guard var received = try? TokenRequestBody(request, endpoint: target) else { return false }
        return (try? sender(of: request, &received, for: step.value)) != nil
    }

    /// A URL of the descriptor, filled for one of the clients, that a request goes to.
    private func url(_ template: Template, receiving url: WebURL, _ values: [TemplateValues]) -> WebURL? {
        values.lazy.compactMap { self.url(template, $0) }.first { $0.receives(url) }
    }

    private func url(_ template: Template, _ values: TemplateValues) -> WebURL? {
        try? values.url(template, trusting: provider.trustedHosts)
    }

    /// Handles an exchange step: the request must be the descriptor's, with the tokens of a sign-in.
    mutating func exchange(_ step: Named<ExchangeStep>, _ request: ServerRequest) -> Reply {
        do throws(OAuthError) {
            let target = url(step.value.url, receiving: request.url, valuesOfURLs) ?? request.url
            var received = try TokenRequestBody(request, endpoint: target)
            let (access, grant) = try sender(of: request, &received, for: step.value)
            let stated = step.value.sample?.read(as: step.value.response.format)
            var body = stated ?? .object(JSONObject())
            if step.value.result == .tokens {
                let sample = stated?[step.value.response.root]?
                    .first(of: step.value.response.fields.accessToken.pointers)?.string
                let newer = try makeAccessToken(
                    grant, scopes: grant.scopes, lifetime: 5_184_000, at: seams.now(), like: sample ?? "")
                ledger.add(newer, of: access.grantID, scopes: grant.scopes, at: seams.now(), lifetime: 5_184_000)
                let shape = TokenResponseShape(base: body, isSample: stated != nil, rules: step.value.response)
                let now = seams.now()
                let refreshToken =
                    shape.isSample ? makeRefreshToken(access.grantID, grant, in: shape, at: now) : nil
                body = shape.body(
                    newer, refreshToken: refreshToken, scopes: grant.scopes, separator: provider.scopes.separator,
                    at: now)
                if grant.keyThumbprint != nil, !shape.isSample, let place = shape.place(of: \.tokenType) {
                    body.set("DPoP", at: place)
                }
            }
            let person = Person(of: grant, at: provider)
            body.add(step.value.response.capture, .token, of: person, isSample: stated != nil)
            body.add(step.value.capture, .step, of: person, isSample: stated != nil)
            let rules = step.value.response
            return success(rules.success.adding(to: body), by: rules)
        } catch {
            return errorReply(error)
        }
    }

    /// The sign-in that an exchange step is for: that whose token is sent as it is; otherwise the latest of which the
    /// descriptor makes just this request, as tokens may be sent encoded, in part, or not at all.
    private func sender(
        of request: ServerRequest, _ received: inout TokenRequestBody, for step: ExchangeStep
    ) throws(OAuthError) -> (AccessToken, Grant) {
        let sent = received.parameters.pairs.map(\.value) + request.possibleCredentials
        let own =
            sent.first { ledger.accessTokens[$0] != nil }
            ?? ledger.accessTokens.keys.first { token in sent.contains { $0.contains(token) } }
        var refusal: OAuthError?
        // Each try is a whole request, so only the latest sign-ins are tried.
        for token in own.map({ [$0] }) ?? Array(ledger.accessTokens.keys.prefix(100)) {
            guard let (access, grant) = ledger.activeAccess(token, at: seams.now()) else { continue }
            var values = values(of: request, for: client(grant.clientID), grant)
            values.set(.token, "access_token", token)
            let code = ledger.codes.keys.first { ledger.codes[$0]?.grantID == access.grantID }
            if let code, !grant.isRefreshed {
                values.set(.callback, "code", code)
                values.set(.callback, "state", ledger.codes[code]?.state)
            }
            do throws(OAuthError) {
                var body = received
                try body.check(request, against: filled(step.resolved, values, request, received.parameters))
                received = body
                return (access, grant)
            } catch {
                refusal = refusal ?? error
            }
        }
        if own == nil, step.sendsToken { refusal = nil }
        throw refusal ?? .invalidGrant("no parameter is made of a valid token")
    }

    /// A request of the section `connection`, with its response.
    typealias ConnectionCall = (rules: CallRules, url: WebURL, response: JSONValue)

    /// The requests of the section `connection` that go to a URL.
    func connectionCalls(at url: WebURL) -> [ConnectionCall] {
        let rules = provider.connection
        let values = valuesOfURLs
        let calls: [(rules: CallRules, lookup: LookupRules?)] =
            rules.lookups.items.map { ($0.value.call, $0.value) }
            + (rules.onConnect + rules.onDisconnect).map { ($0, nil) }
        return calls.compactMap { call in
            guard let own = self.url(call.rules.url, receiving: url, values) else { return nil }
            let response = call.lookup.map { $0.response(meeting: values[0].conditions($0.conditions.items) ?? []) }
            return (call.rules, own, response ?? .object(JSONObject()))
        }
    }

    /// The call that a request is for. Several, and resources, may have one URL, as of a GraphQL API: the request says which
    /// it is.
    func connectionCall(for request: ServerRequest) -> ConnectionCall? {
        let calls = connectionCalls(at: request.url).filter {
            ($0.rules.method ?? .get).rawValue == request.method.rawValue
        }
        let isResource = resources.contains {
            $0.target.receives(request.url) && $0.method.rawValue == request.method.rawValue
        }
        guard calls.count + (isResource ? 1 : 0) > 1 else { return calls.first }
        let made = calls.first { call in
            let placement = call.rules.tokenIn.placement(else: provider.api.tokenIn)
            let sent = placement.flatMap { try? bearerToken(request, in: $0) }
            guard let token = sent ?? ledger.accessTokens.latestKey, let access = ledger.accessTokens[token],
                let grant = ledger.grants[access.grantID]
            else { return false }
            return (try? check(call.rules, request, grant, token: token)) != nil
        }
        return made ?? (isResource ? nil : calls.first)
    }

    /// Demands just the headers and parameters of a request of the section `connection`.
    func check(_ call: CallRules, _ request: ServerRequest, _ grant: Grant, token: String) throws(OAuthError) {
        var values = values(of: request, for: client(grant.clientID), grant)
        values.set(.token, "access_token", token)
        let body = try TokenRequestBody(request, endpoint: url(call.url, values) ?? request.url)
        try body.check(call.encoding)
        let received = body.parameters
        values = try timed(
            values,
            by: call.parameters.items.map { ($0.value, received[$0.name]) }
                + call.headers.items.map { ($0.value, request.header($0.name)) })
        try request.checkHeaders(values.named(call.headers.items) { request.header($0) })
        let rules = ResolvedRequest(method: .post, json: call.parameters.jsonNames)
        try received.check(ParameterNames(rules), added: values.named(call.parameters.items) { received[$0] })
    }

    /// The callback's parameters with those that are kept, and signed where the provider signs.
    ///
    /// - Parameters:
    ///   - redirectURI: Its own parameters are signed too: the callback has them.
    ///   - isFirst: Whether it is the first time that the person allows the client anything.
    func completed(
        _ fields: [(name: String, value: String)], of redirectURI: String, for client: SandboxClient?, isFirst: Bool,
        of user: SandboxUser?
    ) -> [(name: String, value: String)] {
        var fields = fields
        for capture in provider.callback.capture.items
        where isFirst || capture.name != provider.profile.callback?.capture {
            if !fields.contains(where: { $0.name == capture.parameter }) {
                fields.append((capture.parameter, Person(user, at: provider).value(of: capture)))
            }
        }
        if let rule = provider.callback.verification {
            var values = provider.sampleValues(seams)
            values.set(.client, "secret", client?.clientSecret ?? "")
            let query = (try? WebURL(redirectURI))?.query
            let own = (try? query.map { try ReceivedParameters(form: $0) })?.pairs.map { ($0.name, $0.value) } ?? []
            let signed = TemplateExpression.hmacSHA256(
                key: .value(TemplateReference(.client, "secret")), message: .literal(rule.message(own + fields)))
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
    /// Puts the example of each kept member where a response has none. Null says that this user has none. A
    /// sample itself has each value that a sign-in needs.
    mutating func add(
        _ captures: NamedList<ResponseCapture>, _ origin: TemplateOrigin = .connection, of person: Person? = nil,
        isSample: Bool = true
    ) {
        for capture in captures.items {
            let pointers = capture.value.pointers.pointers
            guard !isSample || capture.value.isOptional || hasMember(at: pointers),
                let place = pointers.first(where: { self[$0] != nil }) ?? pointers.first
            else { continue }
            if let own = person?.value(of: capture, origin) {
                set(.string(own), at: place)
            } else if let example = capture.value.example, !hasMember(at: pointers) {
                set(.string(example), at: place)
            }
        }
    }
}
