public import Carnet
import CarnetFoundation
import CarnetProtocol

/// Shows the authorization URL and reads the callback URL that the user copies from the browser's address bar: for a
/// browser on another machine, which cannot reach a loopback port.
public struct PasteUserAgent: UserAgent {
    fileprivate let attempts: Int
    fileprivate let show: @Sendable (String) -> Void
    fileprivate let readLine: @Sendable () async throws -> String?

    /// - Parameters:
    ///   - attempts: The number of lines that the user may paste.
    ///   - show: Receives the URL alone, and messages to the user.
    ///   - readLine: Returns the user's line, without the line break; `nil` at the end of input.
    public init(
        attempts: Int = 5,
        show: @escaping @Sendable (String) -> Void,
        readLine: @escaping @Sendable () async throws -> String?
    ) { (self.attempts, self.show, self.readLine) = (attempts, show, readLine) }

    /// Accepts any redirect URI and does not change it: nothing listens there.
    public func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
        PastePresenter(redirectURI: redirectURI, agent: self)
    }
}

private struct PastePresenter: AuthorizationPresenter {
    let redirectURI: String
    let agent: PasteUserAgent

    func present(
        _ url: String, accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
    ) async throws -> AuthorizationCallback {
        let (attempts, show) = (agent.attempts, agent.show)
        show(try AuthorizationURL(url).text)
        var rejected = ""
        for attempt in 1...max(attempts, 1) {
            let line = try await agent.readLine()
            try Task.checkCancellation()
            // A shell or a chat puts marks around a copied address.
            let text = line?[...].trimming { $0.isWhitespace || "\"'<>`".contains($0) } ?? ""
            guard !text.isEmpty else { throw UserAgentError(.cancelled, "no callback URL was pasted\(rejected)") }
            let callback = callback(from: text)
            if let callback, accepts(callback) { return callback }
            rejected = callback.map { "; \($0.report)" } ?? "; the line was no URL"
            if attempt < attempts {
                show(
                    "This is not the callback of this sign-in\(callback.map { " (\($0.report))" } ?? ""). Paste the whole address from the browser, "
                        + "beginning with \(redirectURI), or an empty line to stop."
                )
            }
        }
        throw UserAgentError(
            .cancelled, "none of the \(attempts) pasted lines is the callback of this sign-in\(rejected)")
    }

    func close() async {}

    /// Accepts a complete URL, or its query with or without the question mark.
    private func callback(from line: Substring) -> AuthorizationCallback? {
        // Some terminals put marks around what is pasted, and some browsers copy an address without its scheme.
        let pasted = line.replacing("\u{1B}[200~", with: "").replacing("\u{1B}[201~", with: "")
        let address = redirectURI.firstRange(of: "://").map { redirectURI[$0.upperBound...] } ?? ""
        let host = address.prefix { !"/?".contains($0) }
        let isBare = !host.isEmpty && pasted.hasPrefix(host)
        let line = isBare ? Substring(redirectURI.dropLast(address.count) + pasted) : pasted[...]
        let text = line.prefix { !$0.isWhitespace }
        guard text.utf8.count <= 65_536, line.dropFirst(text.count).allSatisfy(\.isWhitespace) else { return nil }
        // A query begins with a name and `=`; a URL has a colon before either.
        if text.prefix(while: { $0 != "?" && $0 != "=" }).contains(":") {
            return AuthorizationCallback(url: String(text))
        }
        guard text.contains("=") else { return nil }
        let base = redirectURI.prefix { $0 != "?" }
        return AuthorizationCallback(url: "\(base)?\(text.hasPrefix("?") ? text.dropFirst() : text)")
    }
}
