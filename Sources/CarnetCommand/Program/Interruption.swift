import CarnetDescriptors
import CarnetFoundation
import CarnetStorage
import Dispatch

/// Turns a signal that asks the program to end into the cancellation of what runs, so that ports are freed and nothing is
/// half done: Ctrl-C, the end of a terminal, `kill`.
///
/// A refresh whose request has been sent is completed first: the provider may have replaced the refresh token already.
final class Interruption: Sendable {
    private let signalNumber = Lock<Int32>(0)

    /// How long the work may take to end, in seconds.
    private static let patience = 1.0
    /// How long a server may take to complete the requests in progress, in seconds.
    private static let drainPatience = 30.0
    /// How often a refresh is looked at that is not complete, in seconds.
    private static let interval = 0.05

    /// The status after a signal; `nil` before the first.
    var status: ExitStatus? {
        let number = signalNumber.withLock { $0 }
        return number == 0 ? nil : ExitStatus(signal: number)
    }

    /// Runs the action at the first signal. A second one, or work that does not end, ends the program at once.
    ///
    /// - Parameters:
    ///   - signals: Gets the signals of a server: SIGHUP, and the first of the others. If the server does not end in time, the
    ///     action follows.
    ///   - wait: Runs when the program goes on to complete a refresh.
    /// - Returns: What keeps the watch; it ends with it.
    func watch(
        serving signals: ServerSignals? = nil,
        whenWaiting wait: @escaping @Sendable () -> Void, _ action: @escaping @Sendable () -> Void
    ) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].filter { !Self.isIgnored($0) }.map { number in
            #if canImport(Darwin)
                // There the default action would come before the source sees the signal.
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [self] in
                if let signals, number == SIGHUP { return signals.reload() }
                let isFirst = signalNumber.withLock { first in
                    guard first == 0 else { return false }
                    first = number
                    return true
                }
                guard isFirst else { ExitStatus(signal: number).endProcess() }
                guard let signals else { return end(wait, action) }
                signals.drain()
                after(Self.drainPatience) { [self] in end(wait, action) }
            }
            source.activate()
            return source
        }
    }

    private func end(_ wait: @escaping @Sendable () -> Void, _ action: () -> Void) {
        action()
        after(Self.patience) { [self] in
            if FileLock.isAnyHeld { wait() }
            endWhenComplete()
        }
    }

    private func endWhenComplete() {
        guard FileLock.isAnyHeld else { (status ?? .interrupted).endProcess() }
        after(Self.interval) { [self] in endWhenComplete() }
    }

    private func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: body)
    }

    /// Whether who started the program wants it to survive a signal, as nohup does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var current = sigaction()
        guard sigaction(number, nil, &current) == 0 else { return false }
        #if canImport(Darwin)
            let handler = current.__sigaction_u.__sa_handler
        #else
            let handler = current.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The signals that a server handles itself: SIGHUP, and the first one that asks it to end.
final class ServerSignals: Sendable {
    private let isReloadWanted = Lock(false)
    private let drains: AsyncStream<Void>
    private let drained: AsyncStream<Void>.Continuation

    init() {
        (drains, drained) = AsyncStream.makeStream()
    }

    func reload() { isReloadWanted.withLock { $0 = true } }

    /// Whether SIGHUP has come since the last call.
    func takeReload() -> Bool {
        isReloadWanted.withLock { isWanted in
            defer { isWanted = false }
            return isWanted
        }
    }

    func drain() { drained.finish() }

    /// Returns when the server must end, or when the task is cancelled.
    func untilDrain() async { for await _ in drains {} }
}
