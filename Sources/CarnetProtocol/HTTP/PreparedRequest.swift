package import CarnetDescriptors
package import CarnetFoundation
package import HTTPTypes

/// A request of a known step, with a redacted copy that may be shown. A class, because all steps of an exchange pass it on.
package final class PreparedRequest: Sendable {
    package let step: OAuthError.Step
    /// The descriptor key that names the endpoint.
    package let descriptorKey: String
    package let outgoing: OutgoingRequest
    /// The same request with every secret replaced.
    package var redacted: RedactedRequest {
        known.map { makeRedacted().redacting(Redactor(hiding: $0())) } ?? makeRedacted()
    }
    private let makeRedacted: @Sendable () -> RedactedRequest
    /// The URL that the request was made for, without its parameters; `nil` if it is not known.
    private let target: WebURL?
    /// The secrets of the request and of its sign-in, which errors must not repeat.
    package var secrets: [Secret] { own + (known?() ?? []) }
    private let own: [Secret]
    private let known: (@Sendable () -> [Secret])?
    /// Whether the requested tokens must be bound to a key (RFC 9449).
    let isSenderConstrained: Bool
    /// Whether the request has an access token, or a header of the descriptor's own in its place: only then is a refusal
    /// one of the token.
    package let hasToken: Bool
    /// The same request with the client's id and secret in each other form that the server may accept.
    private let otherForms: [@Sendable () throws -> PreparedRequest]

    init(
        step: OAuthError.Step, descriptorKey: String, outgoing: OutgoingRequest, target: WebURL? = nil,
        redacted: @autoclosure @escaping @Sendable () -> RedactedRequest, secrets: [Secret],
        known: (@Sendable () -> [Secret])? = nil, isSenderConstrained: Bool = false, hasToken: Bool = false,
        otherForms: [@Sendable () throws -> PreparedRequest] = []
    ) {
        self.step = step
        self.descriptorKey = descriptorKey
        self.outgoing = outgoing
        self.target = target
        makeRedacted = redacted
        own = secrets
        self.known = known
        self.isSenderConstrained = isSenderConstrained
        self.hasToken = hasToken
        self.otherForms = otherForms
    }

    /// The same request with the secrets of its sign-in, which the server may repeat.
    ///
    /// - Parameter known: Called when the request or its response is shown, or an error quotes the response.
    package func hiding(_ known: @escaping @Sendable () -> [Secret]) -> PreparedRequest {
        PreparedRequest(
            step: step, descriptorKey: descriptorKey, outgoing: outgoing, target: target, redacted: self.makeRedacted(),
            secrets: own, known: known, isSenderConstrained: isSenderConstrained, hasToken: hasToken,
            otherForms: otherForms)
    }

    func alsoInForms(_ others: [@Sendable () throws -> PreparedRequest]) -> PreparedRequest {
        PreparedRequest(
            step: step, descriptorKey: descriptorKey, outgoing: outgoing, target: target, redacted: self.makeRedacted(),
            secrets: own, known: known, isSenderConstrained: isSenderConstrained, hasToken: hasToken, otherForms: others
        )
    }

    /// The number of forms of the client's id and secret that the server may accept.
    package var formCount: Int { 1 + otherForms.count }

    /// The same request with the client's id and secret in another form.
    ///
    /// - Parameter form: Below `formCount`; 0 is that of this request.
    package func inForm(_ form: Int) throws -> PreparedRequest {
        form == 0 || form > otherForms.count ? self : try otherForms[form - 1]()
    }

    /// The same request with a proof of possession in a header.
    func proving(_ outgoing: OutgoingRequest, in header: String) -> PreparedRequest {
        PreparedRequest(
            step: step, descriptorKey: descriptorKey, outgoing: outgoing,
            redacted: self.makeRedacted().adding(Named(header, Secret("").description)), secrets: own, known: known,
            isSenderConstrained: true, hasToken: hasToken, otherForms: otherForms)
    }

    /// The origin (scheme, host and port) of the request.
    ///
    /// - Throws: `OAuthError` of kind `badDescriptor` for an invalid URL.
    package func destination() throws(OAuthError) -> WebURL {
        if let target { return target }
        do throws(WebURLError) {
            return try WebURL("\(outgoing.head.scheme ?? "")://\(outgoing.head.authority ?? "")")
        } catch {
            throw OAuthError(
                step, .badDescriptor, "the request's URL is invalid: \(error.reason)", descriptorKey: descriptorKey)
        }
    }

    /// A string of the response as an error may quote it, without the secrets of the request.
    func quotable(_ word: String, limit: Int = 200) -> String {
        Redactor(hiding: secrets).redact(word, limit: limit).quotable(limit: limit)
    }
}

/// A request as it may be shown and logged.
public struct RedactedRequest: Hashable, Sendable {
    package var method: String
    package var url: String
    package var headers: [Named<String>]
    package var body: String

    func adding(_ header: Named<String>) -> RedactedRequest {
        RedactedRequest(method: method, url: url, headers: headers + [header], body: body)
    }

    func redacting(_ redactor: Redactor) -> RedactedRequest {
        func shown(_ text: String) -> String { redactor.redact(text, limit: .max) }
        return RedactedRequest(
            method: method, url: shown(url), headers: headers.map { Named($0.name, shown($0.value)) }, body: shown(body)
        )
    }
}

extension PreparedRequest {
    /// Puts the parameters where the rules say, and adds the headers that every request has.
    ///
    /// - Parameters:
    ///   - credentials: The value of the Authorization header.
    ///   - token: The access token, if it authenticates the request.
    ///   - accept: The expected media type of the response.
    static func make(
        _ parameters: RequestParameters, to url: WebURL, key: String, rules: ResolvedRequest,
        credentials: Secret? = nil, token: TokenCredential? = nil, accept: String = "application/json"
    ) throws(OAuthError) -> PreparedRequest {
        let encoding = rules.encoding
        var parameters = parameters
        if let token, let name = token.parameter { try parameters.addToken(token.token, named: name) }
        if let token, token.isInBody, encoding == .query { throw .tokenWithoutBody(parameters.step) }
        let ownQuery = token?.isInBody == false ? token?.parameter : nil
        let (queried, carried) = parameters.split(
            encoding, inQuery: ownQuery.map { rules.queryParameters + [$0] } ?? rules.queryParameters)
        try parameters.refuseRepeats(of: parameters.items, inQueryOf: url, key: key)
        var headers: [Field] = [("Accept", accept, nil), ("User-Agent", "Carnet", nil)]
        let body: String
        switch encoding {
        case .query:
            body = ""
        case .form:
            body = carried.encoded
            // An empty form has no content type: some servers reject one on a request without content.
            if !body.isEmpty { headers.append(("Content-Type", "application/x-www-form-urlencoded", nil)) }
        case .json:
            body = carried.json(\.value, written: rules.json)
            headers.append(("Content-Type", "application/json", nil))
        }
        var secrets = parameters.secrets
        if let credentials {
            headers.append(("Authorization", credentials.reveal(), "Basic \(Secret(""))"))
            secrets.append(Secret(String(credentials.reveal().drop { $0 != " " }.dropFirst())))
        }
        if let token {
            secrets.append(token.token)
            if let name = token.header { headers.append((name, token.headerValue, token.shownHeaderValue)) }
        }
        let signed = rules.signedHeaders(body: body, parameters)
        for header in rules.headers + signed {
            // The descriptor's own Authorization header, made from a secret, replaces that of the client or the token.
            let isSecret = rules.late.hidden.contains(header.name) || signed.contains(header)
            if header.name.lowercased() != "authorization" {
                try TokenCredential.refuseCollision(with: header.name, of: token?.header, step: parameters.step)
            } else if !isSecret {
                throw OAuthError(
                    parameters.step, .badHeader, "the Authorization header cannot be a constant: the client sets it")
            }
            headers.removeAll { $0.name.lowercased() == header.name.lowercased() }
            headers.append((header.name, header.value, isSecret ? "\(Secret(""))" : nil))
            if isSecret { secrets += header.value.secretParts }
        }
        let sent = parameters
        return try make(
            sent.step, key: key, HTTPRequest.Method(rules.method.rawValue) ?? .post, url,
            path: url.pathAppending(queried.encoded), headers: headers, body: Array(body.utf8), target: url,
            shownURL: sent.shown(url.appendingQuery(queried.shown)),
            shownBody: encoding == .query
                ? "" : encoding == .form ? carried.shown : carried.json(\.shownValue, written: rules.json),
            secrets: secrets, hasToken: token != nil)
    }

    /// A header, and what is shown instead of a secret value.
    typealias Field = (name: String, value: String, shown: String?)

    /// - Parameters:
    ///   - path: The path with the query.
    ///   - shownURL: The URL without its secrets.
    ///   - shownBody: The body without its secrets.
    static func make(
        _ step: OAuthError.Step, key: String, _ method: HTTPRequest.Method, _ url: WebURL, path: String,
        headers: [Field], body: [UInt8], target: WebURL? = nil, stream: ResponseStream? = nil,
        shownURL: @autoclosure @escaping @Sendable () -> String,
        shownBody: @autoclosure @escaping @Sendable () -> String, secrets: [Secret], hasToken: Bool = false
    ) throws(OAuthError) -> PreparedRequest {
        let fields = try httpFields(headers.map { ($0.name, $0.value) }, step: step)
        var outgoing = OutgoingRequest(
            head: HTTPRequest(
                method: method, scheme: url.scheme, authority: url.authority, path: path, headerFields: fields),
            body: body)
        outgoing.stream = stream
        return PreparedRequest(
            step: step, descriptorKey: key, outgoing: outgoing, target: target,
            redacted: RedactedRequest(
                method: method.rawValue, url: shownURL(), headers: headers.map { Named($0.name, $0.shown ?? $0.value) },
                body: shownBody()), secrets: secrets, hasToken: hasToken)
    }
}

extension String {
    /// A secret value of a header, and what follows its scheme.
    var secretParts: [Secret] {
        let rest = drop { $0 != " " }.dropFirst()
        return [Secret(self)] + (rest.isEmpty ? [] : [Secret(String(rest))])
    }
}

/// - Throws: `OAuthError` of kind `badHeader` for a name or value that is not allowed in HTTP (RFC 9110, section 5).
package func httpFields(
    _ headers: [(name: String, value: String)], step: OAuthError.Step
) throws(OAuthError) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in headers {
        guard let fieldName = HTTPField.Name(known: name), HTTPField.isValidValue(value) else {
            throw OAuthError(
                step, .badHeader, "the header \"\(name)\" cannot be sent", hint: "check its name and value")
        }
        fields.append(HTTPField(name: fieldName, value: value))
    }
    return fields
}

extension HTTPField.Name {
    /// The names of most requests are made once.
    fileprivate init?(known name: String) {
        switch name {
        case "Accept": self = .accept
        case "Content-Type": self = .contentType
        case "User-Agent": self = .userAgent
        default: self.init(name)
        }
    }
}

extension WebURL {
    /// The request target with parameters after the URL's own query.
    func pathAppending(_ encoded: String) -> String {
        let origin = text.utf8.count - path.utf8.count - (query.map { $0.utf8.count + 1 } ?? 0)
        let target = Substring(appendingQuery(encoded).utf8.dropFirst(origin))
        return path.isEmpty ? "/" + target : String(target)
    }
}
