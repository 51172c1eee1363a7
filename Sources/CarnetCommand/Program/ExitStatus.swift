import CarnetFoundation

/// The exit status of the program. A command throws it after it has printed its result.
enum ExitStatus: Int32, Error {
    case done = 0
    /// The check found something, or the login or call failed.
    case failed = 1
    case usage = 2
    /// The program itself failed.
    case broken = 3
    /// A server is busy: `EX_TEMPFAIL` of `sysexits.h`. The same command may succeed later.
    case busy = 75
    /// Ctrl-C: 128 and the number of SIGINT.
    case interrupted = 130
    /// SIGHUP: the terminal is gone.
    case hungUp = 129
    /// SIGTERM.
    case terminated = 143

    init(signal number: Int32) {
        self = number == SIGHUP ? .hungUp : number == SIGTERM ? .terminated : .interrupted
    }

    var isInterruption: Bool { rawValue > 128 }

    /// Ends the process without exit handlers and destructors: they would free what threads of libraries still use. The
    /// command needs none of them, because it writes its output without buffers.
    func endProcess() -> Never {
        _exit(rawValue)
    }
}
