extension Error {
    /// The system's words for why a file could not be read or written.
    package var fileReason: String {
        guard let cause = (self as? CocoaError)?.underlying as? POSIXError else { return "\(self)" }
        return SystemError.message(cause.code.rawValue)
    }
}
