import Carnet
import Foundation

/// How the user gets to see the authorization page.
public struct Presentation: Sendable {
    enum Way: Sendable {
        case command([String], otherwise: (@Sendable (String) -> Void)?)
        case show(@Sendable (String) -> Void)
    }

    let way: Way

    /// Gives the URL to a closure, which prints it for the user to open.
    public static func show(_ show: @escaping @Sendable (String) -> Void) -> Self {
        Self(way: .show(show))
    }

    #if os(macOS) || os(Linux)
        /// Opens the user's browser: `open` on macOS, `xdg-open` on Linux.
        ///
        /// - Parameter otherwise: Is given the URL if the browser cannot be opened; without it the sign-in ends then.
        public static func systemBrowser(otherwise: (@Sendable (String) -> Void)? = nil) -> Self {
            #if os(macOS)
                command(["/usr/bin/open"], otherwise: otherwise)
            #else
                command(["/usr/bin/env", "xdg-open"], otherwise: otherwise)
            #endif
        }

        /// Runs a program with the URL as its last argument. No shell sees the URL.
        static func command(_ command: [String], otherwise: (@Sendable (String) -> Void)? = nil) -> Self {
            Self(way: .command(command, otherwise: otherwise))
        }
    #endif

    /// Returns once the page is on its way to the user.
    ///
    /// - Parameter onFailure: Is called if it turns out later that the user will not get to see it.
    func present(_ url: AuthorizationURL, onFailure: @escaping @Sendable () -> Void) {
        switch way {
        case .show(let show):
            show(url.text)
        case .command(let command, let otherwise):
            let fallback: @Sendable () -> Void = {
                if let otherwise { otherwise(url.text) } else { onFailure() }
            }
            #if os(macOS) || os(Linux)
                Self.run(command + [url.text], onFailure: fallback)
            #else
                fallback()
            #endif
        }
    }

    /// Shows a page that is not part of a sign-in.
    ///
    /// - Throws: `UserAgentError`, `cannotPresent`, for a URL that is not shown.
    package func present(_ url: String, onFailure: @escaping @Sendable () -> Void) throws {
        present(try AuthorizationURL(url), onFailure: onFailure)
    }

    #if os(macOS) || os(Linux)
        /// Does not wait: some openers end only when the browser does.
        private static func run(_ command: [String], onFailure: @escaping @Sendable () -> Void) {
            let process = Process()
            process.executableURL = URL(filePath: command[0])
            process.arguments = Array(command.dropFirst())
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.terminationHandler = { process in
                if process.terminationStatus != 0 { onFailure() }
            }
            do {
                try process.run()
            } catch {
                onFailure()
            }
        }
    #endif
}
