extension Error {
    /// The system's words for why a file could not be read or written.
    package var fileReason: String {
        guard let cause = (self as? CocoaError)?.underlying as? POSIXError,
            let text = strerror(cause.code.rawValue)
        else { return "\(self)" }
        return String(cString: text)
    }
}
