import CarnetDescriptors
import CarnetFoundation
import Foundation

/// A process of its own that uses the store, and the lines that it says.
public final class WorkerProcess: Sendable {
    private static let launching = Lock(())
    private static let executable: URL = {
        #if os(macOS)
            if let tests = Bundle.allBundles.first(where: { $0.bundleURL.pathExtension == "xctest" }) {
                return tests.bundleURL.deletingLastPathComponent().appending(path: "StoreWorker")
            }
        #endif
        return Bundle.main.bundleURL.appending(path: "StoreWorker")
    }()

    public let lines: AsyncStream<String>
    private let processID: pid_t
    private let input: Lock<FileHandle>

    public init(_ arguments: [String]) throws {
        let (lines, said) = AsyncStream<String>.makeStream()
        self.lines = lines
        let (processID, input) = try Self.launching.withLock { _ in
            let process = Process()
            let (input, output) = (Pipe(), Pipe())
            process.executableURL = Self.executable
            process.arguments = arguments
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            Thread.detachNewThread {
                var rest = Data()
                while true {
                    let data = output.fileHandleForReading.availableData
                    if data.isEmpty { break }
                    rest += data
                    while let end = rest.firstIndex(of: 10) {
                        said.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                process.waitUntilExit()
                said.finish()
            }
            return (process.processIdentifier, input.fileHandleForWriting)
        }
        self.processID = processID
        self.input = Lock(input)
    }

    deinit {
        kill()
    }

    public func send(_ command: String) throws {
        try input.withLock { try $0.write(contentsOf: Data((command + "\n").utf8)) }
    }

    /// As `kill -9` does.
    public func kill() {
        _ = Foundation.kill(processID, SIGKILL)
    }

    /// Stops the process where it is, as Ctrl-Z does, and lets it go on.
    public func suspend() {
        _ = Foundation.kill(processID, SIGSTOP)
    }

    public func resume() {
        _ = Foundation.kill(processID, SIGCONT)
    }
}
