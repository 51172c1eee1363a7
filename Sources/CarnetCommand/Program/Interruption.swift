import Dispatch
import Foundation
import Synchronization

/// Turns the SIGINT of Ctrl-C into the cancellation of what runs, so that ports are freed and nothing is half done.
final class Interruption: Sendable {
    private let count = Atomic(0)

    /// How long the work may take to end, in seconds.
    private static let patience = 1.0

    var hasHappened: Bool { count.load(ordering: .acquiring) > 0 }

    /// Runs the action at the first Ctrl-C. A second one, or work that does not end, ends the program at once.
    ///
    /// - Returns: What keeps the watch; it ends with it.
    func watch(_ action: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        #if canImport(Darwin)
            // There the default action would come before the source sees the signal.
            signal(SIGINT, SIG_IGN)
        #endif
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler { [self] in
            guard count.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else {
                exit(ExitStatus.interrupted.rawValue)
            }
            action()
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                exit(ExitStatus.interrupted.rawValue)
            }
        }
        source.activate()
        return source
    }
}
