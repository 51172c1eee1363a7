import CarnetFoundation
import Dispatch

/// The lines of stdin.
final class HostInput: Sendable {
    enum Line: Sendable {
        case message([UInt8])
        /// Longer than `Bridge.maximum`. It was skipped.
        case tooLong
    }

    private let lines = Lock(LineReader())
    private let queue = DispatchQueue(label: "carnet.input")
    private let waiting = Lock<(isEnded: Bool, continuation: AsyncStream<Line?>.Continuation?)>((false, nil))

    /// The next line; `nil` at the end of input, after `end()`, or when the task is cancelled.
    func next() async -> Line? {
        let (stream, continuation) = AsyncStream<Line?>.makeStream()
        let isEnded = waiting.withLock { state in
            state.continuation = continuation
            return state.isEnded
        }
        guard !isEnded else { return nil }
        // Reading blocks: it gets a thread that nobody waits for.
        queue.async { [self] in
            continuation.yield(lines.withLock { $0.next() })
            continuation.finish()
        }
        for await line in stream { return line }
        return nil
    }

    /// Ends the input, because nobody reads the output.
    func end() {
        let continuation = waiting.withLock { state in
            state.isEnded = true
            return state.continuation
        }
        continuation?.finish()
    }
}

private struct LineReader {
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// The next line that is not empty; `nil` at the end.
    mutating func next() -> HostInput.Line? {
        while true {
            let line = nextLine()
            if case .message(let bytes)? = line, bytes.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
            return line
        }
    }

    private mutating func nextLine() -> HostInput.Line? {
        var isTooLong = false
        var searched = start
        while true {
            let found = bytes[searched...].firstIndex(of: 0x0A)
            if let end = found ?? (isAtEnd ? bytes.count : nil) {
                guard found != nil || start < end || isTooLong else { return nil }
                let line = bytes[start..<end]
                start = min(end + 1, bytes.count)
                return isTooLong || line.count > Bridge.maximum ? .tooLong : .message(Array(line))
            }
            bytes.removeFirst(start)
            start = 0
            if bytes.count > Bridge.maximum {
                isTooLong = true
                bytes.removeAll()
            }
            searched = bytes.count
            fill()
        }
    }

    private mutating func fill() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var count: Int
        repeat { count = read(STDIN_FILENO, &buffer, buffer.count) } while count < 0 && errno == EINTR
        isAtEnd = count <= 0
        if count > 0 { bytes += buffer[..<count] }
    }
}
