import CarnetDescriptors
import CarnetFoundation

/// An authorization URL that is safe to show to the user and to pass to a browser.
package struct AuthorizationURL: Sendable {
    package let text: String

    /// The URL may come from a server's metadata. Another scheme could open a file, or run a script or a program.
    ///
    /// - Throws: `UserAgentError`, `cannotPresent`, unless it is an https URL, or an http URL on loopback.
    package init(_ text: String) throws {
        do throws(WebURLError) {
            // A page with a fragment route has its parameters in the fragment, which allows the same characters as a
            // query.
            var address = text
            if let hash = text.firstIndex(of: "#") { address.replaceSubrange(hash...hash, with: "?") }
            _ = try WebURL(address)
            self.text = text
        } catch {
            throw UserAgentError(.cannotPresent, "the authorization URL cannot be opened: \(error.reason)")
        }
    }
}
