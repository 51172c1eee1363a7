#if os(Linux)
    import Foundation
    import Testing

    @testable import CarnetUserAgent

    @Suite("Child process")
    struct ChildProcessTests {
        private func run(_ command: [String], environment: [String: String] = ["PATH": "/usr/bin:/bin"]) -> Int32? {
            ChildProcess.run(command, environment: environment)
        }

        @Test("The exit status is returned", arguments: [0, 3, 255])
        func exitStatus(status: Int32) {
            #expect(run(["/bin/sh", "-c", "exit \(status)"]) == status)
        }

        @Test("A program that cannot be started, or that a signal ended, has no exit status")
        func noExitStatus() {
            #expect(run(["/nowhere/program"]) == nil)
            for signal in ["TERM", "PIPE"] {
                #expect(run(["/bin/sh", "-c", "kill -\(signal) $$"]) == nil)
            }
        }

        @Test("A file descriptor without FD_CLOEXEC is not inherited")
        func descriptors() {
            let number = open("/dev/null", O_RDONLY)
            defer { close(number) }
            #expect(number > 2)
            #expect(fcntl(number, F_GETFD) == 0)
            #expect(run(["/bin/sh", "-c", "! test -e /proc/self/fd/\(number)"]) == 0)
        }

        @Test("Input is empty, and output goes nowhere")
        func standardStreams() {
            let test =
                "test -z \"$(cat)\" && echo lost && for n in 0 1 2; do test /dev/null -ef /proc/self/fd/$n || exit 1; done"
            #expect(run(["/bin/sh", "-c", test]) == 0)
        }

        @Test("The environment is the given one")
        func environment() {
            let test = "test \"$A|$B\" = 'a b|=' && test -z \"$HOME\""
            #expect(run(["/bin/sh", "-c", test], environment: ["A": "a b", "B": "="]) == 0)
        }

        @Test("It is in a process group of its own, which Ctrl-C does not reach")
        func processGroup() {
            let test = "test $(cut -d' ' -f5 /proc/$$/stat) -eq $$"
            #expect(run(["/bin/sh", "-c", test]) == 0)
        }
    }
#endif
