import CarnetFoundation

/// Writes messages to stdout, each as a line. Nothing else writes there.
///
/// A write waits until the host has read enough.
final class HostOutput: Sendable {
    private let isOpen = Lock(true)
    private let whenClosed: @Sendable () -> Void

    /// - Parameter whenClosed: Called once when the host no longer reads.
    init(whenClosed: @escaping @Sendable () -> Void) { self.whenClosed = whenClosed }

    func write(_ message: [UInt8]) {
        let isFirstFailure = isOpen.withLock { isOpen in
            guard isOpen else { return false }
            isOpen = writeAll(message + [0x0A])
            return !isOpen
        }
        if isFirstFailure { whenClosed() }
    }
}

private func writeAll(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
