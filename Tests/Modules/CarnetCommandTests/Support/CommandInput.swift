import Dispatch
import Foundation

/// The standard input of a running program, written in order and without ever holding up a test.
final class CommandInput: Sendable {
    private let handle: FileHandle
    private let queue = DispatchQueue(label: "standard input")

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// A program that no longer reads gets nothing: how it ended says why.
    func write(_ data: Data) {
        queue.async { [handle] in
            Self.withoutBrokenPipeSignal {
                try? handle.write(contentsOf: data)
            }
        }
    }

    func close() {
        queue.async { [handle] in
            try? handle.close()
        }
    }

    /// A write to a pipe that nobody reads would end the whole test run by SIGPIPE. To ignore the signal for good would be
    /// inherited by every program that is started, so it is only held back, and taken when it came.
    private static func withoutBrokenPipeSignal(_ write: () -> Void) {
        var brokenPipe = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
        write()
        sigpending(&pending)
        if sigismember(&pending, SIGPIPE) == 1 {
            var taken: Int32 = 0
            sigwait(&brokenPipe, &taken)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
