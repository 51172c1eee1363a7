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

    /// A reader that has gone away gets nothing; there is nobody to tell.
    func write(_ text: String) {
        try? handle.write(contentsOf: Data(text.utf8))
    }

    func write(_ bytes: [UInt8]) {
        try? handle.write(contentsOf: Data(bytes))
    }
}
