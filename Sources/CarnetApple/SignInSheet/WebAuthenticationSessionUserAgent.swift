#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
    public import AuthenticationServices
    public import Carnet
    import Foundation

    /// Shows the sign-in page in the system's sheet, for applications on Apple platforms.
    ///
    /// The sheet receives callbacks at a scheme of the application (RFC 8252, 7.1), and since iOS 17.4 and macOS 14.4 at an
    /// https URL that is associated with the application (RFC 8252, 7.2).
    public struct WebAuthenticationSessionUserAgent: EphemeralUserAgent {
        private let agent: SheetUserAgent

        /// - Parameters:
        ///   - isEphemeral: Whether the page shares no cookies with the browser: the user signs in anew, and is not asked
        ///     whether the application may use the browser's session. A descriptor with
        ///     `authorization.ephemeral_session: true` has the same effect.
        ///   - headerFields: Sent with the first request, since iOS 17.4 and macOS 14.4. The name of each starts with `X-`.
        ///   - anchor: Returns the window over which the page is shown; `nil` if there is none at the moment.
        public init(
            isEphemeral: Bool = false,
            headerFields: [String: String] = [:],
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) {
            agent = SheetUserAgent(
                isEphemeral: isEphemeral, headerFields: headerFields, takesHTTPS: SystemSheetSession.takesHTTPS,
                place: .screen
            ) { request, onEnd in
                guard let anchor = anchor() else {
                    throw UserAgentError(
                        .cannotPresent, "the application has no window to show the sign-in sheet over; open one first")
                }
                return try SystemSheetSession(request, over: anchor, onEnd: onEnd)
            }
        }

        /// Shows the page over the key window: of the scene in the foreground, or on a Mac of the application.
        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        public init(isEphemeral: Bool = false, headerFields: [String: String] = [:]) {
            self.init(isEphemeral: isEphemeral, headerFields: headerFields) { PresentationWindow.current }
        }

        /// - Throws: `UserAgentError`, `cannotListen`, if the sheet does not receive callbacks at that URI.
        public func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
            try await agent.prepare(redirectURI: redirectURI)
        }

        package var ephemeral: any UserAgent { agent.ephemeral }
    }

    /// The system's session. It holds its presentation context provider weakly, so that both are one object.
    @MainActor
    private final class SystemSheetSession: NSObject, SheetSession, ASWebAuthenticationPresentationContextProviding {
        private let session: ASWebAuthenticationSession
        private let anchor: ASPresentationAnchor

        nonisolated static var takesHTTPS: Bool {
            if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) { true } else { false }
        }

        /// - Throws: `UserAgentError`, `cannotPresent`.
        init(
            _ request: SheetRequest, over anchor: ASPresentationAnchor, onEnd: @escaping @Sendable (SheetEnd) -> Void
        ) throws {
            guard let url = URL(string: request.url) else {
                throw UserAgentError(.cannotPresent, "the authorization URL is not a URL")
            }
            // Called on a thread of the system's choice.
            let handler: @Sendable (URL?, (any Error)?) -> Void = { url, error in onEnd(SheetEnd(url, error)) }
            if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
                session = ASWebAuthenticationSession(
                    url: url, callback: request.callback.systemCallback, completionHandler: handler)
                if !request.headerFields.isEmpty { session.additionalHeaderFields = request.headerFields }
            } else if case .scheme(let scheme) = request.callback, request.headerFields.isEmpty {
                session = ASWebAuthenticationSession(
                    url: url, callbackURLScheme: scheme, completionHandler: handler)
            } else {
                throw UserAgentError(
                    .cannotPresent, "the sign-in sheet can send header fields only since iOS 17.4 and macOS 14.4")
            }
            session.prefersEphemeralWebBrowserSession = request.isEphemeral
            self.anchor = anchor
            super.init()
            session.presentationContextProvider = self
        }

        func start() -> Bool { session.start() }

        func cancel() { session.cancel() }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }

    extension SheetCallback {
        @available(iOS 17.4, macOS 14.4, visionOS 1.1, *)
        fileprivate var systemCallback: ASWebAuthenticationSession.Callback {
            switch self {
            case .scheme(let scheme): .customScheme(scheme)
            case .https(let host, let path): .https(host: host, path: path)
            }
        }
    }

    extension SheetEnd {
        fileprivate init(_ url: URL?, _ error: (any Error)?) {
            if let url {
                self = .callback(url.absoluteString)
                return
            }
            switch (error as? ASWebAuthenticationSessionError)?.code {
            case .canceledLogin: self = .closed
            case .presentationContextNotProvided: self = .failed("the sign-in sheet was given no window")
            case .presentationContextInvalid: self = .failed("the window of the sign-in sheet is not on screen")
            default: self = .failed("the sign-in sheet could not be shown")
            }
        }
    }
#endif
