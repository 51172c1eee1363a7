public import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// A user agent whose user is a closure: it receives the authorization URL and returns the callback URLs.
public final class ScriptedUserAgent: UserAgent {
    private struct State {
        var shownURLs: [String] = []
        var refusedCallbacks = 0
        var openPresenters = 0
    }

    private let state = Lock(State())
    private let port: Int
    private let user: @Sendable (_ authorizationURL: String, _ redirectURI: String) async throws -> [String]

    /// - Parameters:
    ///   - port: The port for a loopback redirect URI without one.
    ///   - user: Returns the URLs that arrive at the redirect URI, in order, or throws as the user would, e.g. cancelled.
    public init(
        port: Int = 49_152,
        user: @escaping @Sendable (_ authorizationURL: String, _ redirectURI: String) async throws -> [String]
    ) {
        self.port = port
        self.user = user
    }

    /// The authorization URLs that were shown.
    package var shownURLs: [String] { state.withLock(\.shownURLs) }

    /// The number of callbacks that `accepts` rejected.
    package var refusedCallbacks: Int { state.withLock(\.refusedCallbacks) }

    /// The number of presenters that are not closed.
    package var openPresenters: Int { state.withLock(\.openPresenters) }

    public func prepare(redirectURI: String) async throws -> any AuthorizationPresenter {
        state.withLock { $0.openPresenters += 1 }
        return Presenter(redirectURI: withPort(redirectURI), agent: self)
    }

    private func withPort(_ redirectURI: String) -> String {
        for origin in ["http://127.0.0.1", "http://[::1]", "http://localhost"] where redirectURI.hasPrefix(origin) {
            let rest = redirectURI.dropFirst(origin.count)
            return rest.isEmpty || rest.hasPrefix("/") ? "\(origin):\(port)\(rest)" : redirectURI
        }
        return redirectURI
    }

    private final class Presenter: AuthorizationPresenter {
        let redirectURI: String
        private let agent: ScriptedUserAgent
        private let isClosed = Lock(false)

        init(redirectURI: String, agent: ScriptedUserAgent) {
            self.redirectURI = redirectURI
            self.agent = agent
        }

        func present(
            _ url: String,
            accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
        ) async throws -> AuthorizationCallback {
            agent.state.withLock { $0.shownURLs.append(url) }
            for callbackURL in try await agent.user(url, redirectURI) {
                let callback = AuthorizationCallback(url: callbackURL)
                if accepts(callback) { return callback }
                agent.state.withLock { $0.refusedCallbacks += 1 }
            }
            try Task.checkCancellation()
            throw UserAgentError(.timeout, "no callback of this sign-in arrived")
        }

        func close() async {
            let wasOpen = isClosed.withLock { isClosed in
                defer { isClosed = true }
                return !isClosed
            }
            if wasOpen { agent.state.withLock { $0.openPresenters -= 1 } }
        }
    }
}
