import CarnetDescriptors

/// Names a resource server that a token is for (RFC 8707, section 2).
enum ResourceIndicator {
    /// - Throws: `OAuthError` for what is not an absolute URI, or has a fragment.
    static func checked(_ resources: [String], at step: OAuthError.Step) throws(OAuthError) -> [String] {
        for resource in resources where !isAbsoluteURI(resource) {
            throw OAuthError(
                step,
                .badRegistration,
                "\"\(resource.quotable(limit: 100))\" cannot name a resource",
                hint: "name it by an absolute URI without a fragment (RFC 8707, section 2)"
            )
        }
        return resources
    }

    /// RFC 3986, section 4.3, as far as it tells one from a mistake.
    static func isAbsoluteURI(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }),
            let colon = text.firstIndex(of: ":"), text.index(after: colon) != text.endIndex
        else { return false }
        let scheme = text[..<colon]
        return scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
    }
}
