import CarnetUserAgent
import Dispatch

/// The user's browser, for a page that nothing comes back from.
enum SystemBrowser {
    /// How long an opener may take to fail, in seconds; some end only when the browser does.
    private static let patience = 2.0

    /// - Returns: Whether the page is on its way to the user.
    static func open(_ url: String) async -> Bool {
        let (failures, continuation) = AsyncStream<Void>.makeStream()
        do {
            try Presentation.systemBrowser().present(url) { continuation.yield() }
        } catch {
            return false
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { continuation.finish() }
        for await _ in failures { return false }
        return true
    }
}
