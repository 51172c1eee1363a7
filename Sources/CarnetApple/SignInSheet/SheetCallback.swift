package import Carnet
import CarnetFoundation

/// Where the system's session waits for the callback.
package enum SheetCallback: Hashable, Sendable {
    /// A private-use scheme (RFC 8252, 7.1).
    case scheme(String)
    /// An https URL that is associated with the application (RFC 8252, 7.2).
    case https(host: String, path: String)

    /// - Parameter takesHTTPS: Whether this system's session takes https callbacks: since iOS 17.4 and macOS 14.4.
    /// - Throws: `UserAgentError`, `cannotListen`.
    package init(redirectURI: String, takesHTTPS: Bool) throws(UserAgentError) {
        guard let colon = redirectURI.firstIndex(of: ":"), Self.isScheme(redirectURI[..<colon]) else {
            throw UserAgentError(.cannotListen, "the redirect URI \(redirectURI) has no scheme")
        }
        let scheme = redirectURI[..<colon].lowercased()
        switch scheme {
        case "http":
            throw UserAgentError(
                .cannotListen,
                "the sign-in sheet cannot receive the redirect URI \(redirectURI): register one with a scheme of the "
                    + "application, such as com.example.app:/callback, or an https URL that is associated with it")
        case "https":
            guard takesHTTPS else {
                throw UserAgentError(
                    .cannotListen,
                    "the sign-in sheet can receive https redirect URIs only since iOS 17.4 and macOS 14.4: register one "
                        + "with a scheme of the application too, or use URLSignIn with a universal link")
            }
            guard let url = try? WebURL(redirectURI) else {
                throw UserAgentError(.cannotListen, "the redirect URI \(redirectURI) is not a URL")
            }
            self = .https(host: url.host, path: url.path.isEmpty ? "/" : url.path)
        default: self = .scheme(scheme)
        }
    }

    /// RFC 3986, section 3.1.
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, ASCII.isLetter(first) else { return false }
        return text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "+-.".utf8.contains($0) }
    }
}
