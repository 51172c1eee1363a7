import CarnetDescriptors
import HTTPTypes

extension IncomingResponse {
    /// The media type without its parameters, in lower case.
    var mediaType: String? { head.headerFields[.contentType].map { MediaType.essence(of: $0) } }

    /// The media type as it may be shown: one that servers are known to send by mistake, since any other text may hold
    /// a secret of the request.
    var shownMediaType: String? {
        mediaType.map { Self.harmlessMediaTypes.contains($0) ? $0 : "another type" }
    }

    private static let harmlessMediaTypes: Set = [
        "application/javascript", "application/json", "application/jwk-set+json", "application/jwt",
        "application/octet-stream", "application/problem+json", "application/x-www-form-urlencoded",
        "application/xhtml+xml", "application/xml", "image/gif", "image/jpeg", "image/png", "multipart/form-data",
        "text/css", "text/csv", "text/html", "text/javascript", "text/json", "text/plain", "text/xml",
    ]

    /// Whether the server calls the body JSON (RFC 8259, section 11; RFC 6839, section 3.1).
    var claimsJSON: Bool {
        guard let mediaType else { return false }
        return mediaType == "application/json" || mediaType.hasSuffix("+json")
    }

    /// The body as JSON.
    ///
    /// - Parameter isLenient: Read it as JSON whatever the content type says.
    /// - Throws: `OAuthError` that quotes the content type, never the body.
    func json(_ step: OAuthError.Step, key: String, isLenient: Bool = false) throws(OAuthError) -> JSONValue {
        guard claimsJSON || isLenient else {
            throw OAuthError(
                step,
                .unexpectedContentType,
                "the answer is \(shownMediaType ?? "of no stated type") where JSON was expected",
                descriptorKey: key,
                status: status,
                hint: mediaType == "text/html" ? "is the URL right, or is a login page of the network in the way?" : nil
            )
        }
        do throws(JSONError) {
            return try JSONValue(parsing: body)
        } catch {
            throw OAuthError(
                step,
                .malformedBody,
                "the answer is not valid JSON: \(error.description.quotable())",
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
            OAuthError(step, .malformedBody, "the answer is not \(expected)", descriptorKey: key, status: status)
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

    /// The JSON in `callback(JSON);`. Nothing of the call is run or believed.
    private var argument: JSONValue? {
        var rest = body[...].drop(while: Self.isSpace)
        if rest.starts(with: "/**/".utf8) { rest = rest.dropFirst(4).drop(while: Self.isSpace) }
        let name = rest.prefix { byte in PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: "$") }
        rest = rest.dropFirst(name.count).drop(while: Self.isSpace)
        while let last = rest.last, Self.isSpace(last) || last == UInt8(ascii: ";") { rest = rest.dropLast() }
        guard !name.isEmpty, rest.first == UInt8(ascii: "("), rest.last == UInt8(ascii: ")") else { return nil }
        return try? JSONValue(parsing: Array(rest.dropFirst().dropLast()))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D, 0x20].contains(byte) }

    /// The server's own words in an error response, wherever the descriptor says they are; looked for in any body.
    func serverWords(
        _ fields: ErrorFields, format: ResponseFormat = .auto, hiding secrets: [Secret]
    ) -> ServerWords? {
        let body: JSONValue
        if let json = (try? JSONValue(parsing: self.body)) ?? (format == .jsonp ? argument : nil) {
            body = json
        } else if format == .form || mediaType == "application/x-www-form-urlencoded", let form = formObject {
            body = form
        } else {
            return nil
        }
        return body.serverWords(fields, hiding: secrets)
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
    /// The server's own words in a body, wherever the descriptor says they are.
    func serverWords(_ fields: ErrorFields, hiding secrets: [Secret]) -> ServerWords? {
        // Some servers say with these values that there is no error.
        guard let code = first(of: fields.code.pointers)?.scalarText, !["", "0", "false"].contains(code) else {
            return nil
        }
        let meaning = fields.codes[code]
        return ServerWords(
            code: meaning ?? code,
            // A provider's own code still helps where it is all that was said.
            message: first(of: fields.message.pointers)?.scalarText ?? meaning.map { _ in code },
            uri: first(of: fields.uri.pointers)?.scalarText,
            hiding: secrets
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
        let words = response.serverWords(fields, format: format, hiding: secrets)
        let isServersFault = status >= 500 || status == 429 || status == 408
        let hint: String? =
            switch status {
            case 300..<400: "redirects are not followed here: correct \(key)"
            case 404, 405: "is \(key) right?"
            default: nil
            }
        return OAuthError(
            step,
            isServersFault ? .serverUnavailable : words != nil ? .serverError : .unexpectedStatus,
            isServersFault ? "the server failed" : "the server refused the request",
            descriptorKey: key,
            status: status,
            server: words,
            hint: hint
        )
    }
}
