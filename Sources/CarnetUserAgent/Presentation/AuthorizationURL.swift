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
            self.text = try WebURL(text).text
        } catch {
            throw UserAgentError(.cannotPresent, "the authorization URL is not opened: \(error.reason)")
        }
    }
}
