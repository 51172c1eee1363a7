/// Standard output or standard error.
package enum OutputChannel: Int32 {
    case standardOutput = 1
    case standardError = 2

    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// - Returns: Whether all of it was written.
    @discardableResult
    package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// - Returns: Whether all of it was written, or nobody reads on: `head` that has seen enough is no failure.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
            while !rest.isEmpty {
                let count = writeBytes(rawValue, rest)
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { return errno == EPIPE }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }
}

private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
