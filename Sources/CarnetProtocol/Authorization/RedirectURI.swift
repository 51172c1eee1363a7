import CarnetDescriptors
import CarnetFoundation

/// The rules for a client's redirect URI (RFC 6749, section 3.1.2; RFC 8252, section 7).
package enum RedirectURI {
    /// - Throws: `OAuthError` of kind `redirectNotAccepted` that lists the accepted forms.
    static func check(_ uri: String, against provider: some ProviderStage) throws(OAuthError) {
        if let reason = refusal(of: uri) {
            throw OAuthError(.configuration, .redirectNotAccepted, "the redirect URI \(uri) \(reason)")
        }
        // Another application can claim the scheme (RFC 8252, section 8.1). With PKCE, the code is of no use to it.
        if let remark = remark(on: uri), !provider.authorization.pkce.isRequired,
            !provider.redirects.contains(where: { $0.names(scheme: scheme(of: uri)) })
        {
            throw OAuthError(
                .configuration, .redirectNotAccepted,
                "\(remark), and this provider's sign-ins have no PKCE: another application could use the code of \(uri)",
                descriptorKey: "authorization.pkce",
                hint:
                    "use a scheme such as com.example.app, or list the form in 'redirects' if the provider prescribes it"
            )
        }
        guard provider.redirects.isEmpty || provider.redirects.contains(where: { $0.matches(uri) }) else {
            throw OAuthError(
                .configuration, .redirectNotAccepted, "\(provider.name) does not accept the redirect URI \(uri)",
                descriptorKey: "redirects",
                hint: "accepted forms: " + provider.redirects.map(\.description).joined(separator: "  "))
        }
    }

    /// The redirect URI with the state in its query.
    ///
    /// - Throws: `OAuthError` of kind `redirectNotAccepted` if its own query has such a parameter already.
    static func carrying(_ state: Secret, named name: String, in uri: String) throws(OAuthError) -> Secret {
        let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first.map { String($0) }
        guard PercentEncoding.decodeForm(query ?? "")?.contains(where: { $0.name == name }) == false else {
            throw OAuthError(
                .configuration, .redirectNotAccepted,
                "the query of the redirect URI has the parameter \"\(name)\", which this provider uses for the state",
                descriptorKey: "authorization.state")
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
        // RFC 3986, section 3.1.
        guard scheme.utf8.first.map(ASCII.isLetter) ?? false,
            scheme.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) })
        else { return "has no valid scheme (RFC 3986, section 3.1)" }
        guard !systemSchemes.contains(scheme) else {
            return "has the scheme \"\(scheme)\", which browsers and systems handle themselves"
        }
        return nil
    }

    /// What no application can receive, and what would run or open the response instead.
    private static let systemSchemes: Set<String> = [
        "about", "blob", "chrome", "content", "data", "file", "filesystem", "ftp", "intent", "javascript", "mailto",
        "resource", "sms", "tel", "urn", "vbscript", "view-source", "ws", "wss",
    ]

    /// The warning about a scheme that other applications are likely to claim.
    package static func remark(on uri: String) -> String? { RedirectForm.remark(onScheme: scheme(of: uri)) }

    private static func scheme(of uri: String) -> Substring { uri.prefix { $0 != ":" } }
}
