package import CarnetDescriptors
package import CarnetFoundation
import HTTPTypes

/// Requests after the token response: exchange steps, lookups, and the requests at the start and the end of a
/// connection.
package struct ConnectionRequest: Sendable {
    private let provider: FilledProvider
    private let tokens: TokenSet
    package let known: TemplateValues

    package init(
        at provider: DiscoveredProvider, as registration: ClientRegistration, with collected: ConnectionValues,
        tokens: TokenSet, now: Date, random: any RandomSource
    ) {
        var collected = collected
        collected.tokens = tokens
        self.tokens = tokens
        known = provider.values(registration, collected, now: now, random: random)
        self.provider = provider.filled(known)
    }

    /// A step that exchanges the tokens. It sends only the descriptor's parameters.
    package func exchange(_ step: Named<ExchangeStep>) throws(OAuthError) -> PreparedRequest {
        let key = "exchange.\(step.name)"
        let rules = step.value.resolved.filled(known)
        var parameters = RequestParameters(.exchange, section: key, encode: rules.encode)
        try parameters.addExtra(rules.parameters, key: "\(key).parameters", hidden: rules.late.hidden)
        return try PreparedRequest.make(
            parameters, to: try url(step.value.url, .exchange, key: "\(key).url"), key: "\(key).url", rules: rules)
    }

    /// A request with the access token.
    ///
    /// - Parameter key: The descriptor key of the request.
    package func call(_ call: CallRules, key: String) throws(OAuthError) -> PreparedRequest {
        let target = try url(call.url, .connection, key: "\(key).url")
        var headers = known.named(call.headers.items)
        let extra = known.named(call.parameters.items)
        var parameters = RequestParameters(.connection, section: key)
        let hidden = known.secretNames(of: call.parameters.items)
        try parameters.addExtra(extra, key: "\(key).parameters", hidden: hidden)
        let method = call.method ?? .get
        let isQueried = call.encoding == .query
        let isJSON = call.encoding == .json
        var body: [UInt8] = []
        var shownBody: String?
        if isQueried {
            try parameters.refuseRepeats(of: parameters.items, inQueryOf: target, key: key)
        } else if isJSON || !parameters.items.isEmpty {
            let written = call.parameters.jsonNames
            body = Array((isJSON ? parameters.items.json(\.value, written: written) : parameters.items.encoded).utf8)
            shownBody = isJSON ? parameters.items.json(\.shownValue, written: written) : parameters.items.shown
            headers.insert(
                Named("Content-Type", isJSON ? "application/json" : "application/x-www-form-urlencoded"), at: 0)
        }
        return try ResourceRequest.make(
            target, method: HTTPRequest.Method(method.rawValue) ?? .get, headers: headers, body: body, tokens: tokens,
            at: provider, declared: [Resource(declaring: target)], queried: isQueried ? parameters.items : [],
            hidden: provider.api.hiddenHeaders.union(known.secretNames(of: call.headers.items)), rules: call
        ).at(.connection, key: key, hiding: parameters.secrets, showing: shownBody)
    }

    /// A value that is built from captured values.
    ///
    /// - Returns: `nil` for an optional value that cannot be built.
    /// - Throws: `OAuthError` at step `connection` if a part is missing or has another form.
    package func derived(_ rule: String) throws(OAuthError) -> ConnectionValue? {
        guard let derivation = provider.connection.derive[rule] else { return nil }
        guard let value = known.fill(derivation.template), value.text.utf8.count <= ReceivedLimit.keptValue else {
            guard !derivation.isOptional else { return nil }
            throw OAuthError(
                .connection, .valueMissing,
                "the value \"\(rule)\" cannot be built: a value of the sign-in is missing or has another form, "
                    + "or the result is longer than \(ReceivedLimit.keptValue) bytes",
                descriptorKey: "connection.derive.\(rule)")
        }
        return ConnectionValue(value.text, isSecret: value.isSecret)
    }

    /// What the members of a lookup's candidates must be; `nil` if a value of them is not known.
    package func conditions(_ lookup: LookupRules) -> [Named<String>]? { known.conditions(lookup.conditions.items) }

    /// Why a URL cannot be requested with these values; `nil` if it can.
    package func obstacle(to url: Template) -> String? {
        do throws(WebURLError) {
            _ = try known.url(url, trusting: provider.trustedHosts)
            return nil
        } catch {
            return error.reason
        }
    }

    private func url(_ template: Template, _ step: OAuthError.Step, key: String) throws(OAuthError) -> WebURL {
        do throws(WebURLError) {
            return try known.url(template, trusting: provider.trustedHosts)
        } catch {
            throw OAuthError(step, .undeclaredHost, "the URL cannot be requested: \(error.reason)", descriptorKey: key)
        }
    }
}

extension PreparedRequest {
    /// The same request as another step's.
    ///
    /// - Parameters:
    ///   - further: Additional secrets of the request.
    ///   - body: The body without its secrets. A host's body is never shown; this one is the descriptor's.
    fileprivate func at(
        _ step: OAuthError.Step, key: String, hiding further: [Secret], showing body: String?
    ) -> PreparedRequest {
        PreparedRequest(
            step: step, descriptorKey: key, outgoing: outgoing, redacted: self.redacted.showing(body),
            secrets: secrets + further, hasToken: hasToken)
    }
}

extension RedactedRequest {
    fileprivate func showing(_ body: String?) -> RedactedRequest {
        var shown = self
        if let body { shown.body = body }
        return shown
    }
}

/// The result of an exchange step.
package struct ExchangeResponse: Sendable {
    /// The tokens, if the step returns any.
    package let tokens: TokenResponse?
    package let values: [String: ConnectionValue]

    /// - Throws: `OAuthError` at step `exchange`.
    package init(
        validating response: IncomingResponse, to request: PreparedRequest, of step: Named<ExchangeStep>,
        from provider: FilledProvider
    ) throws(OAuthError) {
        let rules = step.value.response
        if step.value.result == .tokens {
            tokens = try TokenResponse(validating: response, to: request, from: provider, rules: rules)
        } else {
            tokens = nil
            guard rules.success.accepts(status: response.status) else {
                throw OAuthError.status(
                    response, .exchange, key: request.descriptorKey, fields: rules.errors, hiding: request.secrets)
            }
        }
        // What is read twice is read in one format.
        let isStated = step.value.result == .tokens || rules.format != .auto
        let body =
            isStated
            ? try response.value(rules.format, .exchange, key: "exchange.\(step.name).response.format")
            : try response.json(.exchange, key: request.descriptorKey, isLenient: true)
        values = try step.value.capture.values(
            in: body, as: .step, step: .exchange, key: "exchange.\(step.name).capture")
    }
}

/// The candidates of a lookup.
public struct ConnectionChoice: Sendable {
    public struct Candidate: Hashable, Sendable {
        public let value: String
        /// The name to show to users.
        public let label: String
        /// What else the lookup keeps of it, by reference.
        package let captured: [String: ConnectionValue]
    }

    /// The name of the value, e.g. `company`.
    public let name: String
    public let candidates: [Candidate]

    /// Validates the response to a lookup.
    ///
    /// - Parameter conditions: The values that members of a candidate must have; `nil` if one of them is not known, so that
    ///   no candidate counts.
    /// - Returns: `nil` if an optional lookup finds nothing.
    /// - Throws: `OAuthError` at step `connection`.
    package init?(
        validating response: IncomingResponse, to request: PreparedRequest, of lookup: Named<LookupRules>,
        where conditions: [Named<String>]? = []
    ) throws(OAuthError) {
        guard !lookup.value.call.isDeclined(response, to: request) else { return nil }
        let key = "connection.lookups.\(lookup.name)"
        let outcome = lookup.value.call.outcome
        try outcome.validate(status: response, to: request, accepting: 200..<300)
        let body = try response.json(.connection, key: key, isLenient: true)
        try outcome.validate(body, of: response, to: request)
        let rules = lookup.value
        guard let all = body.candidates(at: rules.root) else {
            guard !rules.call.isOptional else { return nil }
            throw OAuthError(
                .connection, .missingField, "the response has nothing at this place", descriptorKey: "\(key).root")
        }
        var candidates: [Candidate] = []
        for candidate in all.prefix(Self.mostCandidates) where conditions.map(candidate.meets) ?? false {
            guard let value = candidate.firstStated(of: rules.value.pointers)?.scalarText else { continue }
            guard value.utf8.count <= ReceivedLimit.keptValue, rules.pattern?.matches(value) ?? true else {
                throw OAuthError(
                    .connection, .valueRefused, "the value of \"\(lookup.name)\" does not match its pattern",
                    descriptorKey: "\(key).pattern")
            }
            let label = rules.label.flatMap { candidate.firstStated(of: $0.pointers)?.scalarText }
            let captured = try rules.capture.values(
                in: candidate, as: .connection, step: .connection, key: "\(key).capture")
            candidates.append(Candidate(value: value, label: (label ?? value).quotable(limit: 80), captured: captured))
        }
        guard !candidates.isEmpty else {
            guard !rules.call.isOptional else { return nil }
            let isFiltered =
                conditions?.isEmpty != true && all.contains { $0.firstStated(of: rules.value.pointers) != nil }
            throw OAuthError(
                .connection, .valueMissing,
                conditions == nil
                    ? "a condition of \"\(lookup.name)\" cannot be built: a value of the sign-in is missing or has another form"
                    : "the response has no value for \"\(lookup.name)\""
                        + (isFiltered ? " that meets the conditions" : ""),
                descriptorKey: isFiltered ? "\(key).where" : "\(key).value")
        }
        name = lookup.name
        self.candidates = candidates
    }

    private static let mostCandidates = 1000

    /// The candidate that the rule selects; `nil` if the host must choose.
    ///
    /// - Throws: `OAuthError` if there are several and the rule expects one.
    package func value(by choice: LookupChoice) throws(OAuthError) -> String? {
        if candidates.count == 1 || choice == .first { return candidates.first?.value }
        guard choice == .ask else {
            throw OAuthError(
                .connection, .choiceNeeded,
                "there are \(candidates.count) candidates for \"\(name)\" where one was expected",
                descriptorKey: "connection.lookups.\(name).choose")
        }
        return nil
    }
}

extension CallRules {
    /// Validates a response that brings no value.
    ///
    /// - Throws: `OAuthError` at step `connection`.
    package func validate(_ response: IncomingResponse, to request: PreparedRequest) throws(OAuthError) {
        guard !isDeclined(response, to: request) else { return }
        try outcome.validate(status: response, to: request, accepting: 200..<300)
        guard outcome.success.readsBody else { return }
        let body = try response.json(.connection, key: request.descriptorKey, isLenient: true)
        try outcome.validate(body, of: response, to: request)
    }

    /// Whether a response refuses a request that may be refused. An expired access token and a failing server say nothing.
    fileprivate func isDeclined(_ response: IncomingResponse, to request: PreparedRequest) -> Bool {
        isOptional && (400..<500).contains(response.status) && response.status != 429
            && !(response.status == 401 && request.hasToken)
    }
}

extension ConnectionChoice {
    /// What is kept of the candidate with a value; `nil` if there is none.
    package func values(choosing value: String) -> [String: ConnectionValue]? {
        guard let candidate = candidates.first(where: { $0.value.isSameBytes(as: value) }) else { return nil }
        return candidate.captured.merging(["connection.\(name)": ConnectionValue(value)]) { _, new in new }
    }
}
