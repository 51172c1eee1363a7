import CarnetFoundation

/// Why a file could not be read.
public struct SourceFileError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case notFound
        case nameNotUTF8
        case notUTF8
        case isDirectory
        /// A FIFO, a socket or a device.
        case notRegularFile
        case permissionDenied
        case tooLarge(maximumBytes: Int)
        /// The file was written to while it was read.
        case changed
        /// Another reason, with the system's message.
        case other(String)
    }

    package var path: String
    package var reason: Reason

    package init(path: String, reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

extension SourceFileError: Described {
    package var summary: String { "\(path): \(reason.description)" }
}

extension SourceFileError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notFound: "no such file"
        case .nameNotUTF8: "its name is not UTF-8; rename the file"
        case .notUTF8: "the file is not valid UTF-8; save it as UTF-8"
        case .isDirectory: "is a directory, not a file"
        case .notRegularFile: "is not a regular file"
        case .permissionDenied: "permission denied"
        case .tooLarge(let bytes): "larger than \(byteCountDescription(bytes))"
        case .changed: "it changed while it was read"
        case .other(let words): words
        }
    }
}

extension SourceFileError {
    /// The error as a finding, for a report over several files.
    package var diagnostic: Diagnostic {
        let rule: DiagnosticExplanation =
            switch reason {
            case .tooLarge: ReaderDiagnostics.fileTooLarge
            default: ReaderDiagnostics.unreadableFile
            }
        return rule.diagnostic("the file cannot be read: \(reason.description)", file: path, span: .fileStart)
    }
}

/// A size in the largest unit that divides it.
func byteCountDescription(_ bytes: Int) -> String {
    if bytes > 0, bytes.isMultiple(of: 1 << 20) { return "\(bytes >> 20) MiB" }
    if bytes > 0, bytes.isMultiple(of: 1 << 10) { return "\(bytes >> 10) KiB" }
    return "\(bytes) bytes"
}
