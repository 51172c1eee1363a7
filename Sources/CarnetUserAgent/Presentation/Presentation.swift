import Carnet
import CarnetFoundation
import Dispatch

/// How the user sees the authorization page.
public struct Presentation: Sendable {
    enum Way: Sendable {
        case command([String], withholding: Set<String>, otherwise: (@Sendable (String) -> Void)?)
        case show(@Sendable (String) -> Void)
    }

    let way: Way
    /// How long a browser may take to request the page, before the user gets the address as well.
    private static let patience = Duration.seconds(2)

    /// Passes the URL to a closure, which prints it for the user to open.
    public static func show(_ show: @escaping @Sendable (String) -> Void) -> Self { Self(way: .show(show)) }

    #if os(macOS) || os(Linux)
        /// Opens the user's browser: `open` on macOS, `xdg-open` on Linux. The program gets the URL of a loopback page
        /// that redirects once to the authorization URL, because other users of the machine can see the arguments of
        /// programs.
        ///
        /// - Parameters:
        ///   - secrets: The environment variables with secrets of this program. The browser and its children do not
        ///     inherit them, nor any variable whose name begins with `CARNET_`.
        ///   - otherwise: Receives the URL if the browser cannot be opened, or has not requested the page after two seconds;
        ///     without it the sign-in fails.
        public static func systemBrowser(
            withholding secrets: Set<String> = [], otherwise: (@Sendable (String) -> Void)? = nil
        ) -> Self {
            #if os(macOS)
                command(["/usr/bin/open"], withholding: secrets, otherwise: otherwise)
            #else
                command(["/usr/bin/env", "xdg-open"], withholding: secrets, otherwise: otherwise)
            #endif
        }

        /// Runs a program with the URL of a redirecting page as its last argument, without a shell.
        static func command(
            _ command: [String], withholding secrets: Set<String> = [], otherwise: (@Sendable (String) -> Void)? = nil
        ) -> Self { Self(way: .command(command, withholding: secrets, otherwise: otherwise)) }

        /// An environment without the variables that may have secrets.
        static func environment(_ all: [String: String], without secrets: Set<String>) -> [String: String] {
            all.filter { name, _ in !name.utf8.starts(with: "CARNET_".utf8) && !secrets.contains(name) }
        }
    #endif

    /// Returns once the page is being opened. Keep the result until the page was shown.
    ///
    /// - Parameters:
    ///   - onUse: Called when the browser has requested the page, if that can be known.
    ///   - onFailure: Called if it turns out later that the page cannot be shown.
    func present(
        _ url: AuthorizationURL, onUse: @escaping @Sendable () -> Void = {}, onFailure: @escaping @Sendable () -> Void
    ) async -> HandOverPage? {
        switch way {
        case .show(let show): show(url.text)
        case .command(let command, let secrets, let otherwise):
            let fallback: @Sendable () -> Void = {
                if let otherwise { otherwise(url.text) } else { onFailure() }
            }
            #if os(macOS) || os(Linux)
                do {
                    let (use, fallback) = (OneUse(onUse), OneUse(fallback))
                    let page = try HandOverPage.open(for: url) { use.report() }
                    // Some openers block, and say nothing.
                    if otherwise != nil {
                        Task { [weak page] in
                            try await Task.sleep(for: Self.patience)
                            if page != nil, !use.isReported { fallback.report() }
                        }
                    }
                    let environment = Self.environment(ProcessInfo.processInfo.environment, without: secrets)
                    Self.run(command + [page.url.text], environment: environment, onFailure: fallback.report)
                    return page
                } catch {
                    fallback()
                }
            #else
                fallback()
            #endif
        }
        return nil
    }

    /// Shows a page outside a sign-in, and waits until the browser has requested it.
    ///
    /// - Returns: Whether it was requested within that time.
    /// - Throws: `UserAgentError`, `cannotPresent`, for an unsafe URL; `CancellationError`.
    package func present(_ url: String, within patience: Duration) async throws -> Bool {
        let url = try AuthorizationURL(url)
        let (outcomes, outcome) = AsyncStream<Bool>.makeStream()
        let page = await present(url, onUse: { outcome.yield(true) }, onFailure: { outcome.yield(false) })
        let end = Task {
            try await Task.sleep(for: patience)
            outcome.finish()
        }
        let isSeen = await outcomes.first { _ in true } ?? false
        end.cancel()
        await page?.close()
        try Task.checkCancellation()
        return isSeen
    }

    #if os(macOS) || os(Linux)
        /// Does not wait: some openers end only with the browser.
        private static func run(
            _ command: [String], environment: [String: String], onFailure: @escaping @Sendable () -> Void
        ) {
            #if os(Linux)
                DispatchQueue(label: "carnet.browser").async {
                    if ChildProcess.run(command, environment: environment) != 0 { onFailure() }
                }
            #else
                let process = Process()
                process.executableURL = URL(filePath: command[0])
                process.arguments = Array(command.dropFirst())
                process.environment = environment
                process.standardInput = FileHandle.nullDevice
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                process.terminationHandler = { process in if process.terminationStatus != 0 { onFailure() } }
                do { try process.run() } catch { onFailure() }
            #endif
        }
    #endif
}
