#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
    public import AuthenticationServices
    public import Carnet
    import CarnetProtocol
    import Foundation
    import Synchronization

    /// Shows the page in the system's web authentication session, for applications on Apple platforms.
    ///
    /// It receives callbacks at a private-use scheme (RFC 8252, 7.1) or at an https URL that is associated with the
    /// application (RFC 8252, 7.2).
    public struct WebAuthenticationSessionUserAgent: UserAgent {
        private let prefersEphemeralSession: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

        /// - Parameters:
        ///   - prefersEphemeralSession: Whether the page starts without the browser's cookies: the user signs in anew,
        ///     and is not asked whether the application may use the browser's session.
        ///   - anchor: Gives the window over which the page is shown.
        public init(
            prefersEphemeralSession: Bool = false,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
        ) {
            self.prefersEphemeralSession = prefersEphemeralSession
            self.anchor = anchor
        }

        /// - Throws: `UserAgentError`, `cannotListen`, for an http redirect URI.
        public func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
            guard let url = URL(string: redirectURI), let scheme = url.scheme?.lowercased(), scheme != "http" else {
                throw UserAgentError(
                    .cannotListen,
                    "the redirect URI \(redirectURI) cannot be received here: it has to have a scheme of the "
                        + "application or be an https URL that is associated with it"
                )
            }
            let callback: ASWebAuthenticationSession.Callback =
                if scheme == "https", let host = url.host() {
                    .https(host: host, path: url.path())
                } else {
                    .customScheme(scheme)
                }
            return await WebAuthenticationPresenter(
                redirectURI: redirectURI,
                callback: callback,
                isEphemeral: prefersEphemeralSession,
                anchor: anchor
            )
        }
    }

    @MainActor
    private final class WebAuthenticationPresenter: NSObject, AuthorizationPresenter,
        ASWebAuthenticationPresentationContextProviding
    {
        nonisolated let redirectURI: String
        private let callback: ASWebAuthenticationSession.Callback
        private let isEphemeral: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
        private var session: ASWebAuthenticationSession?

        init(
            redirectURI: String,
            callback: ASWebAuthenticationSession.Callback,
            isEphemeral: Bool,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
        ) {
            self.redirectURI = redirectURI
            self.callback = callback
            self.isEphemeral = isEphemeral
            self.anchor = anchor
        }

        func present(
            _ url: String,
            accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
        ) async throws -> AuthorizationCallback {
            guard let url = URL(string: try AuthorizationURL(url).text) else {
                throw UserAgentError(.cannotPresent, "the authorization URL is not a URL")
            }
            let callbackURL = try await withTaskCancellationHandler {
                try await callbackURL(after: url)
            } onCancel: {
                Task { await self.close() }
            }
            let callback = AuthorizationCallback(url: callbackURL.absoluteString)
            // The session has ended with this callback, so there is no other to wait for.
            guard accepts(callback) else {
                throw UserAgentError(.cancelled, "the callback does not belong to this sign-in")
            }
            return callback
        }

        func close() async {
            session?.cancel()
            session = nil
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
            anchor()
        }

        private func callbackURL(after url: URL) async throws -> URL {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                let reply = SingleReply(continuation)
                let session = ASWebAuthenticationSession(url: url, callback: callback) { @Sendable url, error in
                    reply.send(url, error)
                }
                session.prefersEphemeralWebBrowserSession = isEphemeral
                session.presentationContextProvider = self
                self.session = session
                // A session that does not start may or may not call back.
                if !session.start() { reply.send(nil, nil) }
            }
        }
    }

    /// Resumes its continuation once.
    private final class SingleReply: Sendable {
        private let continuation: Mutex<CheckedContinuation<URL, any Error>?>

        init(_ continuation: CheckedContinuation<URL, any Error>) {
            self.continuation = Mutex(continuation)
        }

        func send(_ url: URL?, _ error: (any Error)?) {
            let continuation = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            if let url {
                continuation?.resume(returning: url)
            } else if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
                continuation?.resume(throwing: UserAgentError(.cancelled, "the sign-in page was closed"))
            } else {
                continuation?.resume(throwing: UserAgentError(.cannotPresent, "the sign-in page could not be shown"))
            }
        }
    }
#endif
