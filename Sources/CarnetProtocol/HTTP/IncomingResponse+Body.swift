package import CarnetDescriptors
package import CarnetFoundation
import HTTPTypes

extension IncomingResponse {
    /// The media type without its parameters, in lower case (RFC 9110, section 8.3.1); empty if it is too long or not
    /// ASCII.
    var mediaType: String? {
        guard let field = head.headerFields.value(of: .contentType) else { return nil }
        var essence: [UInt8] = []
        essence.reserveCapacity(32)
        for (place, byte) in field.utf8.enumerated() {
            Work.count()
            if byte == UInt8(ascii: ";") { break }
            guard place < ReceivedLimit.mediaType, byte < 0x80 else { return "" }
            if byte != 0x20 { essence.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) }
        }
        return String(decoding: essence, as: UTF8.self)
    }

    /// The content type as messages may show it, with everything that the server wrote; `nil` without one.
    var shownMediaType: String? {
        head.headerFields.value(of: .contentType).flatMap { $0.isEmpty ? nil : quoted($0, limit: 100) }
    }

    /// Whether the content type says JSON (RFC 8259, section 11; RFC 6839, section 3.1).
    var claimsJSON: Bool {
        guard let mediaType else { return false }
        return mediaType == "application/json" || mediaType.hasSuffix("+json")
    }

    /// The body as JSON. An object is JSON with any content type: servers send it as text/html, as text/plain or
    /// without a type, and no page of a proxy or a network is a JSON object.
    ///
    /// - Parameter isLenient: Ignores the content type, also for other values than objects.
    /// - Throws: `OAuthError` that quotes the content type, a page's title and a form's error, and nothing else of the body.
    func json(_ step: OAuthError.Step, key: String, isLenient: Bool = false) throws(OAuthError) -> JSONValue {
        let claimsOther = !claimsJSON && !isLenient
        func failure(_ kind: OAuthError.Kind, _ message: String) -> OAuthError {
            OAuthError(
                step, kind, message, descriptorKey: key, status: status, hint: isPage ? Advice.otherPage.next : nil)
        }
        do throws(JSONError) {
            let value = try JSONValue(parsing: bodyWithoutMark)
            if !claimsOther || value.object != nil { return value }
        } catch {
            guard claimsOther || body.isEmpty || mediaType == "text/html" else {
                throw failure(
                    .malformedBody,
                    "the response\(place(at: step)) is not valid JSON: \(oddity ?? error.description.quotable())")
            }
        }
        guard !body.isEmpty else {
            throw failure(
                claimsOther ? .unexpectedContentType : .malformedBody,
                "the response\(place(at: step)) is empty where JSON was expected")
        }
        var error = failure(
            claimsOther ? .unexpectedContentType : .malformedBody,
            "the response\(place(at: step)) is \(shownMediaType ?? "without a content type")\(pageTitle) where JSON was expected"
        )
        if let form = formObject, form["access_token"] != nil || form["error"] != nil {
            if key.hasSuffix(".format") { error.hint = "the body is a form: set \(key): form" }
            let said = [form["error"]?.string, form.reason()].compactMap { $0 }.filter { !$0.isEmpty }.first
            if form["access_token"] == nil, let said {
                error.message += "; the server said \"\(told(said, hiding: request?.secrets ?? []))\""
            }
        }
        throw error
    }

    /// Whether the body has the form of a JWT, signed or encrypted: a JSON object in base64url before the first dot.
    var isToken: Bool {
        guard let dot = body.place(of: UInt8(ascii: ".")), let header = Base64URL.decode(body[..<dot]) else {
            return false
        }
        return (try? JSONValue(parsing: header))?.object != nil
    }

    private var isPage: Bool { body.first { !Self.isSpace($0) } == UInt8(ascii: "<") }

    /// Why a body that may be JSON cannot be read as such; `nil` if its text says it. Nothing of it is shown but a page's title,
    /// because it may be that of a token.
    private var oddity: String? {
        if let coding = head.headerFields.value(of: .contentEncoding), !coding.isEmpty {
            return "it has the content encoding \(quoted(coding, limit: 40))"
        }
        if [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(body.prefix(2))) || body.prefix(2).contains(0) {
            return "it is UTF-16 instead of UTF-8"
        }
        if body.starts(with: [0x1F, 0x8B]) {
            return "it is compressed, without the header Content-Encoding"
        }
        guard isPage else { return nil }
        return title.map { "it is the page \"\(told($0, hiding: request?.secrets ?? []))\"" } ?? "it begins with <"
    }

    /// The title of a page, in parentheses; empty without one.
    private var pageTitle: String { title.map { " (\"\(quoted($0, limit: 100).withoutTokens)\")" } ?? "" }

    /// The body in the format that the descriptor says.
    ///
    /// - Throws: As `json(_:key:isLenient:)`.
    package func value(
        _ format: ResponseFormat, _ step: OAuthError.Step, key: String
    ) throws(OAuthError) -> JSONValue {
        do throws(OAuthError) {
            return try readValue(format, step, key: key)
        } catch {
            guard error.ownHint == nil, let other = otherFormat(than: format) else { throw error }
            let setting = key.hasSuffix(".format") ? key : "its format"
            var hinting = error
            hinting.hint = "the body has another format: set \(setting): \(other.rawValue)"
            throw hinting
        }
    }

    /// The format in which the body is an object.
    private func otherFormat(than format: ResponseFormat) -> ResponseFormat? {
        if body.first { !Self.isSpace($0) } == UInt8(ascii: "{") {
            guard format == .jsonp || format == .guarded else { return nil }
            return (try? JSONValue(parsing: bodyWithoutMark))?.object == nil ? nil : .json
        }
        if isPage { return nil }
        if argument?.object != nil { return .jsonp }
        return format == .guarded || guarded?.object == nil ? nil : .guarded
    }

    private func readValue(
        _ format: ResponseFormat, _ step: OAuthError.Step, key: String
    ) throws(OAuthError) -> JSONValue {
        func malformed(_ expected: String) -> OAuthError {
            OAuthError(step, .malformedBody, "the response is not \(expected)", descriptorKey: key, status: status)
        }
        switch format {
        case .form where !claimsJSON && (try? json(step, key: key))?.object == nil:
            guard let object = formObject else { throw malformed("form-encoded") }
            return object
        case .jsonp:
            guard let argument else { throw malformed("JSON in a function call") }
            return argument
        case .guarded:
            guard let guarded else { throw malformed("JSON behind a guard") }
            return guarded
        case .auto, .json, .form: return try json(step, key: key, isLenient: format == .json)
        }
    }

    /// The JSON in `callback(JSON);`. The function name is ignored.
    private var argument: JSONValue? {
        var rest = body[...].drop(while: Self.isSpace)
        if rest.starts(with: "/**/".utf8) { rest = rest.dropFirst(4).drop(while: Self.isSpace) }
        let name = rest.prefix { byte in ASCII.isUnreserved(byte) || byte == UInt8(ascii: "$") }
        rest = rest.dropFirst(name.count).drop(while: Self.isSpace)
        while let last = rest.last, Self.isSpace(last) || last == UInt8(ascii: ";") { rest = rest.dropLast() }
        guard !name.isEmpty, rest.first == UInt8(ascii: "("), rest.last == UInt8(ascii: ")") else { return nil }
        return try? JSONValue(parsing: Array(rest.dropFirst().dropLast()))
    }

    /// The JSON object or list behind a guard of a few characters, if there is one.
    private var guarded: JSONValue? {
        let starts = body.prefix(Self.longestGuard).indices.filter { "{[".utf8.contains(body[$0]) }
        return starts.lazy.compactMap { start in try? JSONValue(parsing: body[start...]) }.first
    }

    private static let longestGuard = 32

    private static func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D, 0x20].contains(byte) }

    /// The server's error in an error response, at the places that the descriptor names, with any content type.
    func serverError(_ fields: ErrorFields, format: ResponseFormat = .auto, hiding secrets: [Secret]) -> ServerError? {
        let body: JSONValue
        let inside = format == .jsonp ? argument : format == .guarded ? guarded : nil
        if let json = (try? JSONValue(parsing: bodyWithoutMark)) ?? inside {
            body = json
        } else if format == .form || mediaType == "application/x-www-form-urlencoded", let form = formObject {
            body = form
        } else {
            body = .string(trimmedText)
        }
        // A body that is nothing but a code has to be known.
        if let text = body.scalarText {
            return fields.codes[text].map { ServerError(code: $0, message: text, hiding: secrets) }
        }
        return body.serverError(fields, hiding: secrets)
    }

    private var trimmedText: String {
        var text = body.prefix(ServerError.maximumLength).drop(while: Self.isSpace)
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the server refused the client (RFC 6749, section 5.2), so that it used nothing of the request. Some servers
    /// return `unauthorized_client` for a wrong secret.
    package var refusesClient: Bool {
        guard [400, 401, 403].contains(status) else { return false }
        return ["invalid_client", "unauthorized_client"].contains(serverError(ErrorFields(), hiding: [])?.code)
    }

    /// A form-encoded body as an object of strings; `nil` if it is malformed or repeats a name.
    var formObject: JSONValue? {
        guard let text = String(validating: body, as: UTF8.self), let pairs = PercentEncoding.decodeForm(text) else {
            return nil
        }
        Work.count(pairs.count)
        guard Set(pairs.map(\.name)).count == pairs.count else { return nil }
        return .object(JSONObject(members: pairs.map { JSONObject.Member(name: $0.name, value: .string($0.value)) }))
    }
}

extension JSONValue {
    /// The server's error in a body, at the places that the descriptor names.
    func serverError(_ fields: ErrorFields, hiding secrets: @autoclosure () -> [Secret]) -> ServerError? {
        // Some servers put RFC 6749's members into an object.
        let stated = first(of: fields.code.pointers)?.scalarText ?? self["error"]?["code"]?.string
        // Some servers use these values for "no error".
        guard let code = stated, !["", "0", "false"].contains(code) else { return nil }
        let meaning = fields.codes[code]
        return ServerError(
            code: meaning ?? code,
            // Without a message, the provider's own code is shown.
            message: first(of: fields.message.pointers)?.scalarText ?? reason(besides: code)
                ?? meaning.map { _ in code },
            uri: first(of: fields.uri.pointers)?.scalarText,
            hiding: secrets()
        )
    }
}

extension IncomingResponse {
    /// - Throws: `OAuthError.status` unless the status is one of success.
    func requireSuccess(
        _ step: OAuthError.Step, key: String, fields: ErrorFields = ErrorFields(),
        hiding secrets: @autoclosure () -> [Secret]
    ) throws(OAuthError) {
        guard isSuccess else { throw .status(self, step, key: key, fields: fields, hiding: secrets()) }
    }
}

extension OAuthError {
    /// The error for a status that is not success.
    static func status(
        _ response: IncomingResponse, _ step: Step, key: String, fields: ErrorFields = ErrorFields(),
        format: ResponseFormat = .auto, hiding secrets: [Secret]
    ) -> OAuthError {
        let status = response.status
        let serverError =
            response.serverError(fields, format: format, hiding: secrets) ?? fields.statusError(status)
            ?? BearerChallenge(response, hiding: secrets).serverError
        // A few servers limit requests with 403, and a code of their own. Nothing but a limit ends by waiting.
        let isDecided = serverError.map { Self.standardCodes.contains($0.code) } ?? false
        let isLimit = status == 429 || status == 403 && !isDecided && response.retryAfter != nil
        let isServersFault = status >= 500 || status == 408
        var message =
            switch status {
            case _ where isLimit: "the server got too many requests"
            // RFC 6585, section 6.
            case 511: "the network requires a sign-in"
            case _ where isServersFault: "the server failed"
            case 200..<300: "the descriptor does not count the status \(status) as success"
            case 300..<400:
                "the server redirects the request\(response.place(at: step)) to \(response.location ?? "no address")"
            default: "the server refused the request\(response.place(at: step))"
            }
        if serverError == nil, let words = response.words(hiding: secrets) { message += ": \"\(words)\"" }
        return OAuthError(
            step,
            isLimit
                ? .tooManyRequests
                : isServersFault ? .serverUnavailable : serverError != nil ? .serverError : .unexpectedStatus, message,
            descriptorKey: (200..<300).contains(status) ? "token.response.success.statuses" : key, status: status,
            server: serverError,
            hint: isLimit || isServersFault || serverError == nil ? response.retryAfter?.hint : nil,
            retryAt: response.retryAfter?.date)
    }

    /// The error for a field of a response that has another form than the standard's.
    ///
    /// - Parameter value: What it is instead, as a message may show it.
    static func wrongType(
        _ step: Step, _ name: String, _ expected: String, _ value: String? = nil, key: String?, status: Int
    ) -> OAuthError {
        OAuthError(
            step, .wrongFieldType, "the response's \(name) is not \(expected)" + (value.map { ": it is \($0)" } ?? ""),
            descriptorKey: key, status: status)
    }

    /// The codes of RFC 6749, section 5.2, of RFC 6750, section 3.1, and of RFC 9470, section 3.
    private static let standardCodes = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "invalid_token", "insufficient_scope", AuthenticationRequirements.errorCode,
    ]
}

/// What a server says in a response that is no success, for people.
extension IncomingResponse {
    /// The URL of a request, which the person need not have written.
    fileprivate func place(at step: OAuthError.Step) -> String {
        guard step != .resource, let request else { return "" }
        return " for \(request.redacted.url)"
    }

    /// Where a redirect leads, without its query, which may have a code or a state; `nil` without one.
    package var location: String? {
        guard let value = head.headerFields.value(of: .location), !value.isEmpty else { return nil }
        return quoted(String(value.prefix { $0 != "?" && $0 != "#" }))
    }

    /// Another address of the same origin that a redirect of this status names; `nil` for any other.
    package func redirect(from url: WebURL) -> WebURL? {
        guard [301, 302, 303, 307, 308].contains(status), let value = head.headerFields.value(of: .location) else {
            return nil
        }
        let absolute =
            value.hasPrefix("/") && !value.hasPrefix("//") ? "\(url.scheme)://\(url.authority)" + value : value
        guard let target = try? WebURL(absolute, isPlain: url.scheme == "http"), target.hasOrigin(of: url),
            target != url
        else { return nil }
        return target
    }

    /// What a body has instead of what was expected, for a message: the server's reason, or the names of the members.
    func told(instead body: JSONValue, to request: PreparedRequest) -> String {
        let isError = body["error"] != nil || !body.signsOfError.isEmpty
        let reason = isError ? body.reason().map { "; the server said \"\(told($0, hiding: request.secrets))\"" } : nil
        guard let object = body.object else { return "; the body is no JSON object" }
        let names = object.members.prefix(10).map { quoted($0.name, limit: 40, hiding: request.secrets) }
        let members =
            names.isEmpty ? "; the body is an empty object" : "; its members are " + names.joined(separator: ", ")
        return (reason ?? "") + members
    }

    private func told(_ text: String, hiding secrets: [Secret]) -> String {
        quoted(text, limit: 300, hiding: secrets).withoutTokens
    }

    /// The reason that the server gives outside of a standard's members: the usual member of a JSON body, wherever it is, or
    /// the title or the beginning of a text.
    package func words(hiding secrets: [Secret]) -> String? {
        if let json = try? JSONValue(parsing: bodyWithoutMark) {
            return json.reason().map { told($0, hiding: secrets) }
        }
        let start = String(decoding: body.prefix(4096), as: UTF8.self)
        let text = title ?? (start.utf8.contains(0) ? "" : start.withoutTags)
        return text.isEmpty ? nil : told(text, hiding: secrets)
    }

    /// The title of a page.
    private var title: String? {
        let start = Array(body.prefix(4096))
        let lower = start.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let open = lower.firstRange(of: Array("<title>".utf8)),
            let end = lower[open.upperBound...].firstRange(of: Array("</title>".utf8)), open.upperBound < end.lowerBound
        else { return nil }
        return String(decoding: start[open.upperBound..<end.lowerBound], as: UTF8.self)
    }
}

extension String {
    /// The words of a page or an XML document.
    fileprivate var withoutTags: String {
        guard hasPrefix("<") else { return String(prefix { !$0.isNewline }) }
        let parts = split(separator: "<").map { $0.drop { $0 != ">" }.dropFirst() }
        return parts.flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
    }
}

extension JSONValue {
    /// What names of members say that a string is a reason, the clearest first.
    private static let namesOfReasons = [
        "description", "message", "msg", "summary", "faultstring", "detail", "reason", "title", "error", "text",
    ]

    /// The string that says most about an error, wherever it is in the body.
    ///
    /// - Parameter code: The error's code, which says nothing more.
    fileprivate func reason(besides code: String? = nil) -> String? {
        var best: (rank: Int, text: String)?
        var remaining = 200
        func read(_ value: JSONValue, _ rank: Int, _ depth: Int) {
            remaining -= 1
            guard depth < 6, remaining > 0 else { return }
            if let text = value.string {
                if !text.isEmpty, text != code, rank < best?.rank ?? Self.namesOfReasons.count { best = (rank, text) }
            }
            for element in value.array ?? [] { read(element, rank, depth + 1) }
            for member in value.object?.members ?? [] {
                let name = member.name.lowercased()
                let own = Self.namesOfReasons.firstIndex { name.contains($0) } ?? rank
                read(member.value, name.hasSuffix("uri") || name.hasSuffix("url") ? .max : own, depth + 1)
            }
        }
        read(self, string == nil ? .max : 0, 0)
        return best?.text
    }
}

extension IncomingResponse {
    /// The body without a byte order mark, which a reader may ignore (RFC 8259, section 8.1).
    private var bodyWithoutMark: [UInt8] { body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body }
}
