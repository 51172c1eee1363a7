#if os(Linux)
    import CarnetFoundation

    /// Another program, without input and output.
    enum ChildProcess {
        /// Runs a program until it ends. It is in a process group of its own, so that Ctrl-C does not end it, and inherits no
        /// file descriptor.
        ///
        /// - Parameters:
        ///   - command: The path of the program, then its arguments.
        ///   - environment: Its environment.
        /// - Returns: Its exit status; `nil` if it could not be started or was ended by a signal.
        static func run(_ command: [String], environment: [String: String]) -> Int32? {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for number in openDescriptors() { posix_spawn_file_actions_addclose(&actions, number) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
            posix_spawnattr_setflags(&attributes, Int16(flags))
            posix_spawnattr_setpgroup(&attributes, 0)
            // Dispatch's threads block all signals, and servers ignore SIGPIPE; a child would inherit both.
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            sigaddset(&signals, SIGPIPE)
            posix_spawnattr_setsigdefault(&attributes, &signals)

            var arguments = command.map { strdup($0) } + [nil]
            var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
            defer { for text in arguments + variables { free(text) } }
            var child: pid_t = 0
            guard posix_spawn(&child, command[0], &actions, &attributes, &arguments, &variables) == 0 else {
                return nil
            }
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return nil } }
            return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
        }

        private static func openDescriptors() -> [Int32] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return names?.compactMap { Int32($0) }.filter { $0 > 2 } ?? []
        }
    }
#endif
