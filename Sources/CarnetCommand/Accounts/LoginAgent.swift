import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetUserAgent
import Dispatch

/// How the user of a terminal gets to see the authorization page, and what is said about it.
///
/// Wraps the real agent to say the redirect URI once its port is known.
struct LoginAgent: ListeningUserAgent {
    enum Way {
        case browser
        /// The URL is printed, for a person or a script to open.
        case printed
        /// The URL is printed, and the callback is brought back by hand.
        case pasted
    }

    let way: Way
    let timeout: Int
    /// The environment variables that the browser must not inherit.
    let secrets: Set<String>
    let console: Console

    func prepare(redirectURI: String, responseMode: ResponseMode) async throws -> any AuthorizationPresenter {
        let presenter = try await agent.prepare(for: responseMode, redirectURI: redirectURI)
        let sent = presenter.redirectURI
        console.remark(
            "redirect URI: \(redirectURI)\(sent.isSameBytes(as: redirectURI) ? "" : " (any port; this time \(sent))")")
        return Presenter(presenter: presenter, agent: self)
    }

    private var agent: any UserAgent {
        let timeout = Duration.seconds(timeout)
        return switch way {
        case .browser:
            LoopbackUserAgent(
                timeout: timeout,
                presentation: .systemBrowser(withholding: secrets) { [self] url in
                    console.note("if no browser opens, open this address yourself, or use --paste:")
                    show(url)
                },
                ignored: ignored
            )
        case .printed:
            LoopbackUserAgent(timeout: timeout, presentation: .show { [self] in show($0) }, ignored: ignored)
        case .pasted:
            PasteUserAgent(
                show: { [console] in console.note($0) },
                readLine: { [end = ContinuousClock.now + timeout] in
                    try await StandardInput.line(before: end, of: timeout)
                })
        }
    }

    private var ignored: @Sendable (String) -> Void {
        { [console] report in console.note("\(report); it is ignored, and the sign-in still waits".printable) }
    }

    private func show(_ url: String) {
        console.note(url)
        console.note("waiting for the callback, at most \(Duration.seconds(timeout).inSeconds); Ctrl-C stops it")
        console.showProgress("waiting for the browser")
    }

    private struct Presenter: AuthorizationPresenter {
        let presenter: any AuthorizationPresenter
        let agent: LoginAgent

        var redirectURI: String { presenter.redirectURI }

        func present(
            _ url: String,
            accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
        ) async throws -> AuthorizationCallback {
            switch agent.way {
            case .browser:
                agent.console.note("opening the browser; --no-browser prints the address instead")
                agent.console.showProgress("waiting for the browser")
            case .printed: agent.console.note("open this address in a browser on this machine:")
            case .pasted:
                agent.console.note(
                    "open this address, sign in, then paste the address that the browser shows at the end:")
            }
            return try await presenter.present(url, accepts: accepts)
        }

        func close() async {
            await presenter.close()
            agent.console.clearProgress()
        }
    }
}

enum StandardInput {
    static var isTerminal: Bool { isatty(STDIN_FILENO) != 0 }

    /// - Throws: `UserAgentError`, `timeout`, at the end of the time that the sign-in has: a later line would be refused.
    static func line(before end: ContinuousClock.Instant, of limit: Duration) async throws -> String? {
        try await withThrowingTaskGroup(of: String?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await line() }
            group.addTask {
                try await Task.sleep(until: end)
                throw UserAgentError(.timeout, "no callback URL was pasted within \(limit.inSeconds)")
            }
            return try await group.next() ?? nil
        }
    }

    /// The next line; `nil` at the end of input.
    ///
    /// - Throws: `CancellationError`.
    static func line() async throws -> String? {
        let (lines, continuation) = AsyncStream<String?>.makeStream()
        // Reading blocks: it gets a thread that nobody waits for.
        DispatchQueue(label: "carnet.input").async {
            let line = readLine()
            // Further lines of a paste would be commands of the shell once this program has ended.
            if isTerminal { _ = tcflush(STDIN_FILENO, TCIFLUSH) }
            continuation.yield(line)
            continuation.finish()
        }
        for await line in lines { return line }
        throw CancellationError()
    }
}
