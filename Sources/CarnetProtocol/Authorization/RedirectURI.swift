import CarnetDescriptors
import CarnetFoundation

/// The rules for a client's redirect URI (RFC 6749, section 3.1.2; RFC 8252, section 7).
enum RedirectURI {
    /// - Throws: `OAuthError` of kind `redirectNotAccepted` that lists the accepted forms.
    static func check(_ uri: String, against provider: some ProviderStage) throws(OAuthError) {
        if let reason = refusal(of: uri) {
            throw OAuthError(.configuration, .redirectNotAccepted, "the redirect URI \(uri) \(reason)")
        }
        guard provider.redirects.isEmpty || provider.redirects.contains(where: { $0.matches(uri) }) else {
            throw OAuthError(
                .configuration,
                .redirectNotAccepted,
                "\(provider.name) does not accept the redirect URI \(uri)",
                descriptorKey: "redirects",
                hint: "accepted forms: " + provider.redirects.map(\.description).joined(separator: "  ")
            )
        }
    }

    /// The redirect URI with the state in its query.
    ///
    /// - Throws: `OAuthError` of kind `redirectNotAccepted` if its own query has such a parameter already.
    static func carrying(_ state: Secret, named name: String, in uri: String) throws(OAuthError) -> Secret {
        let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first.map { String($0) }
        guard PercentEncoding.decodeForm(query ?? "")?.contains(where: { $0.name == name }) == false else {
            throw OAuthError(
                .configuration,
                .redirectNotAccepted,
                "the query of the redirect URI has the parameter \"\(name)\", which this provider uses for the state",
                descriptorKey: "authorization.state"
            )
        }
        let start = query == nil ? uri.hasSuffix("?") ? uri : uri + "?" : uri + "&"
        return Secret("\(start)\(PercentEncoding.encode(name))=\(state.reveal())")
    }

    static func refusal(of uri: String) -> String? {
        guard uri.hasOnly(0x21...0x7E) else { return "has characters that are not allowed in a URI" }
        guard !uri.utf8.contains(UInt8(ascii: "#")) else { return "has a fragment (RFC 6749, section 3.1.2)" }
        guard let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")) else { return "is not an absolute URI" }
        let scheme = uri[..<colon].lowercased()
        if scheme == "https" || scheme == "http" {
            do throws(WebURLError) {
                try WebURL.check(uri)
                return nil
            } catch {
                return "is invalid: \(error.reason)"
            }
        }
        // RFC 8252, section 7.1: another application could claim a scheme that is not a reversed domain name.
        guard scheme.utf8.contains(UInt8(ascii: ".")) else {
            return "has a scheme that is not a reversed domain name, such as com.example.app (RFC 8252, section 7.1)"
        }
        return nil
    }
}
