import Carnet
import CarnetDescriptors

/// An authorization URL that may be shown to the user and given to a browser.
struct AuthorizationURL: Sendable {
    let text: String

    /// Metadata of a server names this URL: one of another scheme could open a file, run a script or a program.
    ///
    /// - Throws: `UserAgentError`, `cannotPresent`, unless it is an https URL, or an http URL on loopback.
    init(_ text: String) throws {
        do throws(WebURLError) {
            // A page that routes by its fragment has its parameters there; what may stand in a fragment may in a query.
            var address = text
            if let hash = text.firstIndex(of: "#") { address.replaceSubrange(hash...hash, with: "?") }
            _ = try WebURL(address)
            self.text = text
        } catch {
            throw UserAgentError(.cannotPresent, "the authorization URL is not opened: \(error.reason)")
        }
    }
}
