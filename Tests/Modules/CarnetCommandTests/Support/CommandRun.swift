import CarnetDescriptors
import CarnetFoundation
import Foundation

/// A program that runs beside a test.
///
/// Its output is read as it comes, so it never stands still on a full pipe, and every wait comes to an end: with what was
/// waited for, with the end of the program, or at a deadline, which kills the program and all that it started.
final class CommandRun: Sendable {
    /// How long to wait for what must come: only as long as a hang would, for hundreds of tests may run before this one goes
    /// on.
    static let patience = Duration.seconds(300)

    enum Channel: Sendable {
        case standardOutput
        case standardError
    }

    /// Why a wait was in vain, with everything that the program has said until then.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let command: String
    private let output = CommandOutput()
    private let input: CommandInput
    private let processID: pid_t

    /// A descriptor made while another thread starts a program would be inherited by that program, which would then keep
    /// the pipe open; so one program starts at a time.
    private static let launching = Lock(())

    /// Starts the program with exactly this environment. Its standard input stays open until ``closeInput()``.
    init(
        _ executable: URL,
        _ arguments: [String],
        environment: [String: String],
        folder: URL
    ) throws {
        command = ([executable.lastPathComponent] + arguments).joined(separator: " ")
        let output = output
        (input, processID) = try Self.launching.withLock { _ in
            let process = Process()
            let (input, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
            process.executableURL = executable
            process.arguments = arguments
            process.environment = environment
            process.currentDirectoryURL = folder
            process.standardInput = input
            process.standardOutput = standardOutput
            process.standardError = standardError
            process.terminationHandler = { process in
                let signalled = process.terminationReason == .uncaughtSignal
                output.ended(status: process.terminationStatus + (signalled ? 128 : 0))
            }
            try Self.withNoSignalBlocked { try process.run() }
            output.read(standardOutput.fileHandleForReading, as: .standardOutput)
            output.read(standardError.fileHandleForReading, as: .standardError)
            return (CommandInput(input.fileHandleForWriting), process.processIdentifier)
        }
    }

    deinit {
        stop()
    }

    /// A program inherits what is blocked on the thread that starts it, and Dispatch blocks nearly all signals on its own
    /// threads, SIGTERM and SIGINT among them.
    private static func withNoSignalBlocked(_ start: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try start()
    }

    func send(_ line: String) {
        input.write(Data((line + "\n").utf8))
    }

    func send(_ data: Data) {
        input.write(data)
    }

    func closeInput() {
        input.close()
    }

    /// Ends the program and what it started, unless it has ended by itself.
    func stop() {
        send(signal: SIGKILL)
    }

    /// Sends a signal, such as the SIGINT of Ctrl-C, to the program and what it started.
    func send(signal: Int32) {
        // The program leads a process group of its own: that is how Foundation starts it.
        output.ifRunning { _ = kill(-processID, signal) }
    }

    /// The first line of a channel for which the condition holds, as soon as all of it is there.
    func line(
        of channel: Channel,
        within limit: Duration = patience,
        where condition: (String) -> Bool = { _ in true }
    ) async throws -> String {
        try await wait(for: "a line", within: limit) { $0.lines(of: channel).first(where: condition) }
    }

    /// The line of a channel with this number, counted from 0, as soon as all of it is there.
    func line(_ number: Int, of channel: Channel, within limit: Duration = patience) async throws -> String {
        try await wait(for: "line \(number)", within: limit) { $0.lines(of: channel).dropFirst(number).first }
    }

    /// Closes standard input and waits until the program has ended and all of its output is read.
    func finish(within limit: Duration = patience) async throws -> CommandResult {
        closeInput()
        return try await wait(for: "its end", within: limit) { $0.result }
    }

    private func wait<Value>(
        for what: String,
        within limit: Duration,
        _ value: (CommandOutput.Snapshot) -> Value?
    ) async throws -> Value {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        for await snapshot in output.snapshots(wakingAfter: limit) {
            if let value = value(snapshot) {
                return value
            }
            if snapshot.result != nil {
                throw Failure(description: "\(command) ended, and \(what) never came\n\(snapshot)")
            }
            if clock.now >= deadline {
                stop()
                throw Failure(description: "\(command) was killed after \(limit), waiting for \(what)\n\(snapshot)")
            }
        }
        throw CancellationError()
    }
}
