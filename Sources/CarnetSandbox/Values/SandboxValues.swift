import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

private struct SandboxDigests: TemplateDigests {
    func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

extension TemplateValues {
    mutating func set(_ origin: TemplateOrigin, _ name: String, _ text: String?) {
        known[TemplateReference(origin, name)] = text.map { Value($0) }
    }

    /// What is registered of a client.
    ///
    /// - Parameter redirectURI: The one that it uses, of several.
    mutating func set(_ client: SandboxClient?, redirectURI: String? = nil) {
        set(.client, "id", client?.clientID)
        set(.client, "secret", client?.clientSecret)
        set(.client, "redirect_uri", redirectURI ?? client?.redirectURIs.first)
    }

    /// What values must be. One of chance is as it was received, if it was.
    func named(_ templates: [Named<Template>], receiving received: (String) -> String?) -> [Named<String>] {
        templates.compactMap { item in
            guard item.value.isRandom else { return fill(item.value).map { Named(item.name, $0.text) } }
            return Named(item.name, received(item.name).flatMap { $0.isEmpty ? nil : $0 } ?? "(any value)")
        }
    }

    /// The ID token that was handed out, also under the names that keep it beside the engine's own reading.
    fileprivate mutating func setIDToken(of grant: Grant?, at provider: Provider) {
        set(.token, "id_token", grant?.idToken)
        guard let token = grant?.idToken else { return }
        let rules = provider.token.response
        let places = rules.fields.idToken.pointers.below(rules.root)
        for capture in rules.capture.items
        where capture.value.pointers.pointers.contains(where: places.contains) {
            set(.token, capture.name, token)
        }
    }
}

extension Provider {
    /// The values of every sign-in, so that the sandbox can validate later requests.
    ///
    /// - Parameter grant: The one whose ID token was handed out.
    func sampleValues(_ seams: Seams, _ grant: Grant? = nil) -> TemplateValues {
        var values = TemplateValues(
            tables: self.tables, now: seams.now(), random: seams.randomBytes, digests: SandboxDigests())
        let person = Person(of: grant, at: self)
        for capture in self.callback.capture.items {
            let received: String? = grant.map { $0.callbackValues[capture.name] } ?? person.value(of: capture)
            values.set(.callback, capture.name, received)
        }
        func set(
            _ origin: TemplateOrigin, _ captures: NamedList<ResponseCapture>, _ sample: JSONValue?,
            as format: ResponseFormat
        ) {
            let sample = sample?.read(as: format)
            for capture in captures.items {
                values.set(origin, capture.name, person.value(of: capture, origin) ?? sample.kept(by: capture.value))
            }
        }
        set(.token, self.token.response.capture, self.samples.token, as: self.token.response.format)
        for step in self.exchange {
            set(.step, step.value.capture, step.value.sample, as: step.value.response.format)
        }
        let user = grant?.user ?? .sample
        values.set(.token, "access_token", self.claimsOnly(of: "access_token", \.accessToken, about: user))
        values.set(.token, "refresh_token", grant?.refreshToken)
        values.setIDToken(of: grant, at: self)
        // A sign-in without an ID token has none. That of an encrypted one is not kept.
        let isUnknown = grant.map { self.idToken.encryption != nil && $0.scopes.contains("openid") } ?? true
        if isUnknown {
            values.set(.token, "id_token", self.claimsOnly(of: "id_token", \.idToken, about: user))
        }
        // Before a sign-in, the scopes are those that each asks for; that of nothing gets those of the sample.
        let asked = (self.scopes.required + self.scopes.defaults + self.scopes.offline).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        values.set(
            .token, "scope",
            (grant?.scopes ?? (asked.isEmpty ? self.sampleScopes : asked)).joined(separator: self.scopes.separator))
        for (name, text) in self.secretInputs { values.set(.input, name, text) }
        for lookup in self.connection.lookups.items {
            let candidate = values.conditions(lookup.value.conditions.items).flatMap(lookup.value.candidate)
            values.set(.connection, lookup.name, candidate?.firstStated(of: lookup.value.value.pointers)?.scalarText)
            for capture in lookup.value.capture.items {
                values.set(.connection, capture.name, candidate.kept(by: capture.value))
            }
        }
        for rule in self.connection.derive.items {
            values.set(.connection, rule.name, values.fill(rule.value.template)?.text)
        }
        return values
    }
}

extension LookupRules {
    private var stated: JSONValue { sample.read(as: .auto) ?? sample }

    /// The first candidate of the sample that meets conditions. Where there is none, such as for inputs of another
    /// customer, the first one that meets what the descriptor itself states is made to meet them.
    func candidate(meeting conditions: [Named<String>]) -> JSONValue? {
        let all = stated.candidates(below: root)
        return all.first { $0.meets(conditions) } ?? all.first { $0.meets(fixedConditions) }?.meeting(conditions)
    }

    /// The sample with a candidate that meets conditions, and with the examples of what it keeps besides.
    func response(meeting conditions: [Named<String>]) -> JSONValue {
        stated.response(below: root, meeting: conditions, fixed: fixedConditions, adding: capture)
    }
}

extension JSONValue {
    fileprivate func candidates(below root: JSONPointer) -> [JSONValue] { self[root].map { $0.array ?? [$0] } ?? [] }

    /// The sample with a candidate that meets conditions, if one meets those that the descriptor itself states.
    func response(
        below root: JSONPointer, meeting conditions: [Named<String>], fixed: [Named<String>],
        adding captures: NamedList<ResponseCapture> = NamedList()
    ) -> JSONValue {
        let all = candidates(below: root)
        guard !all.isEmpty else { return self }
        let isMet = all.contains { $0.meets(conditions) }
        let nearest = isMet ? nil : all.firstIndex { $0.meets(fixed) }
        let adapted = all.enumerated().map { index, candidate in
            var candidate = index == nearest ? candidate.meeting(conditions) : candidate
            candidate.add(captures)
            return candidate
        }
        var response = self
        response.set(self[root]?.array == nil ? adapted[0] : .array(adapted), at: root)
        return response
    }

    fileprivate func meets(_ conditions: [Named<String>]) -> Bool {
        conditions.allSatisfy { condition in
            switch self[JSONPointer(ofCondition: condition.name)] {
            case .array(let elements)?:
                elements.contains { $0.scalarText.map(condition.value.isSameBytes) ?? false }
            case let value: value?.scalarText.map(condition.value.isSameBytes) ?? false
            }
        }
    }

    /// What is in a list stays there.
    fileprivate func meeting(_ conditions: [Named<String>]) -> JSONValue {
        var value = self
        for condition in conditions where !value.meets([condition]) {
            let place = JSONPointer(ofCondition: condition.name)
            let elements = value[place]?.array
            value.set(elements.map { .array($0 + [.string(condition.value)]) } ?? .string(condition.value), at: place)
        }
        return value
    }
}

extension SuccessRules {
    /// A body with the member that shows success, if it has none.
    func adding(to body: JSONValue) -> JSONValue {
        guard let place = field?.pointers.first, body.first(of: field?.pointers ?? []) == nil else { return body }
        var body = body
        body.set(values.first ?? true, at: place)
        return body
    }
}

extension JSONValue? {
    /// The text of the member that a rule keeps; the rule's example if there is no such member, not if it is null.
    fileprivate func kept(by rule: ResponseCapture) -> String? {
        let pointers = rule.pointers.pointers
        guard let self, self.hasMember(at: pointers) else { return rule.example }
        return self.firstStated(of: pointers)?.scalarText
    }
}

extension AuthorizationServer {
    /// What the URLs of requests may be filled with, for each client.
    var valuesOfURLs: [TemplateValues] {
        var values = provider.sampleValues(seams)
        guard !clients.isEmpty else { return [values] }
        return clients.map { client in
            values.set(client)
            return values
        }
    }

    /// What a request of a client may be filled with: what was handed out, the client, the body, and its own time.
    func values(of request: ServerRequest, for client: SandboxClient?, _ grant: Grant? = nil) -> TemplateValues {
        var values = provider.sampleValues(seams, grant)
        values.set(client)
        let requested = grant?.requestedScopes.joined(separator: provider.scopes.separator)
        values.set(.client, "scope", requested == "" && provider.scopes.whenEmpty != .send ? nil : requested)
        values.set(.request, "body", String(decoding: request.body, as: UTF8.self))
        return values
    }

    /// The rules of a request to the token endpoint with everything filled in that the request must then have.
    func filled(
        _ rules: ResolvedRequest, for request: ServerRequest, _ received: ReceivedParameters
    ) throws(OAuthError) -> ResolvedRequest {
        guard !rules.late.parameters.isEmpty || !rules.late.headers.isEmpty else { return rules }
        let names = ParameterNames(rules)
        let id = received[names["client_id"]]
        let known = clients.first { id.isSameBytes(as: $0.clientID) } ?? onlyClient
        let code = sentCode(in: received, names, request)
        let sent = sentRefreshToken(in: received, names, request)
        let grantID = sent.flatMap { ledger.grantID(of: $0) } ?? code.flatMap { ledger.codes[$0]?.grantID }
        var values = values(of: request, for: known, grantID.flatMap { ledger.grants[$0] })
        if let code {
            values.set(.callback, "code", code)
            values.set(.callback, "state", ledger.codes[code]?.state)
            values.set(known, redirectURI: plain(ledger.codes[code]?.redirectURI))
        }
        values.set(.token, "refresh_token", sent)
        // What a refresh sends of the access token is of the one that it replaces.
        let replaced = ledger.accessTokens.keys.first { ledger.accessTokens[$0]?.grantID == grantID }
        if let replaced { values.set(.token, "access_token", replaced) }
        return try filled(rules, values, request, received)
    }

    func filled(
        _ rules: ResolvedRequest, _ known: TemplateValues, _ request: ServerRequest, _ received: ReceivedParameters
    ) throws(OAuthError) -> ResolvedRequest {
        let (headers, parameters) = (rules.late.headers, rules.late.parameters)
        var known = known
        let names = ParameterNames(rules)
        for name in StandardParameter.allCases.map(\.rawValue) {
            known.set(.request, name, names.omits(name) ? nil : received[names[name]])
        }
        for parameter in leftOut(by: rules, in: request) { known.set(.request, parameter.name, parameter.value) }
        let values = try timed(
            known,
            by: parameters.map { ($0.value, received[$0.name]) } + headers.map { ($0.value, request.header($0.name)) })
        return ResolvedRequest(
            method: rules.method, body: rules.body,
            headers: rules.headers + (try demanded(headers, values) { request.header($0) }),
            parameters: rules.parameters + (try demanded(parameters, values) { received[$0] }), rename: rules.rename,
            omit: rules.omit, queryParameters: rules.queryParameters, encode: rules.encode, json: rules.json)
    }

    /// The parameters that a request leaves out and has in its headers, by their standard names.
    func leftOut(by rules: ResolvedRequest, in request: ServerRequest) -> [(name: String, value: String)] {
        rules.late.headers.compactMap { header in
            let left = header.value.references.first { $0.origin == .request && rules.omit.contains($0.name) }
            guard let name = left?.name, let sent = request.header(header.name) else { return nil }
            let marker = "0carnet-parameter0"
            var values = provider.sampleValues(seams)
            values.set(onlyClient)
            values.set(.request, name, marker)
            guard let made = values.fill(header.value)?.text, let place = made.firstRange(of: marker) else {
                return nil
            }
            let (start, end) = (made[..<place.lowerBound], made[place.upperBound...])
            guard sent.hasPrefix(start), sent.hasSuffix(end), sent.utf8.count > start.utf8.count + end.utf8.count
            else { return nil }
            return (name, String(sent.dropFirst(start.count).dropLast(end.count)))
        }
    }

    /// What the parameters of an authorization request must be whose values are known only then.
    func lateParameters(
        in received: ReceivedParameters, of client: SandboxClient
    ) throws(OAuthError) -> [Named<String>] {
        let late = provider.authorization.lateParameters
        guard !late.isEmpty else { return [] }
        let names = ParameterNames(provider.authorization)
        var values = provider.sampleValues(seams)
        values.set(client, redirectURI: plain(received[names["redirect_uri"]]))
        values.set(.client, "scope", received[names["scope"]])
        return try demanded(late, timed(values, by: late.map { ($0.value, received[$0.name]) })) { received[$0] }
    }

    /// A redirect URI as it was sent; `nil` if it may have the state in it.
    private func plain(_ redirectURI: String?) -> String? {
        provider.authorization.state.isParameter ? redirectURI : nil
    }

    /// The headers that a request must have, of its own time.
    func demanded(
        _ headers: [Named<String>], _ late: [Named<Template>], _ values: TemplateValues, by request: ServerRequest
    ) throws(OAuthError) -> [Named<String>] {
        let values = try timed(values, by: late.map { ($0.value, request.header($0.name)) })
        return headers + (try demanded(late, values) { request.header($0) })
    }

    /// What values must be. One of chance has to be there.
    private func demanded(
        _ late: [Named<Template>], _ values: TemplateValues, among sent: (String) -> String?
    ) throws(OAuthError) -> [Named<String>] {
        for item in late where item.value.isRandom && sent(item.name)?.isEmpty != false {
            throw .invalidRequest("\(item.name) is missing")
        }
        return values.named(late.filter { !$0.value.isRandom })
    }

    /// Values at the time that a request says it was made at. What it signs must be of that time, and the time of today.
    func timed(
        _ values: TemplateValues, by sent: [(template: Template, text: String?)]
    ) throws(OAuthError) -> TemplateValues {
        var timed = values
        for (template, text) in sent {
            let forms = template.expressions.flatMap(\.timeForms)
            guard let text, let form = forms.first(where: { $0 == .milliseconds }) ?? forms.first,
                let stated = values.time(form, in: text, of: template)
            else { continue }
            let date: Date? =
                switch form {
                case .seconds: Double(stated).map { Date(timeIntervalSince1970: $0) }
                case .milliseconds: Double(stated).map { Date(timeIntervalSince1970: $0 / 1000) }
                case .iso8601: try? Date(stated, strategy: .iso8601)
                }
            guard let date, abs(date.timeIntervalSince(seams.now())) <= 300 else {
                throw .invalidRequest("the time \(stated) is not the current time")
            }
            timed.now = date
            // Other forms are less exact.
            if form == .milliseconds { break }
        }
        return timed
    }
}

extension TemplateValues {
    /// The time in a text, which stands where the template has it; `nil` if it is only in a hash.
    fileprivate func time(_ form: TemplateExpression.TimeForm, in text: String, of template: Template) -> String? {
        let expected = Self.text(of: now, form)
        guard let made = fill(template)?.text, let place = made.firstRange(of: expected) else { return nil }
        let start = made[..<place.lowerBound].utf8.count
        let end = made[place.upperBound...].utf8.count
        return String(decoding: text.utf8.dropFirst(start).dropLast(end), as: UTF8.self)
    }
}

extension TemplateExpression {
    /// The forms of the time in it.
    fileprivate var timeForms: [TimeForm] {
        if case .now(let form) = self { return [form] }
        return operands.flatMap(\.timeForms)
    }
}

extension Template {
    var isRandom: Bool { expressions.contains(where: \.isRandom) }
}
