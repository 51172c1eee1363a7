import Foundation

/// The user's browser.
enum SystemBrowser {
    /// How long an opener may take to fail, in seconds; some end only when the browser does.
    private static let patience = 2.0

    /// - Returns: Whether the page is on its way to the user.
    static func open(_ url: String) async -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        #if os(macOS)
            process.arguments = ["open", url]
        #else
            process.arguments = ["xdg-open", url]
        #endif
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, continuation) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { continuation.yield($0.terminationStatus) }
        do {
            try process.run()
        } catch {
            return false
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { continuation.finish() }
        for await status in ends { return status == 0 }
        return true
    }
}
