extension JSONValue {
    /// The claims of a JSON Web Token in compact form (RFC 7515, section 7.1), without a check of its signature; `nil` for
    /// any other string.
    package init?(claimsOf token: String) {
        let segments = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3, let payload = Base64URL.decode(segments[1]),
            let claims = try? JSONValue(parsing: payload)
        else { return nil }
        self = claims
    }
}
