import CarnetDescriptors

/// A response as it may be shown and logged.
public struct RedactedResponse: Hashable, Sendable {
    public var status: Int
    public var contentType: String?
    public var body: String
}

extension RedactedResponse {
    /// What may be shown of the answer to a request.
    ///
    /// Of a token endpoint's answer only members that are known to be harmless are shown; elsewhere members whose names
    /// speak of secrets are hidden. What is not JSON is counted, not shown.
    public init(_ response: IncomingResponse, to request: PreparedRequest) {
        status = response.status
        contentType = response.mediaType
        guard !response.body.isEmpty else {
            body = ""
            return
        }
        guard let json = try? JSONValue(parsing: response.body) else {
            body = "(\(response.body.count) bytes that are not JSON)"
            return
        }
        let isTokenAnswer = [.tokenRequest, .refresh, .revocation].contains(request.step)
        var text = Self.redact(json) { isTokenAnswer ? !Self.isHarmless($0) : Self.speaksOfSecrets($0) }.jsonText()
        for secret in request.secrets where !secret.isEmpty {
            text = text.split(separator: secret.reveal(), omittingEmptySubsequences: false)
                .joined(separator: secret.description)
        }
        body = text.utf8.count <= Self.maximumLength ? text : String(text.prefix(Self.maximumLength)) + "…"
    }

    private static let maximumLength = 4096

    private static func isHarmless(_ name: String) -> Bool {
        ["token_type", "expires_in", "scope", "error", "error_description", "error_uri"].contains(name)
    }

    private static func speaksOfSecrets(_ name: String) -> Bool {
        let name = name.lowercased()
        guard !name.hasSuffix("_endpoint"), !name.hasSuffix("_supported") else { return false }
        return ["token", "secret", "password", "code", "cookie", "session", "assertion", "verifier", "nonce"]
            .contains { name.contains($0) }
    }

    private static func redact(_ value: JSONValue, hides: (String) -> Bool) -> JSONValue {
        switch value {
        case .object(let object):
            var redacted = JSONObject()
            for member in object.members {
                switch member.value {
                case .object, .array: redacted[member.name] = redact(member.value, hides: hides)
                default: redacted[member.name] = hides(member.name) ? .string(Secret("").description) : member.value
                }
            }
            return .object(redacted)
        case .array(let elements):
            return .array(elements.map { redact($0, hides: hides) })
        default: return value
        }
    }
}
