import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// The parameters of a `WWW-Authenticate` header (RFC 6750, section 3; RFC 9110, section 11.6.1). The parser
/// tolerates a missing scheme, quotes and commas, which some servers omit.
struct BearerChallenge {
    /// The parameters outside quotes, with names in lower case, in order.
    private var parameters: [(name: String, value: String)] = []

    /// - Parameter secrets: The secrets of the request, which the server may repeat.
    init(_ response: IncomingResponse, hiding secrets: [Secret] = []) {
        let redactor = Redactor(hiding: secrets)
        var rest = (response.head.headerFields[.wwwAuthenticate] ?? "").unicodeScalars.prefix(ReceivedLimit.challenge)
        while !rest.isEmpty {
            let word = rest.prefix { !", \t=\"".unicodeScalars.contains($0) }
            Work.count(word.count + 1)
            rest = rest.dropFirst(word.count)
            switch rest.popFirst() {
            case "=":
                let value = redactor.redact(Self.takeValue(&rest), limit: .max)
                // RFC 9110, section 5.6.2: names are ASCII.
                guard word.allSatisfy(\.isASCII) else { continue }
                parameters.append((String(word).lowercased(), value))
            case "\"": _ = Self.takeQuoted(&rest)
            default: break
            }
        }
    }

    /// The first value of a name; `nil` if it is empty.
    subscript(name: String) -> String? {
        Work.count(parameters.count)
        return parameters.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    var serverError: ServerError? {
        self["error"].map { ServerError(code: $0, message: self["error_description"], uri: self["error_uri"]) }
    }

    /// The scopes that a 403 names as missing.
    var scopes: [String] {
        let scopes = ScopeRules.split(self["scope"] ?? "", separator: " ")
        return Array(
            scopes.filter { ScopeRules.isToken($0) && $0.utf8.count <= ReceivedLimit.resourceScope }.prefix(100))
    }

    private static func takeValue(_ rest: inout Substring.UnicodeScalarView) -> String {
        if rest.first == "\"" {
            rest.removeFirst()
            return takeQuoted(&rest)
        }
        // An unquoted value may contain spaces: it ends at a comma.
        let value = rest.prefix { $0 != "," }
        Work.count(value.count)
        rest = rest.dropFirst(value.count)
        return String(value)
    }

    /// The rest of a quoted string after its opening quote; up to the end if it is not closed.
    private static func takeQuoted(_ rest: inout Substring.UnicodeScalarView) -> String {
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            Work.count()
            value.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
        }
        return String(value)
    }
}

extension OAuthError {
    /// The error for a rejected request with an access token: `unauthorized`, `insufficientScope`, or by the status. A request
    /// without it has no error that a new token, another scope or another sign-in could end.
    ///
    /// - Parameter errors: Where the descriptor says that errors are, and what they mean.
    static func bearer(_ response: IncomingResponse, to request: PreparedRequest, errors: ErrorFields) -> OAuthError {
        let challenge = BearerChallenge(response, hiding: request.secrets)
        let stated = response.serverError(errors, hiding: request.secrets)
        let isMapped = stated.map { errors.codes.items.map(\.value).contains($0.code) } ?? false
        let serverError =
            isMapped ? stated : challenge.serverError ?? stated ?? errors.statusError(response.status)
        if request.hasToken, response.status == 401, serverError?.code == AuthenticationRequirements.errorCode {
            let stepUp = AuthenticationRequirements(challenge)
            return OAuthError(
                request.step, .insufficientAuthentication, "the resource requires a stronger or more recent sign-in",
                descriptorKey: request.descriptorKey, status: 401, server: serverError, hint: stepUp.hint,
                stepUp: stepUp)
        }
        // RFC 6750, section 3.1 says it in the challenge of a 403; some servers return 401. Any other 403 says nothing of scopes.
        let isScope = serverError?.code == "insufficient_scope"
        if request.hasToken,
            [401, 403].contains(response.status) && isScope || response.status == 403 && !challenge.scopes.isEmpty
        {
            var error = OAuthError(
                request.step, .insufficientScope, "the granted scopes are not sufficient for the resource",
                descriptorKey: request.descriptorKey, status: response.status, server: serverError)
            error.scopes = challenge.scopes
            return error
        }
        // RFC 6750, section 3.1 requires 401 with invalid_token; some servers return 400 or 403.
        if response.status == 401 || serverError?.code == "invalid_token" {
            return rejectedToken(response, of: request, serverError)
        }
        return OAuthError.status(
            response, request.step, key: request.descriptorKey, fields: errors, hiding: request.secrets)
    }
}

extension OAuthError {
    /// The error of a response with a status of success whose body says that the access token is not accepted.
    static func bearer(
        inSuccess response: IncomingResponse, to request: PreparedRequest, errors: ErrorFields
    ) -> OAuthError? {
        // Only a descriptor that expects such errors has a body read for them.
        guard errors.codes.items.contains(where: { $0.value == "invalid_token" }),
            (200..<300).contains(response.status),
            let serverError = response.serverError(errors, hiding: request.secrets), serverError.code == "invalid_token"
        else { return nil }
        return rejectedToken(response, of: request, serverError)
    }

    fileprivate static func rejectedToken(
        _ response: IncomingResponse, of request: PreparedRequest, _ server: ServerError?
    ) -> OAuthError {
        let words = server == nil ? response.words(hiding: request.secrets).map { ": \"\($0)\"" } ?? "" : ""
        guard request.hasToken else {
            return OAuthError(
                request.step, server == nil ? .unexpectedStatus : .serverError,
                "the server refused a request without the access token" + words,
                descriptorKey: request.descriptorKey, status: response.status, server: server,
                hint: "if the request needs the token, remove token_in: { none: ... }")
        }
        return OAuthError(
            request.step, .unauthorized, "the resource rejected the access token" + words,
            descriptorKey: request.descriptorKey, status: response.status, server: server)
    }
}

extension OutcomeRules {
    /// Validates the status of a response to a request with the access token.
    ///
    /// - Parameter success: The statuses of success, if the descriptor names none.
    /// - Throws: `OAuthError.bearer`.
    func validate(
        status response: IncomingResponse, to request: PreparedRequest, accepting statuses: Range<Int> = 200..<300
    ) throws(OAuthError) {
        let errors = self.errors ?? ErrorFields()
        let isAccepted =
            success.statuses.isEmpty ? statuses.contains(response.status) : success.accepts(status: response.status)
        guard isAccepted else { throw OAuthError.bearer(response, to: request, errors: errors) }
        if let error = OAuthError.bearer(inSuccess: response, to: request, errors: errors) { throw error }
    }

    /// Validates what the body of a response with the status of success says.
    func validate(_ body: JSONValue, of response: IncomingResponse, to request: PreparedRequest) throws(OAuthError) {
        guard success.isSuccess(body) == false else { return }
        let server = response.serverError(errors ?? ErrorFields(), hiding: request.secrets)
        guard server?.code != "invalid_token" else { throw OAuthError.rejectedToken(response, of: request, server) }
        let found = success.field.flatMap { body.first(of: $0.pointers) }
        let place = success.field?.pointers.map(\.description).joined(separator: ", ") ?? ""
        let section = request.descriptorKey == "endpoints.userinfo" ? "profile" : request.descriptorKey
        throw OAuthError(
            request.step, .serverError,
            "the server refused the request: \(place) is "
                + (found.map { request.quotable($0.jsonText(), limit: 40).withoutTokens } ?? "missing")
                + ", and success is "
                + success.expected.map { $0.jsonText().quotable(limit: 40) }.joined(separator: " or "),
            descriptorKey: "\(section).success", status: response.status, server: server)
    }
}

extension ErrorFields {
    /// The error that a status means by itself.
    func statusError(_ status: Int) -> ServerError? { statuses[String(status)].map { ServerError(code: $0) } }
}
