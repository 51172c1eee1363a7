public import Carnet
import CarnetProtocol
import Synchronization

/// A user agent whose user is a closure: it is shown the authorization URL and gives the callback URLs that follow.
public final class ScriptedUserAgent: UserAgent {
    /// Gives the URLs that arrive at the redirect URI, in their order, or throws as the user would: cancelled, say.
    public typealias User =
        @Sendable (_ authorizationURL: String, _ redirectURI: String) async throws
        -> [String]

    private struct State {
        var shownURLs: [String] = []
        var refusedCallbacks = 0
        var openPresenters = 0
    }

    private let state = Mutex(State())
    private let port: Int
    private let user: User

    /// - Parameter port: The port that a loopback redirect URI without one gets.
    public init(port: Int = 49_152, user: @escaping User) {
        self.port = port
        self.user = user
    }

    /// The authorization URLs that were shown.
    public var shownURLs: [String] { state.withLock(\.shownURLs) }

    /// How many callbacks were turned away by `accepts`.
    public var refusedCallbacks: Int { state.withLock(\.refusedCallbacks) }

    /// How many presenters were made and not closed.
    public var openPresenters: Int { state.withLock(\.openPresenters) }

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
        private let isClosed = Mutex(false)

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
            throw UserAgentError(.timeout, "no callback of this login came")
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
