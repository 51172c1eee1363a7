import CarnetDescriptors
import HTTPTypes

/// The words of a `WWW-Authenticate` header (RFC 6750, section 3; RFC 9110, section 11.6.1), read tolerantly: real
/// servers leave out the scheme, quotes and commas.
struct BearerChallenge {
    /// The parameters that stand outside quotes, names in lower case, in their order.
    private var parameters: [(name: String, value: String)] = []

    /// - Parameter secrets: Of the request that was refused; a server may repeat them in any of its words.
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
                // RFC 9110, section 5.6.2: a name is ASCII.
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

    var words: ServerWords? {
        self["error"].map { ServerWords(code: $0, message: self["error_description"], uri: self["error_uri"]) }
    }

    /// The scopes that a 403 says are missing.
    var scopes: [String] {
        self["scope"]?.split(separator: " ").map { $0.description.quotable(limit: 100) } ?? []
    }

    private static func takeValue(_ rest: inout Substring.UnicodeScalarView) -> String {
        if rest.first == "\"" {
            rest.removeFirst()
            return takeQuoted(&rest)
        }
        // Without quotes a value may have blanks in it: it ends at a comma.
        let value = rest.prefix { $0 != "," }
        Work.count(value.count)
        rest = rest.dropFirst(value.count)
        return String(value)
    }

    /// What is left of a quoted string whose opening quote is gone; up to the end if it is never closed.
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
    /// The error of a request that carried an access token: `unauthorized`, `insufficientScope`, or as the status says.
    static func bearer(_ response: IncomingResponse, to request: PreparedRequest) -> OAuthError {
        let challenge = BearerChallenge(response, hiding: request.secrets)
        let words = challenge.words ?? response.serverWords(ErrorFields(), hiding: request.secrets)
        if response.status == 401, words?.code == StepUp.errorCode {
            let stepUp = StepUp(challenge)
            return OAuthError(
                request.step,
                .insufficientAuthentication,
                "the resource wants a stronger or fresher sign-in",
                descriptorKey: request.descriptorKey,
                status: 401,
                server: words,
                hint: stepUp.hint,
                stepUp: stepUp
            )
        }
        // RFC 6750, section 3.1 has invalid_token with 401; real servers send 400 too.
        if response.status == 401 || (response.status == 400 && words?.code == "invalid_token") {
            return OAuthError(
                request.step,
                .unauthorized,
                "the access token is not accepted",
                descriptorKey: request.descriptorKey,
                status: response.status,
                server: words
            )
        }
        if response.status == 403 {
            return OAuthError(
                request.step,
                .insufficientScope,
                "the granted scopes do not open the resource",
                descriptorKey: request.descriptorKey,
                status: 403,
                server: words,
                hint: challenge.scopes.isEmpty
                    ? nil : "sign in with the scopes " + challenge.scopes.joined(separator: " ")
            )
        }
        return OAuthError.status(response, request.step, key: request.descriptorKey, hiding: request.secrets)
    }
}
