import HTTPTypes

// Descriptions may end up in a log or a failed test, so they contain no token, code or body.

extension OutgoingRequest: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let path = (head.path ?? "").prefix { $0 != "?" }
        return "\(head.method.rawValue) \(head.scheme ?? "")://\(head.authority ?? "")\(path) (\(body.count) bytes)"
    }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension IncomingResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status) (\(body.count) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension PreparedRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(step.rawValue): \(redacted.method) \(redacted.url)" }
    public var customMirror: Mirror { Mirror(self, children: ["step": step, "redacted": redacted]) }
}

extension AuthorizationRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { redactedURL }
    public var customMirror: Mirror { Mirror(self, children: ["redactedURL": redactedURL, "pending": pending]) }
}

extension IDToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(subject) of \(issuer)" }
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer, "subject": subject]) }
}
