import CarnetFoundation
import Dispatch

/// The lines of stdin.
final class HostInput: Sendable {
    enum Line: Sendable {
        case message([UInt8])
        /// Longer than the maximum. It was skipped.
        case tooLong
    }

    private let lines: Lock<LineReader>
    private let queue = DispatchQueue(label: "carnet.input")
    private let waiting = Lock<(isEnded: Bool, continuation: AsyncStream<Line?>.Continuation?)>((false, nil))

    /// - Parameter maximum: The maximum size of a line, in bytes.
    init(maximum: Int) {
        lines = Lock(LineReader(maximum: maximum))
    }

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

/// Splits what is read into lines.
private struct LineReader {
    let maximum: Int
    private var read: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(maximum: Int) {
        self.maximum = maximum
    }

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
            if let end = read[searched...].firstIndex(of: 0x0A) {
                let line = read[start..<end]
                start = end + 1
                return isTooLong || line.count > maximum ? .tooLong : .message(Array(line))
            }
            guard !isAtEnd else {
                defer { start = read.count }
                guard start < read.count || isTooLong else { return nil }
                return isTooLong || read.count - start > maximum ? .tooLong : .message(Array(read[start...]))
            }
            read.removeFirst(start)
            start = 0
            if read.count > maximum {
                isTooLong = true
                read.removeAll()
            }
            searched = read.count
            fill()
        }
    }

    private mutating func fill() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = readInput(&buffer)
        isAtEnd = count <= 0
        if count > 0 { read += buffer[..<count] }
    }
}

private func readInput(_ buffer: inout [UInt8]) -> Int {
    while true {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        guard count < 0, errno == EINTR else { return count }
    }
}
