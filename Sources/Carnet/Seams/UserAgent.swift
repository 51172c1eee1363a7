public import CarnetDescriptors
public import CarnetProtocol

/// Shows the authorization page to the user and brings back the callback (RFC 8252).
public protocol UserAgent: Sendable {
    /// Gets ready to receive a callback, e.g. binds a loopback port.
    ///
    /// - Parameter redirectURI: The registered redirect URI; a loopback URI without a port gets one (RFC 8252, 7.3).
    /// - Throws: `UserAgentError` if this agent cannot receive callbacks at that URI.
    func prepare(redirectURI: String) async throws -> any AuthorizationPresenter

    /// Gets ready to receive a callback in the way that the descriptor asks for. By default one by POST is refused.
    ///
    /// - Throws: `UserAgentError` if this agent cannot receive callbacks at that URI or in that way.
    func prepare(redirectURI: String, responseMode: ResponseMode) async throws -> any AuthorizationPresenter
}

extension UserAgent {
    public func prepare(
        redirectURI: String, responseMode: ResponseMode
    ) async throws -> any AuthorizationPresenter {
        guard !responseMode.isPosted else {
            throw UserAgentError(.cannotListen, "the answer comes by POST, which cannot be received in this way")
        }
        return try await prepare(redirectURI: redirectURI)
    }
}

/// One authorization, from showing the page to its callback. It is used once.
public protocol AuthorizationPresenter: Sendable {
    /// The redirect URI to send, with the port in it.
    var redirectURI: String { get }

    /// Shows the page and waits for the callback.
    ///
    /// - Parameters:
    ///   - url: The authorization URL.
    ///   - accepts: Whether a callback belongs to this login. One that does not is answered with an error page and the
    ///     wait goes on, so that a forged callback cannot end a login (RFC 8252, 8.9).
    /// - Throws: `UserAgentError`, or `CancellationError` when the task was cancelled.
    func present(
        _ url: String,
        accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
    ) async throws -> AuthorizationCallback

    /// Ends the wait and frees the port. Safe to call more than once.
    func close() async
}

/// Why no callback came.
public struct UserAgentError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable {
        /// The user closed the page or typed nothing.
        case cancelled
        /// No callback came in time.
        case timeout
        /// The port of the redirect URI is taken, or the URI is not one that this agent can receive.
        case cannotListen
        /// The page could not be shown.
        case cannotPresent
    }

    public var kind: Kind
    public var reason: String

    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    public var description: String { reason }
}
