import CarnetDescriptors

/// A response as it may be shown and logged.
public struct RedactedResponse: Hashable, Sendable {
    package var status: Int
    package var contentType: String?
    package var body: String
}

extension RedactedResponse {
    /// The redacted form of the response to a request.
    ///
    /// For a token endpoint, only members that are known to be harmless are shown. Elsewhere, members with names of
    /// secrets are hidden. Other bodies than JSON are only counted.
    package init(_ response: IncomingResponse, to request: PreparedRequest) {
        status = response.status
        contentType = response.shownMediaType
        guard !response.body.isEmpty else {
            body = ""
            return
        }
        guard let json = try? JSONValue(parsing: response.body) else {
            body = "(\(response.body.count) bytes that are not JSON)"
            return
        }
        let redactor = Redactor(hiding: request.secrets)
        let isTokenResponse = [.tokenRequest, .refresh, .revocation].contains(request.step)
        let shown = json.redacting(redactor, limit: Self.maximumLength, isHidden: isTokenResponse) { name, isHidden in
            isTokenResponse ? !Self.isHarmless(name) : isHidden || Self.speaksOfSecrets(name)
        }
        let text = shown.jsonText()
        let isShort = text.unicodeScalars.prefix(Self.maximumLength + 1).count <= Self.maximumLength
        // The second pass finds secrets in the names of members.
        body = redactor.redact(text, limit: Self.maximumLength) + (isShort ? "" : "…")
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
}
