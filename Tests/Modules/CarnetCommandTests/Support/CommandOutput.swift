import CarnetDescriptors
import CarnetFoundation
import Dispatch
import Foundation

/// What a running program has said so far, and whether it has ended.
final class CommandOutput: Sendable {
    struct Snapshot: Sendable, CustomStringConvertible {
        fileprivate(set) var standardOutput = Data()
        fileprivate(set) var standardError = Data()
        fileprivate(set) var status: Int32?
        fileprivate var openChannels = 0

        /// How the program ended, once it has and nothing of its output is missing.
        var result: CommandResult? {
            guard let status, openChannels == 0 else {
                return nil
            }
            return CommandResult(status: status, standardOutput: standardOutput, standardError: standardError)
        }

        var description: String {
            """
            standard output: \(String(decoding: standardOutput, as: UTF8.self))
            standard error: \(String(decoding: standardError, as: UTF8.self))
            """
        }

        /// The lines that are whole: what follows the last line feed is not yet one of them, until the program has ended.
        func lines(of channel: CommandRun.Channel) -> [String] {
            let data = channel == .standardOutput ? standardOutput : standardError
            var lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            if result == nil || lines.last?.isEmpty == true {
                lines.removeLast()
            }
            return lines.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private struct State {
        var snapshot = Snapshot()
        var observers: [Int: AsyncStream<Snapshot>.Continuation] = [:]
        var nextObserver = 0
    }

    private let state = Lock(State())

    /// Reads a channel to its end, on a thread of its own.
    func read(_ handle: FileHandle, as channel: CommandRun.Channel) {
        update { $0.openChannels += 1 }
        Thread.detachNewThread { [self] in
            while case let data = handle.availableData, !data.isEmpty {
                update { snapshot in
                    switch channel {
                    case .standardOutput: snapshot.standardOutput += data
                    case .standardError: snapshot.standardError += data
                    }
                }
            }
            // Foundation keeps a `Process` that has ended, and with it the handles of its pipes.
            try? handle.close()
            update { $0.openChannels -= 1 }
        }
    }

    func ended(status: Int32) {
        update { $0.status = status }
    }

    /// Runs the action while the program is known not to have ended, so that its number is nobody else's yet.
    func ifRunning(_ action: () -> Void) {
        state.withLock { state in
            if state.snapshot.status == nil {
                action()
            }
        }
    }

    /// What there is now, then what there is after each change; and once more when the time is over.
    func snapshots(wakingAfter limit: Duration) -> AsyncStream<Snapshot> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observer = state.withLock { state in
                state.nextObserver += 1
                state.observers[state.nextObserver] = continuation
                continuation.yield(state.snapshot)
                return state.nextObserver
            }
            continuation.onTermination = { [self] _ in
                state.withLock { _ = $0.observers.removeValue(forKey: observer) }
            }
            let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
                self?.update { _ in }
            }
        }
    }

    private func update(_ change: (inout Snapshot) -> Void) {
        state.withLock { state in
            change(&state.snapshot)
            for observer in state.observers.values {
                observer.yield(state.snapshot)
            }
        }
    }
}
