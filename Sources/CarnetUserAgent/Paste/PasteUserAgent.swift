public import Carnet
import CarnetProtocol

/// Shows the authorization URL and takes the callback URL that the user copies from the browser's address bar: for a
/// browser on another machine, where no loopback port can be reached.
public struct PasteUserAgent: UserAgent {
    private let attempts: Int
    private let show: @Sendable (String) -> Void
    private let readLine: @Sendable () async throws -> String?

    /// - Parameters:
    ///   - attempts: How many lines the user may paste.
    ///   - show: Is given the URL, alone, and the messages to the user.
    ///   - readLine: Gives what the user typed, without the line's end; `nil` at the end of input.
    public init(
        attempts: Int = 5,
        show: @escaping @Sendable (String) -> Void,
        readLine: @escaping @Sendable () async throws -> String?
    ) {
        self.attempts = attempts
        self.show = show
        self.readLine = readLine
    }

    /// Any redirect URI will do, and it stays as it is: nothing listens there.
    public func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
        PastePresenter(redirectURI: redirectURI, attempts: attempts, show: show, readLine: readLine)
    }
}

private struct PastePresenter: AuthorizationPresenter {
    let redirectURI: String
    let attempts: Int
    let show: @Sendable (String) -> Void
    let readLine: @Sendable () async throws -> String?

    func present(
        _ url: String,
        accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
    ) async throws -> AuthorizationCallback {
        show(try AuthorizationURL(url).text)
        for attempt in 1...max(attempts, 1) {
            let line = try await readLine()
            try Task.checkCancellation()
            let text = line?.drop(while: \.isWhitespace) ?? ""
            guard !text.isEmpty else {
                throw UserAgentError(.cancelled, "no callback URL was pasted")
            }
            if let callback = callback(from: text), accepts(callback) { return callback }
            if attempt < attempts {
                show(
                    "This is not the address that this sign-in ended at. Paste the whole address from the browser, "
                        + "beginning with \(redirectURI), or nothing to stop."
                )
            }
        }
        throw UserAgentError(.cancelled, "none of the \(attempts) pasted lines is the callback of this sign-in")
    }

    func close() async {}

    /// Takes a whole URL, or its query with or without the question mark.
    private func callback(from line: Substring) -> AuthorizationCallback? {
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
