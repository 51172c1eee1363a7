import Foundation

/// Standard output or standard error.
enum OutputChannel {
    case standardOutput
    case standardError

    private var handle: FileHandle {
        switch self {
        case .standardOutput: .standardOutput
        case .standardError: .standardError
        }
    }

    var isTerminal: Bool { isatty(handle.fileDescriptor) == 1 }

    /// - Returns: Whether all of it was written.
    @discardableResult
    func write(_ text: String) -> Bool {
        write(Array(text.utf8))
    }

    /// - Returns: Whether all of it was written, or nobody reads on: `head` that has seen enough is no failure.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        do {
            try handle.write(contentsOf: Data(bytes))
            return true
        } catch {
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            return cause?.domain == NSPOSIXErrorDomain && cause?.code == Int(EPIPE)
        }
    }
}
