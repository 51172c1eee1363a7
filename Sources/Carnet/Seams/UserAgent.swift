package import CarnetDescriptors
public import CarnetFoundation
public import CarnetProtocol

/// Shows the authorization page to the user and returns the callback (RFC 8252).
public protocol UserAgent: Sendable {
    /// Prepares for a callback, e.g. binds a loopback port.
    ///
    /// - Parameter redirectURI: The registered redirect URI; a loopback URI without a port gets one (RFC 8252, 7.3).
    /// - Throws: `UserAgentError` if this agent cannot receive callbacks at that URI.
    func prepare(redirectURI: String) async throws -> any AuthorizationPresenter
}

/// A user agent that can receive callbacks in more than one way.
package protocol ListeningUserAgent: UserAgent {
    /// - Throws: `UserAgentError` if this agent cannot receive callbacks at that URI or in that way.
    func prepare(redirectURI: String, responseMode: ResponseMode) async throws -> any AuthorizationPresenter
}

extension ListeningUserAgent {
    public func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
        try await prepare(redirectURI: redirectURI, responseMode: .query)
    }
}

extension UserAgent {
    /// Prepares for a callback with the response mode of the descriptor. Only a `ListeningUserAgent` takes one by POST.
    package func prepare(
        for responseMode: ResponseMode, redirectURI: String
    ) async throws -> any AuthorizationPresenter {
        if let agent = self as? any ListeningUserAgent {
            return try await agent.prepare(redirectURI: redirectURI, responseMode: responseMode)
        }
        guard !responseMode.isPosted else {
            throw UserAgentError(
                .cannotListen, "this user agent cannot receive a callback by POST (response_mode: form_post)")
        }
        return try await prepare(redirectURI: redirectURI)
    }
}

/// A user agent that decides with whom its browser shares cookies. Other agents show the page in a browser that is the
/// user's own: `authorization.ephemeral_session` has no effect there (`Docs/apple.md`).
package protocol EphemeralUserAgent: UserAgent {
    /// This agent, whose browser session shares no cookies and keeps none.
    var ephemeral: any UserAgent { get }
}

/// One authorization, from showing the page to its callback, for one use.
public protocol AuthorizationPresenter: Sendable {
    /// The redirect URI to send, with its port.
    var redirectURI: String { get }

    /// Shows the page and waits for the callback.
    ///
    /// - Parameters:
    ///   - url: The authorization URL.
    ///   - accepts: Whether a callback belongs to this sign-in. Another one gets an error page and the wait
    /// continues, so that a forged callback cannot end a sign-in (RFC 8252, section 8.9).
    /// - Throws: `UserAgentError`, or `CancellationError` if the task was cancelled.
    func present(
        _ url: String, accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
    ) async throws -> AuthorizationCallback

    /// Ends the wait and frees the port. It may be called more than once.
    func close() async
}

/// Why there is no callback.
public struct UserAgentError: Error, Hashable, Sendable, Described {
    public enum Kind: Hashable, Sendable {
        /// The user closed the page or entered nothing.
        case cancelled
        /// No callback arrived in time.
        case timeout
        /// The port of the redirect URI is in use, or this agent cannot receive callbacks at the URI.
        case cannotListen
        /// The page could not be shown.
        case cannotPresent
    }

    public var kind: Kind
    package var reason: String

    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    package var summary: String { reason }
}
