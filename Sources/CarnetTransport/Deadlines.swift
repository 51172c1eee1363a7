import Carnet
import CarnetFoundation

/// Cancels exchanges at their deadlines. One task waits for all of them, and only while there are any: a timer for each
/// exchange would stay in memory until its deadline.
package final class Deadlines: Sendable {
    /// Those of the process's transports.
    package static let shared = Deadlines()

    private struct Entry {
        /// By the running clock.
        var end: Duration
        let cancel: @Sendable () -> Void
    }

    private struct State {
        var clock: RunningClock
        var entries: [Int: Entry] = [:]
        var entriesMade = 0
        /// When the waiting task continues, by the running clock; `nil` if none waits.
        var wake: Duration?
        /// Counts the waits. A task that waited in vain for an earlier one ends.
        var wait = 0

        /// Reads the clock. A process that was stopped gets the time to read what has arrived.
        mutating func advance() {
            let planned = wake.map { max($0 - clock.time, .zero) } ?? .zero
            let isIdle = entries.isEmpty
            guard clock.advance(afterWaiting: planned), !isIdle else { return }
            let earliest = clock.time + RunningClock.grace
            for id in entries.keys where entries[id]?.end ?? earliest < earliest { entries[id]?.end = earliest }
        }

        /// Begins another wait.
        ///
        /// - Returns: Its number and length; `nil` if there is nothing to wait for.
        mutating func plan() -> (number: Int, length: Duration)? {
            guard let end = entries.values.lazy.map(\.end).min() else {
                wake = nil
                return nil
            }
            let length = min(max(end - clock.time, .zero), RunningClock.slice)
            wake = clock.time + length
            wait += 1
            return (wait, length)
        }
    }

    private let state: Lock<State>
    private let sleep: @Sendable (Duration) async -> Void

    package init(
        clock: RunningClock = RunningClock(),
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        state = Lock(State(clock: clock))
        self.sleep = sleep
    }

    /// Runs `exchange` and cancels it at the deadline.
    ///
    /// - Parameters:
    ///   - deadline: Counts the time in which this process ran.
    ///   - start: Starts the task of the exchange.
    /// - Throws: `TransportError`, `timeout`, at the deadline; `CancellationError` if the task was cancelled; errors of
    /// `exchange`.
    package func run<Response: Sendable>(
        within deadline: Duration,
        origin: String,
        startedBy start: (@escaping @Sendable () async throws -> Response) -> Task<Response, any Error> = {
            Task(operation: $0)
        },
        _ exchange: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
        try Task.checkCancellation()
        let task = start(exchange)
        let id = add(deadline) { task.cancel() }
        do {
            let response = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            _ = remove(id)
            return response
        } catch {
            let isInTime = remove(id)
            // Any error of a cancelled exchange is due to the cancellation.
            try Task.checkCancellation()
            guard isInTime else {
                throw TransportError(
                    .timeout, "\(origin) did not send a complete response within \(deadline.inSeconds)")
            }
            throw error
        }
    }

    private func add(_ deadline: Duration, _ cancel: @escaping @Sendable () -> Void) -> Int {
        let (id, next) = state.withLock { state in
            state.advance()
            state.entriesMade += 1
            let end = state.clock.time + min(deadline, .seconds(1 << 32))
            state.entries[state.entriesMade] = Entry(end: end, cancel: cancel)
            guard let wake = state.wake, wake <= end else { return (state.entriesMade, state.plan()) }
            return (state.entriesMade, nil)
        }
        if let next { Task.detached { await self.watch(next) } }
        return id
    }

    /// - Returns: Whether the deadline had not come.
    private func remove(_ id: Int) -> Bool { state.withLock { $0.entries.removeValue(forKey: id) != nil } }

    private func watch(_ first: (number: Int, length: Duration)) async {
        var next = Optional(first)
        while let wait = next {
            await sleep(wait.length)
            let due: [Entry]
            (due, next) = state.withLock { state in
                guard wait.number == state.wait else { return ([], nil) }
                state.advance()
                let due = state.entries.filter { $0.value.end <= state.clock.time }
                for id in due.keys { state.entries[id] = nil }
                return (Array(due.values), state.plan())
            }
            for entry in due { entry.cancel() }
        }
    }
}
