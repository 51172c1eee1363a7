import CarnetDescriptors
import HTTPTypes

// Descriptions may end up in a log or a failed test, so they contain no token, code or body.

extension OutgoingRequest: Redacted {
    package var summary: String {
        let path = (head.path ?? "").prefix { $0 != "?" }
        return "\(head.method.rawValue) \(head.scheme ?? "")://\(head.authority ?? "")\(path) (\(body.count) bytes)"
    }
}

extension IncomingResponse: Redacted {
    package var summary: String { "\(status) (\(body.count) bytes)" }
}

extension PreparedRequest: Redacted {
    package var summary: String { "\(step.rawValue): \(redacted.method) \(redacted.url)" }
}

extension AuthorizationRequest: Redacted {
    package var summary: String { redactedURL }
}

extension IDToken: Redacted {
    package var summary: String { "\(subject) of \(issuer)" }
}

extension RedactedRequest: Redacted {
    package var summary: String {
        let fields = headers.map { "\($0.name): \($0.value)" }
        return (["\(method) \(url)"] + fields + [body]).oneLine
    }
}

extension RedactedResponse: Redacted {
    package var summary: String { ["\(status)", contentType ?? "", body].oneLine }
}

extension [String] {
    /// The parts that are not empty, as a log may have them: no part can begin a line of its own.
    fileprivate var oneLine: String { filter { !$0.isEmpty }.joined(separator: "; ").quotable(limit: .max) }
}
