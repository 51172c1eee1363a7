public import Carnet
import CarnetProtocol

/// Shows the page in the user's browser and receives the callback on a loopback port (RFC 8252, 7.3).
///
/// The port is open from `prepare` until the callback, the timeout, a cancellation or `close()`. It is on 127.0.0.1
/// or `[::1]`, as in the redirect URI; on both for `localhost`; never on a network. Other requests get an error page
/// and do not end the wait.
public struct LoopbackUserAgent: ListeningUserAgent {
    fileprivate let timeout: Duration
    fileprivate let presentation: Presentation
    private let limits: ConnectionLimits
    private let ignored: @Sendable (String) -> Void

    #if os(macOS) || os(Linux)
        /// - Parameters:
        ///   - timeout: How long the user may take.
        ///   - presentation: How the page is shown to the user; by default in the system's browser, and the sign-in fails if
        ///     it cannot be opened.
        public init(timeout: Duration = .seconds(300), presentation: Presentation = .systemBrowser()) {
            self.init(timeout: timeout, presentation: presentation, limits: ConnectionLimits())
        }
    #else
        /// - Parameters:
        ///   - timeout: How long the user may take.
        ///   - presentation: How the page is shown to the user.
        public init(timeout: Duration = .seconds(300), presentation: Presentation) {
            self.init(timeout: timeout, presentation: presentation, limits: ConnectionLimits())
        }
    #endif

    /// - Parameter ignored: Receives what a callback said that belongs to no sign-in, at once.
    package init(timeout: Duration, presentation: Presentation, ignored: @escaping @Sendable (String) -> Void) {
        self.init(timeout: timeout, presentation: presentation, limits: ConnectionLimits(), ignored: ignored)
    }

    init(
        timeout: Duration, presentation: Presentation, limits: ConnectionLimits,
        ignored: @escaping @Sendable (String) -> Void = { _ in }
    ) { (self.timeout, self.presentation, self.limits, self.ignored) = (timeout, presentation, limits, ignored) }

    /// - Throws: `UserAgentError`, `cannotListen`, if the redirect URI is not on loopback or its port is in use.
    package func prepare(redirectURI: String, responseMode: ResponseMode) async throws -> any AuthorizationPresenter {
        var redirect = try LoopbackRedirect(redirectURI)
        redirect.takesForms = responseMode.isPosted
        guard responseMode != .fragmentJWT else {
            throw UserAgentError(
                .cannotListen, "the callback comes in a URL fragment, which a browser does not send to a listener")
        }
        let inbox = CallbackInbox(ignored: ignored)
        let listener = try LoopbackListener.start(redirect, inbox: inbox, limits: limits)
        return LoopbackPresenter(
            redirectURI: redirect.uri(port: listener.port), agent: self, inbox: inbox, listener: listener)
    }
}

private struct LoopbackPresenter: AuthorizationPresenter {
    let redirectURI: String
    let agent: LoopbackUserAgent
    let inbox: CallbackInbox
    let listener: LoopbackListener

    func present(
        _ url: String, accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
    ) async throws -> AuthorizationCallback {
        var page: HandOverPage?
        let outcome: Result<AuthorizationCallback, any Error>
        do {
            let url = try AuthorizationURL(url)
            try inbox.open(accepts: accepts)
            page = await agent.presentation.present(url) { [inbox] in
                inbox.close(throwing: UserAgentError(.cannotPresent, "the system's browser could not be opened"))
            }
            outcome = .success(try await waitForCallback())
        } catch {
            outcome = .failure(error)
        }
        await page?.close()
        await close()
        return try outcome.get()
    }

    func close() async {
        inbox.close()
        await listener.close()
    }

    private func waitForCallback() async throws -> AuthorizationCallback {
        try await withThrowingTaskGroup(of: AuthorizationCallback.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await inbox.wait() }
            group.addTask {
                try await Task.sleep(for: agent.timeout)
                let remark = inbox.ignored.map { "; \($0), and was ignored" }.joined()
                throw UserAgentError(
                    .timeout, "the sign-in was not completed in the browser within \(agent.timeout.inSeconds)\(remark)")
            }
            for try await callback in group { return callback }
            throw CancellationError()
        }
    }
}
