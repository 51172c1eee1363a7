import Carnet

/// An authorization URL that may be shown to the user and given to a browser.
struct AuthorizationURL: Sendable {
    let text: String

    /// Metadata of a server names this URL: one of another scheme could open a file, run a script or a program.
    ///
    /// - Throws: `UserAgentError`, `cannotPresent`, unless it is an https URL, or an http URL on loopback.
    init(_ text: String) throws {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.neverInURLs.contains($0) }) else {
            throw UserAgentError(.cannotPresent, "the authorization URL has characters that no URL has")
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let rest = text.dropFirst(scheme.count)
        guard ["http", "https"].contains(scheme), rest.hasPrefix("://") else {
            throw UserAgentError(.cannotPresent, "the authorization URL is not an https URL, and so it is not opened")
        }
        let authority = rest.dropFirst("://".count).prefix { !"/?#".contains($0) }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        guard !host.isEmpty, !authority.contains("@"), !authority.contains("\\") else {
            throw UserAgentError(.cannotPresent, "the authorization URL has no proper host")
        }
        guard scheme == "https" || ["127.0.0.1", "[::1]", "localhost"].contains(host.lowercased()) else {
            throw UserAgentError(.cannotPresent, "the authorization URL is http and not on loopback")
        }
        self.text = text
    }

    /// Visible ASCII that RFC 3986 has no place for.
    private static let neverInURLs = Set("\"<>\\^`{|}".utf8)
}
