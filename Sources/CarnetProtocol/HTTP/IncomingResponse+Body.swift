import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension IncomingResponse {
    /// The media type without its parameters, in lower case.
    var mediaType: String? { head.headerFields.value(of: .contentType).map { MediaType.essence(of: $0) } }

    /// The media type as errors may show it: only those that servers often send by mistake. Another string could be a
    /// secret of the request.
    var shownMediaType: String? {
        mediaType.map { Self.harmlessMediaTypes.contains($0) ? $0 : "another type" }
    }

    private static let harmlessMediaTypes: Set = [
        "application/javascript", "application/json", "application/jwk-set+json", "application/jwt",
        "application/octet-stream", "application/problem+json", "application/x-www-form-urlencoded",
        "application/xhtml+xml", "application/xml", "image/gif", "image/jpeg", "image/png", "multipart/form-data",
        "text/css", "text/csv", "text/html", "text/javascript", "text/json", "text/plain", "text/xml",
    ]

    /// Whether the content type says JSON (RFC 8259, section 11; RFC 6839, section 3.1).
    var claimsJSON: Bool {
        guard let mediaType else { return false }
        return mediaType == "application/json" || mediaType.hasSuffix("+json")
    }

    /// The body as JSON.
    ///
    /// - Parameter isLenient: Ignores the content type.
    /// - Throws: `OAuthError` that quotes the content type, never the body.
    func json(_ step: OAuthError.Step, key: String, isLenient: Bool = false) throws(OAuthError) -> JSONValue {
        guard claimsJSON || isLenient else {
            throw OAuthError(
                step,
                .unexpectedContentType,
                "the response is \(shownMediaType ?? "without a content type") where JSON was expected",
                descriptorKey: key,
                status: status,
                hint: mediaType == "text/html"
                    ? "check the URL; a proxy or a login page of the network may have responded" : nil
            )
        }
        do throws(JSONError) {
            return try JSONValue(parsing: bodyWithoutMark)
        } catch {
            throw OAuthError(
                step,
                .malformedBody,
                "the response is not valid JSON: \(error.description.quotable())",
                descriptorKey: key,
                status: status
            )
        }
    }

    /// The body in the format that the descriptor says.
    ///
    /// - Throws: `OAuthError` that never quotes the body.
    func value(_ format: ResponseFormat, _ step: OAuthError.Step, key: String) throws(OAuthError) -> JSONValue {
        func malformed(_ expected: String) -> OAuthError {
            OAuthError(step, .malformedBody, "the response is not \(expected)", descriptorKey: key, status: status)
        }
        switch format {
        case .form where !claimsJSON:
            guard let object = formObject else { throw malformed("form-encoded") }
            return object
        case .jsonp:
            guard let argument else { throw malformed("JSON in a function call") }
            return argument
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

    private static func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D, 0x20].contains(byte) }

    /// The server's error in an error response, at the places that the descriptor names, with any content type.
    func serverError(
        _ fields: ErrorFields, format: ResponseFormat = .auto, hiding secrets: [Secret]
    ) -> ServerError? {
        let body: JSONValue
        if let json = (try? JSONValue(parsing: bodyWithoutMark)) ?? (format == .jsonp ? argument : nil) {
            body = json
        } else if format == .form || mediaType == "application/x-www-form-urlencoded", let form = formObject {
            body = form
        } else {
            return nil
        }
        return body.serverError(fields, hiding: secrets)
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
        // Some servers use these values for "no error".
        guard let code = first(of: fields.code.pointers)?.scalarText, !["", "0", "false"].contains(code) else {
            return nil
        }
        let meaning = fields.codes[code]
        return ServerError(
            code: meaning ?? code,
            // Without a message, the provider's own code is shown.
            message: first(of: fields.message.pointers)?.scalarText ?? meaning.map { _ in code },
            uri: first(of: fields.uri.pointers)?.scalarText,
            hiding: secrets()
        )
    }
}

extension OAuthError {
    /// The error for a status that is not success.
    static func status(
        _ response: IncomingResponse,
        _ step: Step,
        key: String,
        fields: ErrorFields = ErrorFields(),
        format: ResponseFormat = .auto,
        hiding secrets: [Secret]
    ) -> OAuthError {
        let status = response.status
        let serverError =
            response.serverError(fields, format: format, hiding: secrets)
            ?? fields.statuses[String(status)].map { ServerError(code: $0, message: nil, uri: nil, hiding: secrets) }
        // A few servers limit requests with 403, and a code of their own. Nothing but a limit ends by waiting.
        let isDecided = serverError.map { Self.standardCodes.contains($0.code) } ?? false
        let isLimit = status == 429 || status == 403 && !isDecided && response.retryAfter != nil
        let isServersFault = status >= 500 || status == 408
        let hint: String? =
            switch status {
            case _ where isLimit: response.retryAfter?.hint ?? "try again later"
            case _ where serverError?.code == "invalid_client":
                "check the client id, the secret, the method (client.authentication) and its encoding (client.basic_encoding)"
            case 300..<400: "redirects are not followed: correct \(key)"
            case 404, 405: "check the URL in \(key)"
            case _ where isServersFault || response.retryAfter != nil:
                response.retryAfter?.hint ?? "try again later"
            default: serverError.flatMap { Self.advice(for: $0.code) }
            }
        return OAuthError(
            step,
            isLimit
                ? .tooManyRequests
                : isServersFault ? .serverUnavailable : serverError != nil ? .serverError : .unexpectedStatus,
            isLimit
                ? "the server got too many requests"
                : isServersFault ? "the server failed" : "the server refused the request",
            descriptorKey: key,
            status: status,
            server: serverError,
            hint: hint,
            retryAt: response.retryAfter?.date
        )
    }

    /// The codes of RFC 6749, section 5.2, of RFC 6750, section 3.1, and of RFC 9470, section 3.
    private static let standardCodes = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "invalid_token", "insufficient_scope", AuthenticationRequirements.errorCode,
    ]

    /// What to do about the error codes of RFC 6749, section 5.2.
    private static func advice(for code: String) -> String? {
        switch code {
        case "invalid_scope": "request other scopes; see scopes in the descriptor"
        case "unauthorized_client", "unsupported_grant_type": "allow this grant for the client at the provider"
        default: nil
        }
    }
}

extension IncomingResponse {
    /// The body without a byte order mark, which a reader may ignore (RFC 8259, section 8.1).
    private var bodyWithoutMark: [UInt8] {
        body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
    }
}
