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
    /// The error for a rejected request with an access token: `unauthorized`, `insufficientScope`, or by the status.
    ///
    /// - Parameter unauthorized: What else means that the access token is not accepted: error codes, or whole bodies.
    static func bearer(
        _ response: IncomingResponse, to request: PreparedRequest, unauthorized: [String],
        errors: ErrorFields = ErrorFields()
    ) -> OAuthError {
        let challenge = BearerChallenge(response, hiding: request.secrets)
        let serverError = challenge.serverError ?? response.serverError(errors, hiding: request.secrets)
        if response.status == 401, serverError?.code == AuthenticationRequirements.errorCode {
            let stepUp = AuthenticationRequirements(challenge)
            return OAuthError(
                request.step,
                .insufficientAuthentication,
                "the resource requires a stronger or more recent sign-in",
                descriptorKey: request.descriptorKey,
                status: 401,
                server: serverError,
                hint: stepUp.hint,
                stepUp: stepUp
            )
        }
        // RFC 6750, section 3.1 requires 401 with invalid_token; some servers return 400.
        if response.status == 401 || (response.status == 400 && serverError?.code == "invalid_token")
            || (400..<500).contains(response.status) && response.hasCode(in: unauthorized, code: serverError?.code)
        {
            return rejectedToken(response, of: request, serverError)
        }
        let isOfToken = challenge.serverError != nil || serverError.map { Self.bearerCodes.contains($0.code) } ?? false
        // RFC 6750, section 3.1 says it in the challenge. A page of a firewall says nothing of scopes.
        let isStated = serverError?.code == "insufficient_scope" || !challenge.scopes.isEmpty
        if response.status == 403, isStated || isOfToken && serverError?.code != "invalid_request" {
            var error = OAuthError(
                request.step,
                .insufficientScope,
                "the granted scopes are not sufficient for the resource",
                descriptorKey: request.descriptorKey,
                status: 403,
                server: serverError,
                hint: challenge.scopes.isEmpty
                    ? nil : "sign in with the scopes " + challenge.scopes.joined(separator: " ").quotable(limit: 1000)
            )
            error.scopes = challenge.scopes
            return error
        }
        return OAuthError.status(
            response, request.step, key: request.descriptorKey, fields: errors, hiding: request.secrets)
    }

    /// The codes of RFC 6750, section 3.1, and RFC 9470, section 3.
    private static let bearerCodes = [
        "invalid_request", "invalid_token", "insufficient_scope", AuthenticationRequirements.errorCode,
    ]
}

extension OAuthError {
    /// The error of a response with a status of success whose body says that the access token is not accepted.
    ///
    /// - Parameter unauthorized: What says so: error codes, or whole bodies.
    static func bearer(
        inSuccess response: IncomingResponse, to request: PreparedRequest, unauthorized: [String],
        errors: ErrorFields = ErrorFields()
    ) -> OAuthError? {
        // Only a descriptor that expects such errors has a body read for them.
        guard !unauthorized.isEmpty, (200..<300).contains(response.status) else { return nil }
        let serverError = response.serverError(errors, hiding: request.secrets)
        guard response.hasCode(in: unauthorized, code: serverError?.code) else { return nil }
        return rejectedToken(response, of: request, serverError)
    }

    private static func rejectedToken(
        _ response: IncomingResponse, of request: PreparedRequest, _ server: ServerError?
    ) -> OAuthError {
        OAuthError(
            request.step,
            .unauthorized,
            "the resource rejected the access token"
                + (server == nil ? response.words(hiding: request.secrets).map { ": \"\($0)\"" } ?? "" : ""),
            descriptorKey: request.descriptorKey,
            status: response.status,
            server: server
        )
    }
}

extension OutcomeRules {
    /// Validates the status of a response to a request with the access token.
    ///
    /// - Parameter success: The statuses of success, if the descriptor names none.
    /// - Throws: `OAuthError.bearer`.
    func validate(
        status response: IncomingResponse, to request: PreparedRequest, unauthorized: [String] = [],
        accepting statuses: Range<Int> = 200..<300
    ) throws(OAuthError) {
        let isAccepted =
            success.statuses.isEmpty ? statuses.contains(response.status) : success.accepts(status: response.status)
        guard isAccepted else {
            throw OAuthError.bearer(response, to: request, unauthorized: unauthorized, errors: errors)
        }
        if let error = OAuthError.bearer(inSuccess: response, to: request, unauthorized: unauthorized, errors: errors) {
            throw error
        }
    }

    /// Validates what the body of a response with the status of success says.
    func validate(_ body: JSONValue, of response: IncomingResponse, to request: PreparedRequest) throws(OAuthError) {
        guard success.isSuccess(body) == false else { return }
        let server = response.serverError(errors, hiding: request.secrets)
        let isOfToken = server?.code == "invalid_token"
        throw OAuthError(
            request.step,
            isOfToken ? .unauthorized : .serverError,
            isOfToken ? "the resource rejected the access token" : "the server refused the request",
            descriptorKey: request.descriptorKey,
            status: response.status,
            server: server
        )
    }
}

extension IncomingResponse {
    /// Whether the error code, or the whole trimmed body, is one of these.
    fileprivate func hasCode(in codes: [String], code: String?) -> Bool {
        guard !codes.isEmpty else { return false }
        let isBlank: (UInt8) -> Bool = { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        var text = body[...].drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return codes.contains { known in
            code?.isSameBytes(as: known) == true || text.elementsEqual(known.utf8)
        }
    }
}
