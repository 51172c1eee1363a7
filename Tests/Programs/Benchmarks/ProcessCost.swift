import BenchmarkSubjects

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What one run of a program cost.
struct ProcessCost {
    /// From its start to its end, in seconds.
    let waited: Double
    /// The processor time of the program and the system for it, on all processors together, in seconds.
    let seconds: Double
    /// The most memory that it had at once, in KiB.
    let peakKiB: Double

    /// Runs a program without output to its end.
    ///
    /// - Throws: `BenchmarkFailure` if it cannot be started or does not end with the status 0.
    init(of command: [String]) throws {
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        let clock = ContinuousClock()
        let start = clock.now
        var process: pid_t = 0
        guard posix_spawn(&process, command[0], &actions, nil, &arguments, environ) == 0 else {
            throw BenchmarkFailure(reason: "\(command[0]) cannot be started")
        }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process, status == 0 else {
            throw BenchmarkFailure(reason: "\(command[0]) failed")
        }
        waited = (clock.now - start) / .seconds(1)
        seconds = Self.seconds(of: usage)
        #if canImport(Darwin)
            peakKiB = Double(usage.ru_maxrss) / 1024
        #else
            peakKiB = Double(usage.ru_maxrss)
        #endif
    }

    /// The processor time of this process until now, in seconds.
    static var processorTime: Double {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        return seconds(of: usage)
    }

    private static func seconds(of usage: rusage) -> Double {
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
