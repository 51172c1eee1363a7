import Foundation

/// Programs in a terminal, which only Python's library can open from here.
enum PseudoTerminal {
    /// What a program writes to a terminal of that width.
    static func output(
        of program: URL, _ arguments: [String], columns: Int, in home: CommandHome
    ) async throws -> String {
        let script = """
            import fcntl, os, pty, struct, sys, termios
            child, terminal = pty.fork()
            if child == 0:
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, \(columns), 0, 0))
                os.execv(sys.argv[1], sys.argv[1:])
            data = b""
            while True:
                try:
                    part = os.read(terminal, 65536)
                except OSError:
                    break
                if not part:
                    break
                data += part
            os.waitpid(child, 0)
            sys.stdout.buffer.write(data.replace(b"\\r\\n", b"\\n"))
            """
        let run = try CommandRun(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", script, program.path] + arguments,
            environment: home.environment.merging(["NO_COLOR": "1", "TERM": "xterm"]) { $1 }, folder: home.folder)
        return try await run.finish().standardOutput
    }

    /// The exit statuses of a program that gets each of some signals, or the end of its input, when it has written a text.
    static func statuses(
        of program: URL, _ arguments: [String], until text: String, in home: CommandHome, after signals: [String]
    ) async throws -> String {
        let script = """
            import os, pty, signal, sys
            statuses = []
            for name in "\(signals.joined(separator: " "))".split():
                child, terminal = pty.fork()
                if child == 0:
                    os.execv(sys.argv[1], sys.argv[1:])
                seen = b""
                while b"\(text)" not in seen:
                    seen += os.read(terminal, 65536)
                if name == "end":
                    os.write(terminal, bytes([4]))
                else:
                    os.kill(child, getattr(signal, name))
                statuses.append(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
            print(*statuses, end="")
            """
        let run = try CommandRun(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", script, program.path] + arguments,
            environment: home.environment.merging(["NO_COLOR": "1", "TERM": "xterm"]) { $1 }, folder: home.folder)
        return try await run.finish().standardOutput
    }

    /// What an interactive bash makes of lines that are typed and completed: each line with all of its completions.
    ///
    /// - Parameter script: Is sourced before.
    static func completions(
        of lines: [String], sourcing script: URL, in home: CommandHome, environment: [String: String]
    ) async throws -> [String] {
        let python = """
            import os, pty, sys
            script, lines = sys.argv[1], sys.argv[2:]
            child, terminal = pty.fork()
            if child == 0:
                os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
            seen = b""
            def wait():
                global seen
                while b"READY> " not in seen:
                    seen += os.read(terminal, 65536)
                seen = seen.split(b"READY> ")[-1]
            def type(text):
                global seen
                seen = b""
                os.write(terminal, text.encode())
                wait()
            # The prompt is written in two parts, so that the echo of this line is none.
            type("PS1='READY''> '; bind 'set enable-bracketed-paste off'; source '%s'\\n" % script)
            for line in lines:
                # M-* inserts all completions; then the line becomes the arguments of echo.
                type(line + "\\x1b*" + "\\x05 >> completed\\x01echo \\n")
            os.write(terminal, b"exit\\n")
            os.waitpid(child, 0)
            sys.stdout.write(open("completed").read())
            """
        let run = try CommandRun(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", python, script.path] + lines,
            environment: environment.merging(["TERM": "dumb"]) { $1 }, folder: home.folder)
        let result = try await run.finish()
        guard result.status == 0 else { throw CommandRun.Failure(description: "\(result)") }
        return result.standardOutput.split(separator: "\n").map(String.init)
    }
}
