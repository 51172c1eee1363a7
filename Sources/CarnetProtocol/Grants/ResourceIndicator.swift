import CarnetDescriptors

/// Validates the URI of a resource server (RFC 8707, section 2).
enum ResourceIndicator {
    /// - Throws: `OAuthError` if it is not an absolute URI, or has a fragment.
    static func checked(_ resources: [String], at step: OAuthError.Step) throws(OAuthError) -> [String] {
        for resource in resources where !isAbsoluteURI(resource) {
            throw OAuthError(
                step, .badRegistration, "\"\(resource.quotable(limit: 100))\" is not a valid resource URI",
                hint: "use an absolute URI without a fragment (RFC 8707, section 2)")
        }
        return resources
    }

    /// RFC 3986, section 4.3, as far as needed to detect a mistake.
    static func isAbsoluteURI(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }),
            let colon = text.firstIndex(of: ":"), text.index(after: colon) != text.endIndex
        else { return false }
        let scheme = text[..<colon]
        return scheme.first?.isLetter == true
            && scheme.allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
    }
}
