import CarnetFoundation

/// Waits for a socket on the calling thread, not longer than the task lives.
enum SocketWait {
    /// How long a wait takes to notice that its task was cancelled, in milliseconds.
    private static let slice: Int64 = 50

    /// Data that arrived before the deadline counts, even if the process was stopped until later.
    ///
    /// - Returns: Whether the socket is ready before the deadline.
    /// - Throws: `CancellationError`; `DatabaseFailure`.
    static func wait(for events: Int32, on socket: Int32, until deadline: ContinuousClock.Instant) throws -> Bool {
        while true {
            try Task.checkCancellation()
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let left = deadline - .now
            let milliseconds = left > .zero ? min(Int64(left.milliseconds) + 1, slice) : 0
            let count = poll(&descriptor, 1, Int32(milliseconds))
            let error = errno
            if count > 0 { return true }
            guard count == 0 || error == EINTR else { throw DatabaseFailure.lost(SystemError.message(error)) }
            if count == 0, deadline <= .now { return false }
        }
    }

    /// Whether data has arrived, or the connection has ended.
    static func isReadable(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) != 0
    }
}
