import CarnetUserAgent

/// The user's browser, for a page that nothing comes back from.
enum SystemBrowser {
    /// How long a browser may take to start.
    private static let patience = Duration.seconds(30)

    /// - Parameter secrets: The environment variables that the browser must not inherit.
    /// - Returns: Whether the browser has asked for the page.
    static func open(_ url: String, withholding secrets: Set<String>) async -> Bool {
        (try? await Presentation.systemBrowser(withholding: secrets).present(url, within: patience)) ?? false
    }
}
